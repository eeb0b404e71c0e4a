"""Spans as cells: as wide as they should be, and what is cut says so."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from irtui.tui.screens.lines import spans_of
from irtui.tui.widgets.hits import HitList
from irtui.tui.widgets.painting import ROLES, strip_of

STYLES = {role: Style() for role in ("", *ROLES)}


@pytest.mark.parametrize(
    ("spans", "shown"),
    [
        ([("", "abcdef")], "abcdef"),
        ([("", "abcdefg")], "abcde…"),
        ([("", "abcd"), ("title", "ef")], "abcdef"),
        ([("", "abcdef"), ("title", "g")], "abcde…"),
        ([("", "abcde"), ("title", "fg")], "abcde…"),
        ([("", "abcdef  ")], "abcdef"),
        ([("", "abcdef"), ("title", "  ")], "abcdef"),
        ([("", "漢字漢字")], "漢字 …"),
        ([("", "ab")], "ab    "),
    ],
)
def test_what_is_cut_says_so(spans: list[tuple[str, str]], shown: str) -> None:
    assert strip_of(spans, STYLES, 6).text == shown


@given(
    st.lists(st.tuples(st.sampled_from(["", *ROLES]), st.text(max_size=12)), max_size=5),
    st.integers(1, 20),
)
def test_a_line_is_as_wide_as_it_should_be(spans: list[tuple[str, str]], width: int) -> None:
    strip = strip_of(spans, STYLES, width)
    assert strip.cell_length == width
    assert sum(segment.cell_length for segment in strip) == width


def _row(**more: Any) -> dict[str, Any]:
    return {"key": "a", "source": "notes", "score": 1.0, "snippet": "", "spans": [], **more}


def test_a_title_that_is_the_name_of_the_file_is_said_once() -> None:
    hits = HitList(picked=lambda _: False)
    for title, artifact, several, said in (
        ("plan", "garden/plan.md", False, "garden/plan.md:7"),
        ("Plan", "garden/plan.md", False, "Plan  garden/plan.md:7"),
        ("plan", "garden/plan.md", True, "garden/plan.md  notes:7"),
    ):
        row = _row(title=title, artifact_id=artifact, line=7)
        hits._keys, hits._rows, hits._several, hits._best = ["a"], {0: row}, several, 1.0
        head = "".join(text for _, text in hits._head(0, row, 40))
        assert head.endswith(said), head


def test_painted_lines_become_spans_and_nothing_else_does() -> None:
    assert spans_of("a \x1b[title]mB\x1b[0m") == [("", "a \x1b[title]mB\x1b[0m")]
    assert spans_of("a \x1b[titlemB\x1b[0m c") == [("", "a "), ("title", "B"), ("", " c")]
    assert spans_of("\x1b[nosuchmB\x1b[0m") == [("", "\x1b[nosuchmB\x1b[0m")]
