"""``verify`` and ``forget``: keeping a corpus sound, and erasing from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from irtui.commands.context import Context
from irtui.commands.engine import about, check_built, open_built
from irtui.commands.registry import command
from irtui.commands.shapes import FORGOTTEN, VERIFIED
from irtui.commands.spec import Param, Result

if TYPE_CHECKING:
    from irengine.store import CorpusStore

__all__ = ["forget", "verify"]

_NAME = Param("name", "the corpus", "corpus", required=True)


@command(
    "verify",
    "compare everything a corpus stores with itself",
    _NAME,
    Param("repair", "rebuild what does not agree from what does", "flag", ("--repair",)),
    details="Exit status 1 means that something does not agree (and was not repaired).",
    output=VERIFIED,
    examples=("irtui verify notes", "irtui verify notes --repair"),
    effect="write",
)
def verify(context: Context, *, name: str, repair: bool) -> Result:
    """Check a corpus, repair it when asked to, and report what is wrong."""
    del context
    from irengine.store import CorpusStore

    check_built(name)
    with about(name):
        store = CorpusStore.local(name)  # opening the corpus would fail on what is to be mended
        report = store.repair() if repair else store.verify()
    data = report.to_dict()
    return Result({"name": name, **data}, view="verified", status=0 if report.ok else 1)


@command(
    "forget",
    "erase artifacts from a corpus, in every copy it keeps",
    _NAME,
    Param("ids", "which artifacts, as search shows them", required=True, many=True, metavar="ID"),
    effect="destroy",
    details=(
        "The text is erased from disk, not only hidden. An artifact that is still in the source "
        "comes back with the next build."
    ),
    output=FORGOTTEN,
    examples=("irtui forget notes drafts/secret.md",),
)
def forget(context: Context, *, name: str, ids: list[str]) -> Result:
    """Erase the named artifacts."""
    del context
    from irengine.base import ledger_key
    from irengine.errors import NoLedgerEntry, nearest

    with about(name):
        store = open_built(name).store
        known = set(store.snapshot().artifact_ids())
    for artifact_id in ids:
        if artifact_id not in known and not store.get_ledger_entry(ledger_key(artifact_id)):
            raise NoLedgerEntry(
                f"{name} holds no artifact {artifact_id!r}, so nothing was forgotten",
                hint=nearest(artifact_id, known),
            )
    notes = _coming_back(store, ids)
    data = {"name": name, "ids": ids, "forgotten": store.forget(ids)}
    return Result(data, view="forgotten", notes=notes)


def _coming_back(store: CorpusStore, ids: list[str]) -> tuple[str, ...]:
    """Say which of the artifacts the next build finds again: their files are where they were."""
    from irengine.freshness import IndexedFiles
    from irtui.commands.listing import unranked

    roots = [f"{root}{os.sep}" for root in store.get_config().get("roots") or () if root]
    snapshot, files = store.snapshot(), IndexedFiles(store)
    there = []
    for artifact_id in dict.fromkeys(ids):
        for position in snapshot.positions_of(artifact_id)[:1]:
            path = unranked(snapshot.record(position), "").pointer
            if not isinstance(path, str) or not path.startswith(tuple(roots)):
                continue
            if files.state(artifact_id, path) in ("fresh", "stale"):
                there.append(artifact_id)
    if not there:
        return ()
    which = there[0] if len(there) == 1 else f"{len(there):,} of the files"
    said = "is still on disk" if len(there) == 1 else "are still on disk"
    return (f"{which} {said}, so the next build brings {'it' if len(there) == 1 else 'them'} back",)
