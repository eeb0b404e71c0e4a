"""Read files under given folders, and nothing else, whatever a pointer says.

A pointer is data: it may have been written by anyone, and what it names may change while it is
looked at. So a file is located by its real path, which must lie under a root, and then opened from
that root downwards without following any link; only a regular file of a sane size is read, and a
pipe is never waited for.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irengine.errors import ItemError, MissingExtra
from irengine.sources.decode import BinaryContent, decode_text
from irengine.sources.document import extension_of
from irengine.sources.files import DFLT_MAX_BYTES, on_disk

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_FILE_BYTES", "Place", "locate", "open_folder", "read_text"]

MAX_FILE_BYTES = DFLT_MAX_BYTES
"""Files above this size are refused."""

_PACKED = frozenset(("pdf", "docx", "pptx", "xlsx", "epub"))
_BYTES_PER_CHARACTER = 8  # a CR LF in UTF-32


def _opening(*names: str) -> int:
    """Return the flags of these names that the system has; not all have all of them."""
    flags = os.O_RDONLY
    for name in names:
        flags |= getattr(os, name, 0)
    return flags


_FOLDER = _opening("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
_STEP = _opening("O_PATH", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
_FILE = _opening("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC")


@dataclass(frozen=True, slots=True)
class Place:
    """Something below a root: ``parts`` are the real names from ``root`` down, no link among them.

    ``parts`` is empty for the root itself.
    """

    root: str
    parts: tuple[str, ...]

    @property
    def path(self) -> str:
        """The absolute path."""
        return os.path.join(self.root, *self.parts)  # noqa: PTH118 - names may be any bytes

    @property
    def name(self) -> str:
        """The last name."""
        return self.parts[-1] if self.parts else os.path.basename(self.root)  # noqa: PTH119

    @property
    def folder(self) -> Place:
        """The folder it is in; a root's is itself."""
        return Place(self.root, self.parts[:-1])

    def is_folder(self) -> bool:
        """Return whether it is a folder.

        Raises:
            ItemError: when it cannot be looked at.
        """
        return stat.S_ISDIR(_status(self).st_mode)


def locate(pointer: str, roots: Sequence[str]) -> Place:
    """Return where ``pointer`` really leads, which must be below one of ``roots`` (real paths).

    A relative pointer is looked up under each root in turn. Nothing is opened.

    Raises:
        ItemError: code ``bad-pointer`` for what no file can be called, ``vanished`` when there is
            nothing, ``unreadable`` when the way there is closed, ``outside-roots`` when it leads
            elsewhere.
    """
    if not pointer or "\0" in pointer:
        raise ItemError("the pointer is no path: no file is called so", code="bad-pointer")
    try:
        os.fsencode(pointer)
    except UnicodeEncodeError:
        raise ItemError(
            "the pointer is no path: no file is called so", code="bad-pointer"
        ) from None
    elsewhere, missing = "", False
    for root in roots:
        real = os.path.realpath(on_disk(os.path.join(root, pointer)))  # noqa: PTH118
        place = _below(real, root)
        if place is None:
            elsewhere = real
        elif _exists(real):
            return place
        else:
            missing = True
    if missing:
        raise ItemError("it is not there (any more)", code="vanished")
    if not roots:
        raise ItemError(
            "its corpus has no folders of its own to read from",
            hint="pass loader= or store= to say where its bodies are",
            code="outside-roots",
        )
    raise ItemError(
        f"it leads to {elsewhere}, which is not in the folders of its corpus",
        hint="build the corpus with that folder among its roots to read from it",
        code="outside-roots",
    )


def read_text(place: Place, max_chars: int) -> tuple[str, bool]:
    """Return up to ``max_chars`` characters of a file, and whether that is not all of it.

    The text is decoded as a build decodes it; of PDF, Office and EPUB files it is what the
    ``documents`` extra gets out. No more of the file is read than needed.

    Raises:
        ItemError: code ``vanished``, ``unreadable``, ``is-a-folder``, ``not-a-file`` (a pipe,
            socket or device), ``too-large``, ``link-in-the-way``, ``binary``,
            ``extraction-failed`` or, where the system cannot do it safely, ``unsupported``.
    """
    if extension_of(place.name) in _PACKED:
        text = _extracted(_read(place, MAX_FILE_BYTES)[0], place.name)
        return text[:max_chars], len(text) > max_chars
    data, size = _read(place, _BYTES_PER_CHARACTER * (max_chars + 1))
    cut = size > len(data)
    try:
        text = decode_text(_whole_characters(data) if cut else data).text
    except BinaryContent as error:
        raise ItemError(f"it is not text: {error}", code="binary") from error
    return text[:max_chars], cut or len(text) > max_chars


@contextmanager
def open_folder(place: Place, *, to_list: bool = False) -> Iterator[int]:
    """Yield a descriptor of a folder, reached from its root without following a link.

    Raises:
        ItemError: when it cannot be opened, or is no folder.
    """
    if os.open not in os.supports_dir_fd:
        message = "this system cannot open a file without following links"
        raise ItemError(message, code="unsupported")
    with _reasons():
        descriptor = os.open(place.root, _STEP if place.parts or not to_list else _FOLDER)
    try:
        for depth, name in enumerate(place.parts, 1):
            last = depth == len(place.parts)
            with _reasons():
                below = os.open(name, _FOLDER if last and to_list else _STEP, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def _read(place: Place, limit: int) -> tuple[bytes, int]:
    """Return up to ``limit`` bytes of a regular file, and its size."""
    _check(_status(place))  # before opening: to open a device can be an action
    with open_folder(place.folder) as folder:
        with _reasons():
            descriptor = os.open(place.name, _FILE, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file, _reasons():
            size = _check(os.fstat(descriptor))
            data = file.read(limit)
    return data, max(size, len(data))


def _status(place: Place) -> os.stat_result:
    if not place.parts:
        with _reasons():
            return os.lstat(place.root)  # noqa: PTH116
    with open_folder(place.folder) as folder, _reasons():
        return os.stat(place.name, dir_fd=folder, follow_symlinks=False)  # noqa: PTH116


def _check(info: os.stat_result) -> int:
    """Return the size of a file that may be read."""
    if stat.S_ISLNK(info.st_mode):
        raise ItemError("a link is in the way", code="link-in-the-way")
    if stat.S_ISDIR(info.st_mode):
        raise ItemError("it is a folder", code="is-a-folder")
    if not stat.S_ISREG(info.st_mode):
        raise ItemError("it is a pipe, socket or device", code="not-a-file")
    if info.st_size > MAX_FILE_BYTES:
        raise ItemError(
            f"{info.st_size / 1e6:,.1f} MB, above the limit of {MAX_FILE_BYTES / 1e6:,.1f} MB",
            code="too-large",
        )
    return info.st_size


@contextmanager
def _reasons() -> Iterator[None]:
    """Turn what the system says into an :class:`ItemError` with a stable code."""
    try:
        yield
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        if error.errno == errno.ENOENT:
            raise ItemError("it is not there (any more)", code="vanished") from error
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise ItemError("a link is in the way", code="link-in-the-way") from error
        raise ItemError(f"it cannot be read: {said}", code="unreadable") from error


def _below(real: str, root: str) -> Place | None:
    if real == root:
        return Place(root, ())
    prefix = root if root.endswith("/") else root + "/"
    if not real.startswith(prefix):
        return None
    return Place(root, tuple(real[len(prefix) :].split("/")))


def _exists(path: str) -> bool:
    try:
        os.lstat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ItemError(f"it cannot be read: {reason}", code="unreadable") from error
    return True


def _whole_characters(data: bytes) -> bytes:
    """Return ``data`` without the beginning of a UTF-8 sequence at its end.

    Half a character would make UTF-8 look like another encoding.
    """
    for length in range(1, min(4, len(data) + 1)):
        byte = data[-length]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            return data[:-length]
    return data


def _extracted(data: bytes, name: str) -> str:
    from irengine.sources.extract import ExtractionFailed, extract_text

    try:
        return extract_text(data, name).text
    except MissingExtra as error:
        raise ItemError(
            f"it is not text: {error.message}", hint=error.hint, code="binary"
        ) from error
    except ExtractionFailed as error:
        detail = f"its text cannot be extracted: {error}"
        raise ItemError(detail, code="extraction-failed") from error
