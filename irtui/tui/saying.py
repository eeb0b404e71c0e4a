"""What the lines around a mode say of the corpora and of running jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtui.tui.widgets.bars import hint_here
from irtui.tui.widgets.painting import Span

if TYPE_CHECKING:
    from irtui.tui.app import IrApp

__all__ = ["corpora_said", "jobs_said"]


def corpora_said(app: IrApp) -> list[Span]:
    """Return names, a state in a word, counts."""
    names = app.searched
    if not app.looked:
        return [("muted", "opening …")]
    if not names:
        return [("due", "no corpus yet")]
    title = _shown_name(names[0]) if len(names) == 1 else f"{len(names)} corpora"
    told = [app.corpora_state.get(name, {}) for name in names]
    broken = [name for name, state in zip(names, told, strict=True) if "problem" in state]
    texts = sum(int(state.get("texts", 0)) for state in told)
    if app.indexing:
        return [("title", title), ("running", " indexing …")]
    if len(broken) == len(names):
        return [("title", title), ("failed", " ! not readable")]
    state: Span = ("due", f" ! {len(broken)} not readable") if broken else _said_of_built(told)
    return [("title", title), state, ("muted", f" {texts:,} passages")]


def _said_of_built(told: list[dict[str, Any]]) -> Span:
    """Return that all are ready, else which of them are in the worst state there is."""
    for word in ("source missing", "unfinished"):
        number = sum(1 for state in told if state.get("state") == word)
        if number:
            return ("due", f" ! {word}" if len(told) == 1 else f" ! {number} {word}")
    return ("ok", " ● ready")


def jobs_said(app: IrApp) -> list[Span]:
    """Return how far the newest running job is, how many others there are, and the key to them."""
    active = app.jobs.active
    if not active:
        return []
    job = active[-1]
    more = f" +{len(active) - 1}" if len(active) > 1 else ""
    minutes, seconds = divmod(int(job.seconds), 60)
    key = hint_here(app.screen, "app.jobs")
    return [("running", f"▶ {job.title} {job.says()} {minutes}:{seconds:02}{more} ({key})")]


def _shown_name(name: str) -> str:
    """Return what a corpus is called on the screen: what ``try`` made has a long name."""
    if not name.startswith("try-"):
        return name
    return f"{name.removeprefix('try-').rpartition('-')[0]} (tried)"
