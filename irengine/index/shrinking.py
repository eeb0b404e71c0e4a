"""The guard against emptying a corpus because its source was not whole."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from irengine.errors import ShrinkRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from irengine.sources import CorpusSource

__all__ = [
    "kept",
    "refuse",
    "refuse_early",
    "refuse_narrower",
    "settings_to_keep",
    "too_many",
    "unmoved",
]

_FLOOR = 20
_SEVERAL = {"several": True}
"""The selection of a corpus that builds with different ones have added to."""


def too_many(gone: int, total: int) -> bool:
    """Whether removing ``gone`` of ``total`` artifacts needs a second thought."""
    return gone >= _FLOOR and gone * 3 > total


def refuse(name: str, count: int, total: int) -> NoReturn:
    """Refuse to remove ``count`` of the ``total`` artifacts of a corpus.

    Raises:
        ShrinkRefused: always.
    """
    raise ShrinkRefused(
        f"{count} of the {total} artifacts of corpus {name!r} are gone from "
        "its source; nothing was removed",
        hint="check that the source is whole (a disk not mounted, a changed pattern?), then "
        "pass --allow-shrink (allow_shrink=True) to remove them",
    )


def kept(source: CorpusSource, artifact_id: str) -> bool:
    """Whether an unlisted artifact stays: its scope says that it exists, or may exist."""
    keeps = getattr(source.scope, "keeps", None)
    return keeps is not None and bool(keeps(artifact_id))


def refuse_early(
    source: CorpusSource,
    settings: Mapping[str, Any],
    entries: Collection[Mapping[str, Any]],
    present: set[str],
    vanished: set[str],
) -> None:
    """Refuse, before anything is read, what would be refused in the end.

    ``entries`` are those of the ledger, ``present`` the ids of the source, ``vanished`` those that
    would be removed. What is there under another name was moved, maybe by a build that had to end
    before it removed the old one; what is new may be something moved.

    Raises:
        ShrinkRefused: too much would be removed, or files that are still there.
    """
    if not vanished:
        return
    gone = unmoved(entries, vanished, present)
    new = len(present.difference(str(entry["artifact_id"]) for entry in entries))
    if too_many(gone - new, len(entries)) or (not present and len(vanished) > 1):
        refuse(source.name, gone, len(entries))
    refuse_narrower(source, settings, vanished)


def unmoved(
    entries: Collection[Mapping[str, Any]],
    vanished: Collection[str],
    present: Container[str],
    versions: Iterable[str] = (),
) -> int:
    """Return how many entries of a ledger are of ``vanished`` artifacts and stand nowhere else.

    Their version is neither that of an artifact among ``present`` nor one of ``versions``.
    """
    if not vanished:
        return 0
    there = {*versions, *(str(e["version"]) for e in entries if e["artifact_id"] in present)}
    return sum(1 for e in entries if e["artifact_id"] in vanished and e["version"] not in there)


def settings_to_keep(
    source: CorpusSource, settings: Mapping[str, Any], *, full: bool
) -> dict[str, Any]:
    """Return ``settings`` with the name, roots and selection of files that a build notes."""
    now, before = _selection(source), settings.get("selection")
    noted = {
        **settings,
        "name": source.name,
        "roots": [str(root) for root in getattr(source.scope, "roots", ())],
    }
    if now is not None:
        noted["selection"] = now if full or before in (None, now) else _SEVERAL
    return noted


def refuse_narrower(
    source: CorpusSource, settings: Mapping[str, Any], vanished: Iterable[str]
) -> None:
    """Refuse to remove files that are still there because they are not selected any more.

    Two definitions under one name (``from_files`` takes Markdown, ``irtui register`` other text
    files too) would else remove each other's files in turn.

    Raises:
        ShrinkRefused: the corpus was built with another selection, which took such files.
    """
    now, before = _selection(source), settings.get("selection")
    if now is None or not isinstance(before, dict) or now == before:
        return
    roots = [Path(root) for root in getattr(source.scope, "roots", ())]
    there = sorted(item for item in vanished if any((root / item).is_file() for root in roots))
    if not there:
        return
    others = {key: value for key, value in before.items() if now.get(key) != value}
    if before == _SEVERAL:
        other = "It was built with several selections of files"
    else:
        said = ", ".join(f"{key} {value!r}" for key, value in sorted(others.items()))
        other = f"It was built with {said}"
    count = "1 file" if len(there) == 1 else f"{len(there):,} files"
    raise ShrinkRefused(
        f"corpus {source.name!r} holds {count} still in its folder but not selected now "
        f"({there[0]!r}); nothing was removed. {other}",
        hint="give the source the same options or another name; "
        "--allow-shrink (allow_shrink=True) removes these files from the corpus",
    )


def _selection(source: CorpusSource) -> dict[str, Any] | None:
    selection = getattr(source.scope, "selection", None)
    return None if selection is None else selection()
