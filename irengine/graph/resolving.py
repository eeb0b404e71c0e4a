"""Where a written link leads: by path, by name, by alias, the nearest of several.

Names compare in NFC and without regard to case; among several notes that fit, one spelled exactly
as the link comes first, then the nearest to the linking note (fewest steps up and down between
the folders), then the one higher up, then the first by id. So the result is a function of the
set of notes, their aliases and the link, whatever the history of builds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property
from urllib.parse import unquote

from irengine.graph.written import WrittenLink
from irengine.sources.document import extension_of

__all__ = ["NameIndex"]

_NOTE_EXTENSIONS = frozenset(("", "md", "markdown", "mdx", "txt"))
_FRONT_PAGES = ("index", "README", "_index")
_FEW = 8  # candidates that are compared one by one

Candidates = list[str]


class NameIndex:
    """The notes of a corpus by everything they can be called.

    Args:
        ids: the artifact ids, paths with ``/``, in sorted order.
        aliases: for some of them, their other names.
    """

    def __init__(self, ids: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> None:
        self.ids = list(ids)
        self._given_aliases = aliases
        self._choices: dict[tuple[str, str], _Choice] = {}

    def resolve(self, link: WrittenLink, source: str) -> str | None:
        """Return the id of the note that ``link`` in the note ``source`` leads to, if any.

        * ``[[name]]``: a file's name, with or without its extension; else an alias.
        * ``[[folder/name]]``: the path from the root; else from the note's folder; else the end
          of a path; else an alias. ``./`` and ``../`` start at the note's folder, ``/`` at the
          root.
        * a Markdown destination: percent signs decoded, from the note's folder (``/``: from the
          root), with or without extension; a folder means its ``index`` or ``README``. A bare
          ``name`` that is not there may also be the only note of that name in the corpus.
        * ``related``: as a wikilink, else as a destination.
        """
        target = link.target
        if link.kind == "path":
            return self._destination(target, source)
        found = self._wiki(target, source)
        if found is None and link.kind == "related":
            found = self._destination(target, source)
        return found

    def names_a_note(self, link: WrittenLink, source: str) -> bool:
        """Return whether an unresolved ``link`` means a note, so that it is worth listing.

        Not when it leads out of the root, to a folder, or to a file of a kind the corpus has not.
        """
        name = link.target.rpartition("/")[2]
        extension = extension_of(unquote(name) if link.kind == "path" else name)
        if link.kind == "path":
            path = _joined(_folder(source), unquote(link.target))
            if path is None or _fold(path) in self._folders:
                return False
            return extension in _NOTE_EXTENSIONS or extension in self._extensions
        if link.target.startswith("../"):
            return _joined(_folder(source), link.target) is not None
        return True

    def find(self, name: str) -> str | None:
        """Return the note that ``name`` means to somebody at the root: id, path, name or alias."""
        if name in self._ids:
            return name
        return self._wiki(unicodedata.normalize("NFC", name.strip()), "")

    # -- kinds of links -----------------------------------------------------------------------

    def _wiki(self, target: str, source: str) -> str | None:
        folder = _folder(source)
        if target.startswith("/"):
            return self._at(target.strip("/"), source)
        if target.startswith(("./", "../")):
            path = _joined(folder, target)
            return None if path is None else self._at(path, source)
        found = None
        if "/" in target:
            found = self._at(target.strip("/"), source)
            if found is None:
                path = _joined(folder, target)
                found = None if path is None else self._at(path, source)
        found = found or self._ending(target.strip("/"), source)
        if found is None:
            found = self._aliased(target, source)
        return found

    def _destination(self, target: str, source: str) -> str | None:
        decoded = unicodedata.normalize("NFC", unquote(target))
        for path in dict.fromkeys((decoded, target)):
            joined = _joined(_folder(source), path)
            if joined is not None:
                found = self._at(joined, source) or self._front_page(joined, source)
                if found is not None:
                    return found
        if decoded.startswith((".", "/")) or decoded.endswith("/"):
            return None
        alone = self._fitting(decoded)
        return alone[0] if len(alone) == 1 else None

    def _front_page(self, folder: str, source: str) -> str | None:
        if _fold(folder) not in self._folders:
            return None
        for name in _FRONT_PAGES:
            found = self._at(f"{folder}/{name}".lstrip("/"), source)
            if found is not None:
                return found
        return None

    # -- look-ups -----------------------------------------------------------------------------

    def _at(self, path: str, source: str) -> str | None:
        """Return the note at a path from the root, with or without extension."""
        if path in self._ids:
            return path
        choice = self._choices.get(("at", path))
        if choice is None:
            key = _fold(path)
            found = self._paths.get(key, []) or self._bare_paths.get(key, [])
            choice = self._choose("at", path, found, [i for i in found if path in (i, _bare(i))])
        return choice.nearest(source)

    def _ending(self, target: str, source: str) -> str | None:
        """Return the nearest of the notes whose path ends with ``target``."""
        choice = self._choices.get(("end", target))
        if choice is None:
            found = self._fitting(target)
            exact = [i for i in found if _ends(i, target) or _ends(_bare(i), target)]
            choice = self._choose("end", target, found, exact)
        return choice.nearest(source)

    def _aliased(self, name: str, source: str) -> str | None:
        """Return the nearest of the notes that have the alias ``name``."""
        choice = self._choices.get(("alias", name))
        if choice is None:
            found = self._aliases.get(_fold(name), [])
            exact = [i for i in found if name in self._given_aliases[i]]
            choice = self._choose("alias", name, found, exact)
        return choice.nearest(source)

    def _choose(self, how: str, name: str, found: Candidates, exact: Candidates) -> _Choice:
        choice = self._choices[how, name] = _Choice(exact or found)
        return choice

    def _fitting(self, target: str) -> Candidates:
        """Return the notes whose path, or path without extension, ends with ``target``."""
        folder, _, name = target.rpartition("/")
        if not folder:
            return self._names.get(_fold(name), []) or self._stems.get(_fold(name), [])
        parent = folder.rpartition("/")[2]
        candidates = self._pairs.get((_fold(parent), _fold(name)), [])
        if folder == parent:
            return candidates
        end = _fold(target)
        return [i for i in candidates if _ends(_fold(i), end) or _ends(_fold(_bare(i)), end)]

    # -- tables, each made when first needed ----------------------------------------------------

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self.ids)

    @cached_property
    def _paths(self) -> dict[str, Candidates]:
        return _grouped((_fold(i), i) for i in self.ids)

    @cached_property
    def _bare_paths(self) -> dict[str, Candidates]:
        return _grouped((_fold(_bare(i)), i) for i in self.ids)

    @cached_property
    def _names(self) -> dict[str, Candidates]:
        return _grouped((_fold(i.rpartition("/")[2]), i) for i in self.ids)

    @cached_property
    def _stems(self) -> dict[str, Candidates]:
        return _grouped((_fold(_bare(i.rpartition("/")[2])), i) for i in self.ids)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Candidates]:
        """Notes by (folder's name, file's name), and by (folder's name, name without extension)."""
        pairs: dict[tuple[str, str], Candidates] = {}
        for i in self.ids:
            folder, _, name = i.rpartition("/")
            parent = _fold(folder.rpartition("/")[2])
            for spelling in {_fold(name), _fold(_bare(name))}:
                pairs.setdefault((parent, spelling), []).append(i)
        return pairs

    @cached_property
    def _aliases(self) -> dict[str, Candidates]:
        given = self._given_aliases
        pairs = ((_fold(alias), i) for i in sorted(given) for alias in given[i])
        return {key: list(dict.fromkeys(found)) for key, found in _grouped(pairs).items()}

    @cached_property
    def _folders(self) -> frozenset[str]:
        folders = {""}
        for i in self.ids:
            folder = _fold(_folder(i))
            while folder not in folders:
                folders.add(folder)
                folder = _folder(folder)
        return frozenset(folders)

    @cached_property
    def _extensions(self) -> frozenset[str]:
        return frozenset(extension_of(i.rpartition("/")[2]) for i in self.ids)


class _Choice:
    """Notes that one link may mean, and which of them is nearest to a folder.

    Of a few, all are compared. Of many, every folder above one remembers the best below it, and
    a search looks at the folders above where it starts.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self._few = [] if len(candidates) > _FEW else [(_parts(_folder(i)), i) for i in candidates]
        self._below: dict[tuple[str, ...], tuple[int, int, str]] = {}
        for i in candidates if not self._few else ():
            parts = _parts(_folder(i))
            for up in range(len(parts) + 1):
                above = parts[: len(parts) - up]
                entry = (up, len(parts), i)
                if above not in self._below or entry < self._below[above]:
                    self._below[above] = entry

    def nearest(self, source: str) -> str | None:
        """Return the note nearest to the note ``source``; ``None`` when there is none at all."""
        if len(self.candidates) <= 1:
            return self.candidates[0] if self.candidates else None
        folder = _parts(_folder(source))
        if self._few:
            ranked = [(_distance(folder, parts), len(parts), i) for parts, i in self._few]
        else:
            ranked = []
            for up in range(len(folder) + 1):
                entry = self._below.get(folder[: len(folder) - up])
                if entry is not None:
                    ranked.append((entry[0] + up, entry[1], entry[2]))
        return min(ranked)[2]


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, Candidates]:
    groups: dict[str, Candidates] = {}
    for key, i in pairs:
        groups.setdefault(key, []).append(i)
    return groups


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _bare(path: str) -> str:
    """Return ``path`` without the extension of its last part."""
    stem, dot, extension = path.rpartition(".")
    return stem if dot and "/" not in extension and stem and not stem.endswith("/") else path


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _parts(folder: str) -> tuple[str, ...]:
    return tuple(folder.split("/")) if folder else ()


def _ends(path: str, end: str) -> bool:
    return path == end or path.endswith("/" + end)


def _distance(folder: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return the steps up and down from one folder to the other."""
    shared = 0
    for one, two in zip(folder, other, strict=False):
        if one != two:
            break
        shared += 1
    return len(folder) + len(other) - 2 * shared


def _joined(folder: str, path: str) -> str | None:
    """Return ``path`` as seen from ``folder``, or ``None`` when it leads out of the root."""
    base: list[str] = [] if path.startswith("/") else list(_parts(folder))
    for part in path.split("/"):
        if part == "..":
            if not base:
                return None
            base.pop()
        elif part not in ("", "."):
            base.append(part)
    return "/".join(base)
