"""``watch``: keep corpora up to date while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context
from irtui.commands.registry import command
from irtui.commands.shapes import WATCHED
from irtui.commands.spec import Param, Result

if TYPE_CHECKING:
    from irengine.watch import WatchEvent

__all__ = ["watch"]


@command(
    "watch",
    "keep corpora up to date as their files change, until it is stopped",
    Param(
        "names",
        "which corpora (default: every registered one of files that is indexed on change)",
        "corpus",
        many=True,
    ),
    effect="write",
    details=(
        "Each corpus is brought up to date first. Then every change is indexed within about a "
        "second, and said on standard error. Ctrl-C ends it; the sums are shown then."
    ),
    output=WATCHED,
    examples=("irtui watch", "irtui watch notes"),
    cancellable=True,
)
def watch(context: Context, *, names: list[str]) -> Result:
    """Watch the named corpora, or all that are indexed when their files change."""
    from irengine.watch import Watcher

    sums: dict[str, dict[str, Any]] = {}

    def on_event(event: WatchEvent) -> None:
        if event.error is not None:
            context.note(f"{event.name} is not updated: {event.error}")
            return
        if event.report is None:
            return
        row = sums.setdefault(event.name, _no_updates(event.name))
        row["updates"] += 1
        said = []
        for word in ("added", "changed", "removed"):
            count = getattr(event.report, word)
            row[word] += count
            if count:
                said.append(f"{count:,} {word}")
        context.note(f"{event.name}: {', '.join(said)} in {event.seconds:.1f} s")

    def on_watch(name: str) -> None:
        context.note(f"watching {name}: {_indexed(name)}")

    watcher = Watcher(names or None, on_event=on_event, on_watch=on_watch)
    context.on_cancel(watcher.stop)
    try:
        watcher.run()
    finally:
        context.on_cancel(None)
    return Result([sums[name] for name in sorted(sums)], view="watched")


def _indexed(name: str) -> str:
    """Return how much of a corpus is there to begin with."""
    from irengine.errors import IrError
    from irtui.commands.engine import open_built

    try:
        items = open_built(name).store.snapshot().n_artifacts
    except IrError:
        return "not built yet, so all of it is indexed first"
    return f"{items:,} item{'' if items == 1 else 's'} indexed so far"


def _no_updates(name: str) -> dict[str, Any]:
    return {"name": name, "updates": 0, "added": 0, "changed": 0, "removed": 0}
