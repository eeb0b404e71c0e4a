"""Bringing the files of answers up to date before they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irtui.commands.context import Context

if TYPE_CHECKING:
    from irengine.index import BuildReport

__all__ = ["refreshed"]


def refreshed(context: Context, hits: Sequence[Mapping[str, Any]]) -> bool:
    """Update what the answers ``hits`` show of changed and vanished files.

    Returns whether anything is different now. A corpus that cannot be updated is left as it is,
    and that is said.
    """
    from irengine.errors import BuildCancelled, IrError

    outdated: dict[str, dict[str, None]] = {}
    for hit in hits:
        if hit["gone"] or hit["changed"]:
            outdated.setdefault(hit["source"], {})[hit["artifact_id"]] = None
    changed = False
    for name, items in outdated.items():
        try:
            report = _refresh(context, name, list(items))
        except BuildCancelled:
            raise
        except IrError as error:
            context.note(f"{name} is not refreshed: {error}")
            continue
        if report is not None and not report.nothing_changed:
            changed = True
            parts = ((report.changed, "changed"), (report.removed, "gone"), (report.added, "new"))
            said = ", ".join(f"{count} {word}" for count, word in parts if count)
            context.note(f"{name} is refreshed: {said}")
    return changed


def _refresh(context: Context, name: str, items: list[str]) -> BuildReport | None:
    from irengine.freshness import refresh
    from irengine.index import CancelToken

    token = CancelToken()
    context.on_cancel(token.cancel)
    try:
        return refresh(name, items, progress=context.progress, cancel=token)
    finally:
        context.on_cancel(None)
