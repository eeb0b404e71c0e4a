"""A part of a folder tree as a scope: some files and folders, found without walking the rest."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from irengine.sources.files import FileScope
from irengine.sources.scope import ListedScope
from irengine.sources.walk import Walked, readable_name, walk

__all__ = ["NarrowedScope", "can_narrow"]

_MARK = re.compile(r"~[0-9a-f]{8}(?=\.[^./]*$|$)")
"""What the walk puts into the id of a file whose name is spelled like that of another one."""

_OF_THE_WHOLE = ("no-files", "hidden")
"""Notes that say something about a tree, and nothing when only a part of it was looked at."""


def can_narrow(scope: object) -> bool:
    """Return whether parts of ``scope`` can be listed on their own.

    Not so where links are followed: whether a file is listed twice shows in the whole tree only.
    """
    return type(scope) is FileScope and not scope.rules.follow_links


class NarrowedScope(FileScope):
    """The files of a folder scope that are among ``items``, or below one of them.

    Only the folders that lead to them are listed, by the rules of the whole: what an ignore file
    leaves out there is left out here. Everything else :meth:`keeps`, so that a build of this
    scope adds, changes and removes what is covered and leaves the rest of a corpus alone.

    Args:
        whole: a scope of which :func:`can_narrow` holds.
        items: ids; that of a folder without its ``/`` stands for all it holds, ``""`` for
            everything.
    """

    def __init__(self, whole: FileScope, items: Iterable[str]) -> None:
        ListedScope.__init__(self, whole.roots)
        self.max_bytes = whole.max_bytes
        self.extract = whole.extract
        self.pattern = whole.pattern
        self._items = frozenset(item.strip("/") for item in items)
        self._looked_for = self._items | self._targets()
        self._leading = frozenset(
            item[: end + 1]
            for item in self._looked_for
            for end, character in enumerate(item)
            if character == "/"
        )
        whole_wants, whole_excludes = whole.rules.wanted, whole.rules.excluded

        def excluded(item: str) -> bool:
            if item.endswith("/") and not self._leads(item):
                return True
            return whole_excludes is not None and whole_excludes(item)

        self.rules = replace(
            whole.rules,
            wanted=lambda item: _covers(self._looked_for, item) and whole_wants(item),
            excluded=excluded,
        )
        self._lost: tuple[str, ...] = ()
        self._listed_at = time.time_ns()
        self._digest = ("", "")

    def covers(self, artifact_id: str) -> bool:
        """Return whether an id is one of the items, or below one."""
        return _covers(self._items, artifact_id)

    def selection(self) -> None:
        """Return nothing: what is taken here says nothing of the whole."""

    def keeps(self, artifact_id: str) -> bool:
        """Return whether an unlisted artifact stays: it is not covered, or cannot be read."""
        return not self.covers(artifact_id) or super().keeps(artifact_id)

    def _walk(self) -> Walked:
        walked = walk(self.roots[0], self.rules)
        walked.files = {item: file for item, file in walked.files.items() if self.covers(item)}
        walked.skipped = [told for told in walked.skipped if self.covers(told[0].rstrip("/"))]
        return walked

    def _note(self, artifact_id: str, reason: str, detail: str) -> None:
        if reason not in _OF_THE_WHOLE:
            super()._note(artifact_id, reason, detail)

    def _leads(self, folder: str) -> bool:
        return folder in self._leading or _covers(self._looked_for, folder[:-1])

    def _targets(self) -> frozenset[str]:
        """Return what items that are links lead to: a link to a listed file is not listed."""
        root = self.roots[0]
        found = set()
        for item in self._items:
            path = root / item
            if item and path.is_symlink():
                target = Path(os.path.realpath(path))
                if root in target.parents:
                    parts = target.relative_to(root).parts
                    found.add("/".join(readable_name(part) for part in parts))
        return frozenset(found)


def _covers(items: frozenset[str], artifact_id: str) -> bool:
    if "" in items or artifact_id in items:
        return True
    if _MARK.search(artifact_id) and _MARK.sub("", artifact_id) in items:
        return True
    end = artifact_id.find("/")
    while end >= 0:
        if artifact_id[:end] in items:
            return True
        end = artifact_id.find("/", end + 1)
    return False
