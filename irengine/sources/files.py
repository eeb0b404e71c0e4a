"""A folder tree as a scope: every file an item, listed by a walk and read on demand."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
import unicodedata
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from irengine.checks import flag, members, whole_number
from irengine.errors import ParameterError, ParameterTypeError
from irengine.sources.decode import BinaryContent, decode_text
from irengine.sources.document import extension_of, extracted_document, parse_document
from irengine.sources.extract import (
    DOCUMENT_EXTENSIONS,
    Extracted,
    ExtractionFailed,
    extract_text,
    require_extractor,
)
from irengine.sources.ignore import DFLT_EXCLUDE_DIRS, IGNORE_FILES, exclusion
from irengine.sources.scope import ListedScope
from irengine.sources.walk import (
    Found,
    Walked,
    WalkRules,
    absolute_root,
    check_root,
    readable_path,
    walk,
)

__all__ = [
    "DFLT_MAX_BYTES",
    "DFLT_PATTERN",
    "TEXT_PATTERN",
    "FileScope",
    "compiled_pattern",
    "file_mark",
    "on_disk",
]

DFLT_PATTERN = r".*\.md$"
"""The files a folder corpus lists unless told otherwise: Markdown."""

TEXT_PATTERN = r"(?i)\.(md|markdown|mdown|mkd|mdx|qmd|rmd|txt|text|rst|org|adoc|asciidoc)$"
"""Markdown and plain-text notes by every usual extension."""

DFLT_MAX_BYTES = 20_000_000
"""Files above this size are skipped, unless the source is given another limit."""

_READER = "2"  # part of every fingerprint: raise it when the same file is to be read differently
_TICK = 20_000_000  # nanoseconds within which two writes may carry the same time stamp
_SPELLED = re.compile(rb"\\x([89a-f][0-9a-f])")


class FileScope(ListedScope[Found]):
    """The files below ``root`` that match ``pattern``: id to ``{"text", "title", ...}``.

    Ids are POSIX paths relative to ``root``, in NFC, in sorted order. A raw item holds ``text``
    (the body below the frontmatter), ``title``, ``line_offset`` (lines above the body),
    ``frontmatter`` (typed fields), ``path`` (absolute) and ``filename``.

    Args:
        root: the folder; a relative one is taken from the present working directory, once.
        pattern: a regular expression searched in the id.
        exclude: see :func:`irengine.sources.ignore.exclusion`.
        exclude_dirs: folder names never entered.
        follow_links: whether links lead to folders and out of the root.
        hidden: whether names that start with a dot are listed, or which of them.
        gitignore: whether ignore files are honoured.
        ignore_files: their names, weakest first within a folder.
        max_bytes: files above this size are skipped.
        extract: whether PDF, HTML and Office files are listed too, whatever the pattern.

    Raises:
        SourceError: when the root is missing, a file, or cannot be listed.
        ParameterError: for a pattern or an option that makes no sense.
        MissingExtra: with ``extract`` when the extra is not installed.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        pattern: str | re.Pattern[str] = DFLT_PATTERN,
        exclude: Any = None,
        exclude_dirs: Collection[str] | None = None,
        follow_links: bool = False,
        hidden: bool | Collection[str] = False,
        gitignore: bool = True,
        ignore_files: Collection[str] = IGNORE_FILES,
        max_bytes: int = DFLT_MAX_BYTES,
        extract: bool = False,
    ) -> None:
        path = absolute_root(root)
        check_root(path)
        super().__init__((path,))
        if flag("extract", extract):
            require_extractor()
        self.max_bytes = whole_number("max_bytes", max_bytes, least=1)
        self.extract = extract
        self.pattern = compiled_pattern(pattern)
        self.rules = WalkRules(
            wanted=self._wants,
            excluded=exclusion(exclude),
            exclude_dirs=_names("exclude_dirs", exclude_dirs, DFLT_EXCLUDE_DIRS),
            hidden=hidden if isinstance(hidden, bool) else _dotted_names(hidden),
            ignore_files=tuple(_names("ignore_files", ignore_files, ()))
            if flag("gitignore", gitignore)
            else (),
            follow_links=flag("follow_links", follow_links),
        )
        self._lost: tuple[str, ...] = ()
        self._listed_at = 0
        self._digest = ("", "")

    # -- listing ----------------------------------------------------------------------------

    def _list(self) -> dict[str, Found]:
        """Walk anew and return the files by id."""
        check_root(self.roots[0])
        listed_at = time.time_ns()
        walked = self._walk()
        for item, reason, detail in walked.skipped:
            self._skip(item, reason, detail)
        files: dict[str, Found] = {}
        for item, file in walked.files.items():
            if file.size == 0:
                self._skip(item, "empty", "the file is empty")
            elif file.size > self.max_bytes:
                self._skip(item, "too-large", self._too_large(file.size))
            else:
                files[item] = file
        if not files:
            self._note("", "no-files", self._why_none(walked))
        if walked.hidden:
            names = "1 name starts" if walked.hidden == 1 else f"{walked.hidden:,} names start"
            self._note(".*", "hidden", f"{names} with a dot: left out (hidden=True lists them)")
        self._lost, self._listed_at = tuple(walked.lost), listed_at
        return files

    def _walk(self) -> Walked:
        return walk(self.roots[0], self.rules)

    def _wants(self, item: str) -> bool:
        if self.pattern.search(item) is not None:
            return True
        return self.extract and extension_of(item) in DOCUMENT_EXTENSIONS

    def _why_none(self, walked: Walked) -> str:
        root = self.roots[0]
        if walked.empty:
            return f"the folder {root} is empty"
        reasons = [f"{walked.seen} files seen"]
        if walked.hidden:
            reasons.append(f"{walked.hidden} names start with a dot")
        if walked.ignored:
            reasons.append(f"{walked.ignored} ignored or excluded")
        if self._skipped:
            reasons.append(f"{len(self._skipped)} skipped")
        return (
            f"no file below {root} is left to index: {', '.join(reasons)}, "
            f"pattern {self.pattern.pattern}"
        )

    # -- one item ---------------------------------------------------------------------------

    def path(self, artifact_id: str) -> Path:
        """Return the absolute path of an item.

        Raises:
            UnknownItem: when it is not listed.
        """
        return Path(self._entry(artifact_id).path)

    def fingerprint(self, artifact_id: str) -> str | None:
        """Return a token of the file's times, size and inode, as of the last listing.

        ``None`` for an id that is not listed, and for a file written so shortly before the
        listing that another write could carry the same time.
        """
        found = self._listing().get(artifact_id)
        if found is None:
            return None
        newest = max(found.mtime_ns, found.ctime_ns)
        coarse = found.mtime_ns % 1_000_000_000 == 0 == found.ctime_ns % 1_000_000_000
        if newest > self._listed_at - (2_000_000_000 if coarse else _TICK):
            return None
        return file_mark(found)

    def digest(self, artifact_id: str) -> str | None:
        """Return the SHA-256 of the file's bytes when it is the one that was read last."""
        item, digest = self._digest
        return digest if item == artifact_id else None

    def selection(self) -> dict[str, Any] | None:
        """Return the options that say which files are taken, ``exclude`` excepted."""
        rules = self.rules
        hidden = rules.hidden if isinstance(rules.hidden, bool) else sorted(rules.hidden)
        return {
            "pattern": self.pattern.pattern,
            "extract": self.extract,
            "max_bytes": self.max_bytes,
            "hidden": hidden,
            "ignore_files": list(rules.ignore_files),
            "exclude_dirs": sorted(rules.exclude_dirs),
            "follow_links": rules.follow_links,
        }

    def keeps(self, artifact_id: str) -> bool:
        """Return whether an unlisted file may exist: in a folder that cannot be read, or closed."""
        skipped = self._skipped.get(artifact_id)
        if skipped is not None and skipped.reason == "unreadable":
            return True
        return any(artifact_id.startswith(prefix) for prefix in self._lost)

    def __getitem__(self, artifact_id: str) -> dict[str, Any]:
        found = self._entry(artifact_id)
        data = self._read(artifact_id, found)
        self._digest = artifact_id, hashlib.sha256(data).hexdigest()
        path = readable_path(found.path)
        place, filename = os.path.split(path)
        filename = unicodedata.normalize("NFC", filename)
        if path != found.path:
            self._note(artifact_id, "undecodable-name", "its file name is not valid UTF-8")
        if self.extract and extension_of(filename) in DOCUMENT_EXTENSIONS:
            text, title = self._extracted(artifact_id, data, filename)
            document = extracted_document(text, title, filename)
        else:
            text = self._decoded(artifact_id, data, filename)
            document = parse_document(text, filename, folder=place.rpartition("/")[2])
        for reason, detail in document.notes:
            self._note(artifact_id, reason, detail)
        return document.raw(path, filename)

    def _read(self, artifact_id: str, found: Found) -> bytes:
        """Return the bytes of a file that still is one, without ever blocking on a pipe."""
        try:
            with open(found.path, "rb", opener=_open_at_once) as file:  # noqa: PTH123
                info = os.fstat(file.fileno())
                if not stat.S_ISREG(info.st_mode):
                    raise self._fail(artifact_id, "not-a-file", "it is no regular file any more")
                if info.st_size > self.max_bytes:
                    raise self._fail(artifact_id, "too-large", self._too_large(info.st_size))
                return file.read(info.st_size + 1)
        except FileNotFoundError as error:
            raise self._fail(artifact_id, "vanished", "it was removed") from error
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise self._fail(artifact_id, "unreadable", f"it cannot be read: {reason}") from error

    def _decoded(self, artifact_id: str, data: bytes, filename: str) -> str:
        try:
            decoded = decode_text(data)
        except BinaryContent as error:
            hint = ""
            if extension_of(filename) in DOCUMENT_EXTENSIONS:
                hint = "extract=True (--extract) gets the text out of documents"
            raise self._fail(
                artifact_id, "binary", f"it is not text: {error}", hint=hint
            ) from error
        if decoded.lossy:
            self._note(
                artifact_id, "undecodable-bytes", f"some bytes are no valid {decoded.encoding}"
            )
        return decoded.text

    def _extracted(self, artifact_id: str, data: bytes, filename: str) -> Extracted:
        try:
            found = extract_text(data, filename)
        except ExtractionFailed as error:
            detail = f"its text cannot be extracted: {error}"
            raise self._fail(artifact_id, "extraction-failed", detail) from error
        if not found.text.strip():
            raise self._fail(
                artifact_id,
                "no-text",
                "no text is in it",
                hint="a scan needs text recognition (OCR) first",
            )
        return found

    def _too_large(self, size: int) -> str:
        return (
            f"{size / 1e6:,.1f} MB, above the limit of {self.max_bytes / 1e6:,.1f} MB (max_bytes)"
        )


def file_mark(found: Found) -> str:
    """Return a token of a file's path, times, size and inode, and of how files are read."""
    place = zlib.crc32(os.fsencode(found.path))
    return (
        f"{_READER}-{place:08x}-{found.mtime_ns:x}-{found.ctime_ns:x}"
        f"-{found.size:x}-{found.inode:x}"
    )


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def compiled_pattern(pattern: Any) -> re.Pattern[str]:
    """Return ``pattern`` compiled, when it is not yet.

    Raises:
        ParameterError: when it is no regular expression.
    """
    if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
        return pattern
    if not isinstance(pattern, str):
        raise ParameterTypeError(
            f"pattern must be a regular expression, not {type(pattern).__name__}"
        )
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ParameterError(
            f"pattern {pattern!r} is not a regular expression: {error}",
            hint=r"every Markdown file is \.md$",
        ) from error


def _names(option: str, value: Any, default: Collection[str]) -> Collection[str]:
    if value is None:
        return default
    return members(option, [value] if isinstance(value, str) else value, str, "names")


def _dotted_names(hidden: Any) -> Collection[str]:
    names = _names("hidden", hidden, ())
    for name in names:
        if not name.startswith("."):
            raise ParameterError(
                f"hidden is true, false, or names that start with a dot, not {name!r:.60}",
                hint='for example [".github"]',
            )
    return names


def on_disk(path: str) -> str:
    """Return the path of a file whose stored path may spell bytes that are no UTF-8 as ``\\xNN``.

    A file that is called just so comes first; where there is neither, ``path`` as it is.
    """
    if "\\x" not in path or os.path.lexists(path):  # noqa: PTH110 - one call, no object
        return path
    raw = _SPELLED.sub(lambda found: bytes([int(found[1], 16)]), os.fsencode(path))
    spelled = os.fsdecode(raw)
    return spelled if os.path.lexists(spelled) else path  # noqa: PTH110
