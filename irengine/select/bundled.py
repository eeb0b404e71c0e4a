"""The files beside a body: a skill's scripts and references, a package's modules."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from irengine.errors import ItemError
from irengine.select.disclosing_files import Place, locate, open_folder, read_text
from irengine.sources.ignore import DFLT_EXCLUDE_DIRS
from irengine.sources.walk import readable_name

__all__ = ["DFLT_MAX_BODY_CHARS", "DFLT_MAX_FILES", "BundledFile", "files_beside"]

DFLT_MAX_BODY_CHARS = 20_000
"""Characters of a body that are read."""

DFLT_MAX_FILES = 500
"""Files that are listed beside a body."""

_DEEPEST = 12  # folders below the one that is listed


@dataclass(frozen=True, slots=True)
class BundledFile:
    """A file beside a body.

    ``path`` is relative to the body's folder, with slashes and in NFC; bytes that are no UTF-8
    appear as ``\\xNN``. ``size`` is in bytes. ``note`` says why it would not be read
    (``"outside-roots"``, ``"not-a-file"``, ``"vanished"``, ``"link-in-the-way"``; a linked
    folder, whose path ends in a slash, is ``"link-not-followed"``); ``None`` for an ordinary file.
    """

    path: str
    size: int
    note: str | None = None
    place: str = field(default="", repr=False, compare=False)
    roots: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def text(self, max_chars: int = DFLT_MAX_BODY_CHARS) -> str:
        """Return the text of the file as it is now, up to ``max_chars`` characters.

        Raises:
            ItemError: when it is refused, gone, or not text; its ``code`` says which.
        """
        if self.note is not None:
            raise ItemError(f"{self.path!r} is not read: {self.note}", code=self.note)
        try:
            return read_text(locate(self.place, self.roots), max_chars)[0]
        except ItemError as error:
            detail = f"{self.path!r}: {error.message}"
            raise ItemError(detail, hint=error.hint, code=error.code) from error

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: ``path``, ``size`` and, where there is one, ``note``."""
        told: dict[str, Any] = {"path": self.path, "size": self.size}
        return told if self.note is None else {**told, "note": self.note}


def files_beside(
    folder: Place,
    roots: Sequence[str],
    *,
    deep: bool,
    without: str = "",
    apart: str = "",
    limit: int = DFLT_MAX_FILES,
) -> tuple[list[BundledFile], bool]:
    """List the files in ``folder``, by path, and say whether there are more than ``limit``.

    Dotted names and vendored or generated folders are left out. Links are not followed into
    folders; one to a file is listed as that file when it leads to one under ``roots``.

    Args:
        folder: the folder the body is in.
        roots: real paths of the folders that may be read.
        deep: whether folders below it are listed too.
        without: the name of the body itself.
        apart: a folder that holds a file of this name (in any case) is a bundle of its own.
        limit: files to stop at.

    Raises:
        ItemError: when the folder cannot be listed.
    """
    found: list[BundledFile] = []
    for file in _walk(folder, tuple(roots), deep, without, apart.lower()):
        if len(found) == limit:
            return sorted(found, key=lambda one: one.path), True
        found.append(file)
    return sorted(found, key=lambda one: one.path), False


def _walk(
    folder: Place, roots: tuple[str, ...], deep: bool, without: str, apart: str
) -> Iterator[BundledFile]:
    # fwalk goes by descriptor and never enters a link, whatever is swapped meanwhile.
    with open_folder(folder, to_list=True) as top:
        for where, folders, files, descriptor in os.fwalk(".", dir_fd=top):
            below = where.split("/")[1:]
            if below and apart and any(name.lower() == apart for name in files):
                folders.clear()
                continue
            real = os.path.join(folder.path, *below)  # noqa: PTH118
            for name in sorted(files):
                if not name.startswith(".") and (below or name != without):
                    yield _file("/".join((*below, name)), name, real, descriptor, roots)
            inner = [name for name in sorted(folders) if _entered(name)]
            links = [name for name in inner if _is_link(name, descriptor)]
            for name in links:
                said = readable_name("/".join((*below, name))) + "/"
                yield BundledFile(said, 0, "link-not-followed")
            enter = deep and len(below) < _DEEPEST
            folders[:] = [name for name in inner if name not in links] if enter else []


def _file(path: str, name: str, real: str, descriptor: int, roots: tuple[str, ...]) -> BundledFile:
    said = readable_name(path)
    place = os.path.join(real, name)  # noqa: PTH118
    try:
        info = os.stat(name, dir_fd=descriptor, follow_symlinks=False)  # noqa: PTH116
        if stat.S_ISLNK(info.st_mode):
            info = os.lstat(locate(place, roots).path)  # noqa: PTH116
            if stat.S_ISLNK(info.st_mode):  # a circle
                return BundledFile(said, 0, "link-in-the-way")
    except ItemError as error:
        return BundledFile(said, 0, error.code)
    except OSError:
        return BundledFile(said, 0, "vanished")
    if not stat.S_ISREG(info.st_mode):
        return BundledFile(said, 0, "not-a-file")
    return BundledFile(said, info.st_size, None, place, roots)


def _entered(name: str) -> bool:
    return not name.startswith(".") and name not in DFLT_EXCLUDE_DIRS


def _is_link(name: str, descriptor: int) -> bool:
    try:
        info = os.stat(name, dir_fd=descriptor, follow_symlinks=False)  # noqa: PTH116
    except OSError:
        return False
    return stat.S_ISLNK(info.st_mode)
