"""How far a job is, from what its process tells."""

from __future__ import annotations

from typing import Any

import pytest

from irtui.tui.jobs import Job, JobCentre


def told(*events: tuple[str, int, int | None], seconds: float = 10.0) -> Job:
    """Return a job after events of phase, done and total, and so many seconds."""
    job = Job(1, ("build", "notes"), "build notes", began=0.0)
    job.ended = seconds
    centre = JobCentre(lambda _: None)
    for phase, done, total in events:
        event: dict[str, Any] = {"event": "progress", "phase": phase, "done": done, "total": total}
        centre._hear(job, event)
    return job


@pytest.mark.parametrize(
    ("events", "says", "tells"),
    [
        ([], "running", "10 s"),
        ([("scan", 0, None)], "listing", "10 s"),
        ([("plan", 1, 100)], "reading 1 %", "1 of 100 documents read · 10 s"),
        (
            [("plan", 50, 100), ("embed", 1_234, None)],
            "embedding 50 %",
            "50 of 100 documents read · 1,234 passages embedded · 10 s · about 10 s left",
        ),
        (
            [("plan", 100, 100), ("embed", 64, None)],
            "embedding 64",
            "100 of 100 documents read · 64 passages embedded · 10 s",
        ),
        ([("plan", 100, 100), ("prune", 1, 4)], "removing 1", "100 of 100 documents read · 10 s"),
        ([("plan", 90, 90), ("plan", 1, 2)], "reading 50 %", "1 of 2 documents read · 10 s · "),
        ([("search", 30, 60)], "search 50 %", "30 of 60 · 10 s · about 10 s left"),
    ],
)
def test_progress_in_words(
    events: list[tuple[str, int, int | None]], says: str, tells: str
) -> None:
    job = told(*events)
    assert job.says() == says
    assert job.tells().startswith(tells)
