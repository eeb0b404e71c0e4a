"""Get the body of a hit: by its pointer from disk, from a store, or by a caller's function."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irengine.base import POINTER_KEYS
from irengine.errors import ItemError
from irengine.select.bundled import DFLT_MAX_BODY_CHARS, BundledFile, files_beside
from irengine.select.disclosing_corpora import Folders
from irengine.select.disclosing_files import Place, locate, read_text
from irengine.strategy.text import as_text

__all__ = [
    "DFLT_MAX_BODY_CHARS",
    "BodyLoader",
    "Payload",
    "ResourceStore",
    "from_disk",
    "from_loader",
    "from_store",
    "pointer_of",
]

BodyLoader = Callable[[Mapping[str, Any]], str | None]
"""``metadata -> body``, ``None`` for none."""

ResourceStore = Mapping[str, Any]
"""``pointer -> body``: any mapping, over a database, an object store, a web site."""

_SKILL_FILE = "SKILL.md"
_READMES = ("README.md", "README.rst", "README.txt")
_GONE = frozenset(("vanished", "unreadable"))


@dataclass(frozen=True, slots=True)
class Payload:
    """What was got: a body or not, files beside it, and what is to be said about either."""

    body: str | None = None
    note: str = ""
    detail: str = ""
    files: tuple[BundledFile, ...] = ()
    more_files: bool = False


def pointer_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the first pointer that is non-empty text."""
    values = (metadata.get(key) for key in POINTER_KEYS)
    return next((value for value in values if isinstance(value, str) and value), None)


def from_loader(loader: BodyLoader, metadata: Mapping[str, Any], pointer: str | None) -> Payload:
    """Ask a caller's function; what it raises is the caller's."""
    body: Any = loader(dict(metadata))
    if body is None:
        return _unreadable("the loader returned None") if pointer else Payload()
    return Payload(as_text(body))


def from_store(store: ResourceStore, pointer: str | None) -> Payload:
    """Look the pointer up; a store that fails is one that has nothing."""
    if pointer is None:
        return Payload()
    try:
        body = store.get(pointer)
    except Exception as error:  # noqa: BLE001 - any backend may be behind a store
        return _unreadable(f"the store failed: {type(error).__name__}: {error}")
    if body is None:
        return _unreadable("the store has nothing under it")
    return _cut(as_text(body))


def from_disk(
    metadata: Mapping[str, Any],
    pointer: str | None,
    folders: Folders | None,
    *,
    bundled: bool,
) -> Payload:
    """Read the pointer's file, or the README of its folder; never raises, never waits.

    ``folders`` are those of the hit's corpus; ``None`` stands for a hit from no corpus, whose
    pointer may lead to what is in its own folder.
    """
    if pointer is None:
        return Payload()
    try:
        roots = _allowed(metadata, pointer, folders)
        place = locate(pointer, roots)
        is_folder = place.is_folder()
    except ItemError as error:
        return _refused(error)
    body_name = place.name
    try:
        if is_folder:
            found = _folder_body(metadata, place, roots)
            body_name, payload = found if found else ("", _without_readme())
        else:
            payload = _cut(*read_text(place, DFLT_MAX_BODY_CHARS))
    except ItemError as error:
        payload = _refused(error)
    if not bundled:
        return payload
    skill = _is_skill(metadata, pointer)
    try:
        files, more = files_beside(
            place if is_folder else place.folder,
            roots,
            deep=is_folder or skill,
            without=body_name,
            apart=_SKILL_FILE if skill else "",
        )
    except ItemError as error:
        return payload if payload.note else Payload(payload.body, *_note_of(error))
    return Payload(payload.body, payload.note, payload.detail, tuple(files), more)


def _allowed(metadata: Mapping[str, Any], pointer: str, folders: Folders | None) -> tuple[str, ...]:
    """Return the folders this pointer may lead into.

    A corpus of records has no folders, yet a skill among them has: the one its ``SKILL.md`` is
    in. Nothing else that records point at is theirs to show.
    """
    roots, records = folders or ((), True)
    own = folders is None or (
        _is_skill(metadata, pointer) and os.path.basename(pointer).lower() == _SKILL_FILE.lower()  # noqa: PTH119
    )
    if not (records and own) or "\0" in pointer:
        return roots
    if os.pardir in Path(pointer).parts:
        raise ItemError("it climbs out of its folder with '..'", code="outside-roots")
    try:
        around = os.path.realpath(os.path.dirname(os.path.abspath(pointer)))  # noqa: PTH100, PTH120
        place = locate(os.path.abspath(pointer), (around,))  # noqa: PTH100
        return (*roots, place.path if place.is_folder() else around)
    except UnicodeEncodeError as error:
        raise ItemError("the pointer is no path", code="bad-pointer") from error


def _is_skill(metadata: Mapping[str, Any], pointer: str) -> bool:
    return bool(metadata.get(POINTER_KEYS[0]) == pointer)


def _folder_body(
    metadata: Mapping[str, Any], place: Place, roots: tuple[str, ...]
) -> tuple[str, Payload] | None:
    """Return the name and the text of the first file of a folder that introduces it."""
    skill = metadata.get(POINTER_KEYS[0])
    for name in (_SKILL_FILE, *_READMES) if skill else _READMES:
        try:
            inner = locate(os.path.join(place.path, name), roots)  # noqa: PTH118
            return name, _cut(*read_text(inner, DFLT_MAX_BODY_CHARS))
        except ItemError as error:
            if error.code not in ("vanished", "is-a-folder"):
                raise
    return None


def _cut(text: str, cut: bool = False) -> Payload:
    if cut or len(text) > DFLT_MAX_BODY_CHARS:
        detail = f"the first {DFLT_MAX_BODY_CHARS:,} characters"
        return Payload(text[:DFLT_MAX_BODY_CHARS], "body_truncated", detail)
    return Payload(text)


def _without_readme() -> Payload:
    return Payload(None, "no_readme", f"the folder has none of {', '.join(_READMES)}")


def _unreadable(detail: str) -> Payload:
    return Payload(None, "pointer_unreadable", detail)


def _refused(error: ItemError) -> Payload:
    return Payload(None, *_note_of(error))


def _note_of(error: ItemError) -> tuple[str, str]:
    note = "pointer_unreadable" if error.code in _GONE else "pointer_refused"
    return note, f"{error.message} ({error.hint})" if error.hint else error.message
