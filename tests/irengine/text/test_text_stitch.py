"""Pieces of a text become one text again, with every repeated stretch once, in linear time."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irengine.base import Record
from irengine.strategy import Chunked
from irengine.text.stitch import line_ranges, shared_overlap, stitch


def piece(index: int, text: str, kind: str = "chunk", **metadata: Any) -> Record:
    return Record(f"{kind}{index}", "a", kind, index, text, None, metadata)  # type: ignore[arg-type]


def stitched(*texts: str) -> str:
    return stitch(piece(index, text) for index, text in enumerate(texts))


def longest_by_trying(left: str, right: str) -> int:
    lengths = range(min(len(left), len(right)), 0, -1)
    return next((n for n in lengths if left.endswith(right[:n])), 0)


# -- the overlap ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "shared"),
    [
        ("abc", "cde", 1),
        ("abc", "xyz", 0),
        ("abc", "abc", 3),
        ("xabc", "abc", 3),
        ("abc", "abcx", 3),
        ("", "abc", 0),
        ("abc", "", 0),
        ("aab", "ab", 2),
        ("aaab", "aab", 3),
        ("ababab", "abababab", 6),
        ("xaabaaa", "aabaaaab", 6),
    ],
)
def test_the_longest_end_that_is_also_a_beginning(left, right, shared):
    assert shared_overlap(left, right) == shared


@settings(deadline=None)
@given(st.text("ab", max_size=40), st.text("ab", max_size=40), st.integers(1, 9))
def test_it_is_what_trying_every_length_finds(left, right, least):
    longest = longest_by_trying(left, right)
    assert shared_overlap(left, right, least=least) == (longest if longest >= least else 0)


def test_even_the_worst_texts_take_linear_time():
    # Almost periodic: every place looks like a beginning and fails at its end.
    def seconds(length: int) -> float:
        left, right = "a" * length + "c", "a" * length + "b"
        begun = time.process_time()
        assert shared_overlap(left, right, least=8) == 0
        return time.process_time() - begun

    seconds(10_000)
    assert seconds(400_000) < 5  # a quadratic search takes minutes


# -- stitching --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "whole"),
    [
        (("x 1234567", "1234567 y"), "x 1234567\n\n1234567 y"),
        (("x 12345678", "12345678 y"), "x 12345678 y"),
        (("12345678", "12345678"), "12345678"),
        (("AAAA", "HELLOWORLD", "A\n\nHELLOWORLDXYZ"), "AAAA\n\nHELLOWORLD\n\nA\n\nHELLOWORLDXYZ"),
        (("only",), "only"),
        ((), ""),
    ],
)
def test_neighbours_share_at_least_eight_characters_or_nothing(texts, whole):
    assert stitched(*texts) == whole


def test_only_neighbours_of_one_kind_overlap():
    far = [piece(0, "x 12345678"), piece(2, "12345678 y")]
    assert stitch(far) == "x 12345678\n\n12345678 y"
    other = [piece(0, "x 12345678", "description"), piece(1, "12345678 y")]
    assert stitch(other) == "x 12345678\n\n12345678 y"


def test_offsets_make_the_seam_exact():
    assert stitch([piece(0, "one two", char_start=0), piece(1, "two three", char_start=4)]) == (
        "one two three"
    )
    touching = [piece(0, "abcdefgh", char_start=0), piece(1, "abcdefgh!", char_start=8)]
    assert stitch(touching) == "abcdefghabcdefgh!"


def test_a_piece_inside_the_one_before_adds_nothing():
    pieces = [
        piece(0, "one two three four", char_start=0),
        piece(1, "two", char_start=4),
        piece(2, "three four five", char_start=8),
    ]
    assert stitch(pieces) == "one two three four five"


@pytest.mark.parametrize(
    ("lines", "width", "between"),
    [((1, 1), 1, " "), ((1, 2), 1, "\n"), ((1, 3), 2, "\n\n"), ((1, 9), 8, "\n\n")],
)
def test_white_space_between_pieces_comes_back_as_line_breaks(lines, width, between):
    pieces = [
        piece(0, "one.", char_start=0, line_start=1, line_end=lines[0]),
        piece(1, "Two.", char_start=4 + width, line_start=lines[1], line_end=lines[1]),
    ]
    assert stitch(pieces) == f"one.{between}Two."


@pytest.mark.parametrize("start", [3, 900, -1, True, "4", None])
def test_offsets_the_texts_do_not_bear_out_are_not_believed(start):
    pieces = [piece(0, "x 12345678", char_start=0), piece(1, "12345678 y", char_start=start)]
    assert stitch(pieces) == "x 12345678 y"


PARAGRAPH = st.lists(st.sampled_from(["bees", "hum", "# Hive", "a.", "honey\n", "\n\n", "é"]))


@settings(deadline=None)
@given(PARAGRAPH.map(" ".join), st.integers(1, 60), st.integers(0, 40))
def test_stitching_what_was_chunked_gives_the_text_back(text, fresh, overlap):
    plan = Chunked(chunk_size=overlap + fresh, overlap=overlap).decompose("a", text)
    pieces = [
        piece(index, surface.text, surface.kind, **surface.metadata)
        for index, surface in enumerate(plan.surfaces)
    ]
    assert stitch(pieces).split() == text.split()


@settings(deadline=None)
@given(st.lists(st.text("ab \n", min_size=1, max_size=30), max_size=6))
def test_nothing_is_lost_or_made_up(texts):
    whole = stitched(*texts)
    assert all(text in whole for text in texts[:1])
    assert len(whole) <= len("\n\n".join(texts))
    assert set(whole) <= set("".join(texts)) | {"\n"}
    if texts:
        assert whole.endswith(texts[-1]) or texts[-1] in "".join(texts[-2:-1])


# -- lines ------------------------------------------------------------------------------------


def test_lines_of_neighbours_are_one_range():
    pieces = [
        piece(0, "x", "description"),
        piece(1, "x", line_start=1, line_end=4),
        piece(2, "x", line_start=4, line_end=6),
        piece(3, "x", line_start=7, line_end=7),
        piece(5, "x", line_start=20, line_end=22),
        piece(6, "x", "other", line_start=21, line_end=23),
    ]
    assert line_ranges(pieces) == ((1, 7), (20, 22), (21, 23))


def test_pieces_that_do_not_know_their_lines_have_none():
    assert line_ranges([piece(0, "x"), piece(1, "x", line_start="1", line_end=2)]) == ()
