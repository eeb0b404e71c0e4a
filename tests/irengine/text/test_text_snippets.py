"""Highlights are exact spans of the original text; snippets show the best windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irengine.errors import ParameterError
from irengine.text import highlight, match_spans

FILLER = "lorem ipsum dolor sit amet consectetur "


def shown(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in match_spans(text, query)]


@pytest.mark.parametrize(
    ("text", "query", "matches"),
    [
        ("Running agents", "agent runs", ["Running", "agents"]),
        ("Le Châtelier's principle", "chatelier", ["Châtelier's"]),
        ("Le Cha\u0302telier", "chatelier", ["Cha\u0302telier"]),
        ("call fetchUrl now", "url", ["Url"]),
        ("call fetchUrl now", "fetchurl", ["fetchUrl"]),
        ("see src/store.ts!", "store.ts", ["store.ts"]),
        ("`ssh -T git@github.com`", "ssh -T git", ["ssh", "T", "git"]),
        ("中文合約轉換體驗課問題", "轉換", ["轉換"]),
        ("中文合約轉換體驗課問題", "中文合約", ["中文合約"]),
        ("水を飲む", "水", ["水"]),
        ("كُتَّاَبْ بيوت نبات", "نبات", ["نبات"]),
        ("كُتَّاَبْ بيوت نبات", "كتاب", ["كُتَّاَبْ"]),
        ("zero\u200bwidth space", "zerowidth", ["zero\u200bwidth"]),
        ("the ﬁle", "file", ["ﬁle"]),
        ("ｶﾞｽ", "ガス", ["ｶﾞｽ"]),
        ("the test [ here", "[", ["["]),
        ("nothing here", "zebra", []),
        ("nothing here", "", []),
    ],
)
def test_spans_cover_what_matched_in_the_original_text(text, query, matches):
    assert shown(text, query) == matches


@given(st.text(max_size=80), st.text(max_size=20))
def test_spans_are_ascending_disjoint_and_inside_the_text(text, query):
    end = -1
    for start, stop in match_spans(text, query):
        assert end < start < stop <= len(text)
        end = stop


@given(
    st.text(st.sampled_from("ab é中\n👩\u200d\u0301.-\x1b"), max_size=200),
    st.text(st.sampled_from("ab é中"), max_size=10),
    st.integers(1, 4),
    st.integers(20, 60),
)
def test_a_snippet_is_one_line_of_bounded_width_with_valid_spans(text, query, windows, width):
    snippet = highlight(text, query, max_windows=windows, width=width)
    assert len(snippet.text) <= width
    assert len(snippet.windows) <= windows
    assert snippet.text.isprintable() or "\u200d" in snippet.text
    end = -1
    for start, stop in snippet.spans:
        assert end <= start < stop <= len(snippet.text)
        end = stop
    if match_spans(text, query):
        assert snippet.spans


def test_without_a_match_the_snippet_is_the_beginning():
    snippet = highlight("First line.\n\nSecond   line.", "zebra")
    assert snippet.text == "First line. Second line."
    assert snippet.spans == []
    assert highlight("", "zebra").text == ""


def test_the_window_covers_the_most_distinct_terms():
    text = "runtime " * 20 + FILLER * 20 + "runtime dependencies of Hono " + FILLER * 20
    snippet = highlight(text, "Hono runtime dependencies", width=100)
    assert {snippet.text[a:b] for a, b in snippet.spans} == {"runtime", "dependencies", "Hono"}
    assert len(snippet.windows) == 1


def test_terms_that_stand_far_apart_get_several_windows():
    text = FILLER * 10 + "alpha " + FILLER * 20 + "beta " + FILLER * 20 + "gamma " + FILLER * 10
    snippet = highlight(text, "gamma beta alpha", width=150)
    assert [snippet.text[a:b] for a, b in snippet.spans] == ["alpha", "beta", "gamma"]
    assert snippet.text.count(" … ") == 2
    assert highlight(text, "gamma beta alpha", max_windows=1).text.count("…") == 0


def test_words_are_not_cut():
    text = FILLER * 10 + "alpha " + FILLER * 10
    words = set(highlight(text, "alpha", width=50).text.split())
    assert words <= set(text.split())


def test_characters_with_their_marks_are_not_cut():
    text = "中e\u0301" * 200 + "x" + "中e\u0301" * 200
    snippet = highlight(text, "中e\u0301", width=31)
    assert not snippet.text.startswith("\u0301")
    start, end = snippet.windows[0]
    assert end == len(text) or text[end] != "\u0301"
    assert start == 0 or text[start] != "\u0301"


def test_windows_tell_where_they_stand_in_the_original():
    text = FILLER * 10 + "alpha\n\n\nbeta " + FILLER * 10
    snippet = highlight(text, "alpha beta", width=60)
    (window,) = snippet.windows
    assert " ".join(text[slice(*window)].split()) == snippet.text


def test_control_characters_do_not_reach_the_snippet():
    assert highlight("a \x1b[31mred\x1b[0m word", "red").text == "a [31mred [0m word"


@pytest.mark.parametrize("bad", [{"max_windows": 0}, {"width": 19}])
def test_bad_sizes_are_refused(bad):
    with pytest.raises(ParameterError):
        highlight("text", "text", **bad)
