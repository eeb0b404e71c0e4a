"""What maintenance did, for people."""

import pytest

from irengine.maintenance import MaintenanceResult
from irtui.render.look import Look, paint
from irtui.render.maintained import maintained_view


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            MaintenanceResult(
                "notes", True, "reindexed: forced", outcome="done", added=1200, seconds=3.25
            ),
            "notes: done: 1,200 added, 0 changed, 0 removed, 0 unchanged · 3.2 s",
        ),
        (
            MaintenanceResult(
                "s", True, "", synopsis=True, outcome="done", skipped=3, item_errors=1, waiting=True
            ),
            "s: done: 0 added, 0 changed, 0 removed, 0 unchanged, 3 skipped, 1 unreadable, "
            "synopses wait for a model · 0.0 s",
        ),
        (
            MaintenanceResult("t", False, "not due (interval)", next="2026-06-11T04:00:00+00:00"),
            "t: skipped: not due (interval), next 2026-06-11 04:00 UTC",
        ),
        (
            MaintenanceResult(
                "b\x1b[2J", False, "error: no\nanswer", error="E: x", outcome="failed", hint="wait"
            ),
            "b␛[2J: failed: no answer (wait)",
        ),
        (
            MaintenanceResult("l", False, "locked: by process 7", outcome="locked"),
            "l: locked: by process 7",
        ),
    ],
)
def test_one_line_a_corpus(result, text):
    shown = paint(maintained_view([result.to_dict()], {}, Look()), Look())
    assert shown == text + "\n"


def test_colours_only_where_they_can_be_shown():
    result = MaintenanceResult("notes", False, "not due (manual)").to_dict()
    assert "\x1b[" in paint(maintained_view([result], {}, Look(color=True)), Look(color=True))
