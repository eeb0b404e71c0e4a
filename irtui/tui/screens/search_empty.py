"""What Search shows where hits would be: the first steps, recent searches, why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irtui.commands.facets import PLUMBING
from irtui.tui.widgets.bars import hint_here
from irtui.tui.widgets.painting import Span

if TYPE_CHECKING:
    from irtui.commands.kept import Kept
    from irtui.tui.app import IrApp

__all__ = ["empty_lines", "first_run_lines", "nothing_lines"]

_RECENT = 8


def empty_lines(app: IrApp, kept: Kept) -> list[list[Span]]:
    """Return what an empty query shows."""
    if app.indexing:
        return indexing_lines(app)
    if app.looked and not app.searched:
        return first_run_lines(app)
    if not app.looked:
        return [[("muted", "opening …")]]
    broken = [(n, s["problem"]) for n, s in app.corpora_state.items() if "problem" in s]
    lines: list[list[Span]] = []
    for name, problem in broken:
        lines.append([("failed", f"{name}: "), ("", problem["message"])])
        if problem["hint"]:
            lines.append([("muted", "try: "), ("", problem["hint"])])
    states = [s for s in app.corpora_state.values() if "texts" in s]
    if states:
        texts = sum(int(s["texts"]) for s in states)
        items = sum(int(s["items"]) for s in states)
        fields = sorted({field for s in states for field in s["fields"]} - PLUMBING)
        lines.append(
            [("title", "Type to search "), ("", f"{items:,} documents in {texts:,} passages")]
        )
        if fields:
            names = ", ".join(fields[:12]) + (" …" if len(fields) > 12 else "")
            lines.append([("muted", f"narrow by: {names}")])
    if kept.searches:
        lines += [[], [("heading", "Saved"), ("muted", "  B opens the list")]]
        lines += [
            [("", f"  {name}: "), ("muted", query)]
            for name, query in sorted(kept.searches.items())[:_RECENT]
        ]
    if kept.sets:
        names = ", ".join(f"{name} ({len(items)})" for name, items in sorted(kept.sets.items()))
        lines += [[], [("heading", "Selections"), ("muted", "  L takes one back")]]
        lines += [[("", f"  {names}")]]
    if kept.history:
        lines += [[], [("heading", "Recent"), ("muted", "  [ goes back to them")]]
        lines += [[("", f"  {query}")] for query in reversed(kept.history[-_RECENT:])]
    return lines


def first_run_lines(app: IrApp) -> list[list[Span]]:
    """Return what is shown while there is no corpus at all."""
    from irtui.commands.kept import kept_folder

    here = app.here
    return [
        [("title", "Nothing is indexed yet")],
        [],
        [("title", "  A  "), ("", f"index this folder: {here}")],
        [("title", "  P  "), ("", "choose another folder")],
        [("title", "  E  "), ("", "try the sample (a few notes, offline, some seconds)")],
        [],
        [("muted", "Nothing is downloaded or sent anywhere, and your files are only read.")],
        [("muted", f"Settings are kept in {kept_folder()}; ? shows all keys.")],
    ]


def indexing_lines(app: IrApp) -> list[list[Span]]:
    """Return what is shown in place of hits while there is no index yet."""
    job = app.jobs.active[-1]
    more = hint_here(app.screen, "app.jobs")
    typed = f"What you type is searched as soon as it is done; {more} shows more."
    return [
        [("title", "Indexing for the first time")],
        [("running", f"{job.title}: {job.says()}")],
        [("muted", job.tells())],
        [],
        [("", typed)],
    ]


def nothing_lines(query: str, steps: Sequence[tuple[str, int]] | None) -> list[list[Span]]:
    """Return why a query has no hits: what each of its conditions takes away."""
    lines: list[list[Span]] = [[("title", "No hits for "), ("", query)], []]
    if steps is None:
        return lines
    for removed, count in steps:
        role = "ok" if count else "muted"
        lines.append([("", f"  without {removed}: "), (role, f"{count:,} hits")])
    if any(count for _, count in steps):
        lines += [
            [],
            [
                ("title", "u"),
                ("", " takes the last filter away, "),
                ("title", "U"),
                ("", " all of them"),
            ],
        ]
    else:
        lines += [
            [
                ("", "  Other words may help, or "),
                ("title", "m"),
                ("", ": by meaning instead of by words."),
            ]
        ]
    return lines
