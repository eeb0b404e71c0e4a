"""Documents as lines: rendered, marked at the engine's places, wrapped without losing anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from irtui.render.clean import clean
from irtui.tui.documents import Laid, kind_of, lay_out, wrapped


def plain(laid: Laid) -> list[str]:
    return ["".join(text for _, text in line) for line in laid.lines]


def matched(laid: Laid) -> list[str]:
    return [text for line in laid.lines for role, text in line if role == "match"]


def test_kinds_are_told_by_the_name() -> None:
    names = ["a.md", "b.py", "c.txt", "README", "d.MKD"]
    assert [kind_of(None, name) for name in names] == [
        "markdown",
        "code",
        "plain",
        "plain",
        "markdown",
    ]
    assert kind_of("/x/y.rs", "y.md") == "code"


def test_markdown_is_rendered_and_matches_stay_where_they_are() -> None:
    text = "# Rotate keys\n\n- **rotate** the `keys` in [docs](http://x/rotate)\n> quoted\n---\n"
    at = [i for i in range(len(text)) if text.startswith("otate", i)]
    laid = lay_out(text, [(i - 1, i + 5) for i in at], width=80, kind="markdown")
    assert plain(laid)[:5] == [
        "Rotate keys",
        "",
        "• rotate the keys in docs",
        "▌ quoted",
        "─" * 40,
    ]
    assert matched(laid) == ["Rotate", "rotate"]  # the third is in the address nobody sees
    assert laid.matches == (0, 2)


def test_lines_of_one_paragraph_of_markdown_are_joined() -> None:
    text = (
        "Send is a\nmarker\ntrait.\n\n- one\n  two\n- three  \nfour\n\n1. a\n2. b\n"
        "| x |\n| y |\n\n    code\n    more\n[a]: b\nTitle\n=====\n"
    )
    at = text.index("trait")
    laid = lay_out(text, [(at, at + 5)], width=12, kind="markdown", first=7)
    assert plain(laid) == [
        "Send is a ", "marker ", "trait.", "", "• one two", "• three  ", "four", "",
        "1. a", "2. b", "| x |", "| y |", "", "    code", "    more", "[a]: b", "Title", "=====",
        "",
    ]  # fmt: skip
    assert [laid.numbers[line] for line in (0, 1, 2, 4, 5)] == [7, 8, 9, 11, 13]
    assert matched(laid) == ["trait"] and laid.matches == (2,)


def test_fences_and_front_matter_are_not_rendered() -> None:
    text = "---\ntitle: *x*\n---\n```\n# no heading\n```\n# heading\n"
    laid = lay_out(text, [], width=80, kind="markdown")
    assert plain(laid)[:7] == ["---", "title: *x*", "---", "```", "# no heading", "```", "heading"]
    assert [line[0][0] for line in laid.lines[:7]] == [
        "muted", "muted", "muted", "muted", "code", "muted", "heading",
    ]  # fmt: skip


def test_code_is_coloured_and_complete() -> None:
    text = 'def f(x):\n    """Say x."""\n    return x  # done\n'
    laid = lay_out(text, [(4, 5)], width=80, kind="code", name="f.py")
    assert "\n".join(plain(laid)) == text
    assert matched(laid) == ["f"]
    roles = {part: role for line in laid.lines for role, part in line}
    assert (roles["def"], roles["# done"], roles["return"]) == ("heading", "muted", "heading")


def test_an_unknown_language_is_plain_text() -> None:
    laid = lay_out("a b", [], width=80, kind="code", name="x.nobodyknows")
    assert laid.lines == ((("", "a b"),),)


def test_line_numbers_are_those_of_the_text() -> None:
    laid = lay_out("one two three\nfour\nfive", [], width=7, first=10)
    assert (
        list(zip(plain(laid), laid.numbers, strict=True))
        == [
            ("one two ", 10),
            ("three", 10),
            ("four", 11),
            ("five", 12),
        ]
        or plain(laid)[0] == "one "
    )
    assert laid.line_of(11) == laid.numbers.index(11)
    assert laid.line_of(99) == len(laid.lines) - 1


def test_a_match_over_a_line_break_is_marked_on_both() -> None:
    laid = lay_out("ab\ncd", [(1, 4)], width=80)
    assert matched(laid) == ["b", "c"]
    assert laid.matches == (0, 1)


def test_a_million_characters_on_one_line_are_laid_out() -> None:
    laid = lay_out("x" * 1_000_000, [(999_990, 1_000_000)], width=100)
    assert len(laid.lines) == 10_000 and laid.matches == (9_999,)


_TEXT = st.text(st.characters(codec="utf-8"), max_size=80)


@given(st.lists(st.tuples(st.sampled_from(["", "match"]), _TEXT), max_size=6), st.integers(2, 30))
def test_wrapping_loses_nothing_and_fits(spans: list[tuple[str, str]], width: int) -> None:
    spans = [(role, clean(text).replace("\n", " ")) for role, text in spans]
    lines = wrapped(spans, width)
    whole = "".join(text for _, text in spans)
    assert "".join(text for line in lines for _, text in line) == whole
    for line in lines:
        text = "".join(part for _, part in line)
        # One blank may stand behind a full line, where it is not seen.
        assert cell_len(text.rstrip(" ")) <= width or len(text) == 1


@given(_TEXT, st.lists(st.tuples(st.integers(0, 80), st.integers(0, 20)), max_size=4))
def test_plain_text_is_shown_whole_with_any_matches(
    text: str, places: list[tuple[int, int]]
) -> None:
    text = text.replace("\r", "")
    spans = [(start, start + length) for start, length in places]
    laid = lay_out(text, spans, width=1_000)
    assert "\n".join(plain(laid)) == "\n".join(clean(line) for line in text.split("\n"))
