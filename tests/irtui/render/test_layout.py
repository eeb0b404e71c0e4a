"""Fitting, wrapping, tables and the layout of answers."""

import io

import pytest

from irtui.render.hits import BAR_CELLS, hits_view, score_bar
from irtui.render.look import Look, look_of, paint
from irtui.render.reports import corpora_view, size_text
from irtui.render.tables import table
from irtui.render.wrap import cells, fit, pad, wrap


def text_of(lines):
    return ["".join(text for _, text in line) for line in lines]


class TestFit:
    @pytest.mark.parametrize(
        "text", ["short", "a much longer text", "日本語の文章です", "👍👍👍👍👍👍"]
    )
    def test_never_wider_than_asked(self, text):
        assert cells(fit(text, 9)) <= 9
        assert cells(pad(text, 9)) == 9

    def test_what_fits_is_whole(self):
        assert fit("exactly", 7) == "exactly"
        assert fit("exactly!", 7) == "exactl…"


class TestWrap:
    def test_breaks_at_spaces(self):
        assert text_of(wrap("one two three", [], 8)) == ["one two", "three"]

    def test_long_words_and_text_without_spaces_break_anywhere(self):
        assert text_of(wrap("abcdefghij", [], 4)) == ["abcd", "efgh", "ij"]
        assert text_of(wrap("日本語の文章です", [], 8)) == ["日本語の", "文章です"]

    @pytest.mark.parametrize("width", [4, 7, 13, 40])
    def test_no_line_is_too_wide_and_no_word_is_lost(self, width):
        text = "The quick brown fox, 日本語の文章, jumps over the lazy dog and runs away."
        lines = text_of(wrap(text, [], width))
        assert all(cells(line) <= width for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")

    def test_line_feeds_break(self):
        assert text_of(wrap("a\nb", [], 20)) == ["a", "b"]

    def test_spans_survive_breaking(self):
        lines = wrap("find the needle here", [(9, 15)], 12)
        marked = [text for line in lines for style, text in line if style == "match"]
        assert "".join(marked) == "needle"

    def test_spans_survive_cleaning(self):
        lines = wrap("\x1b[1m needle", [(5, 11)], 40)
        assert ("match", "needle") in lines[0]

    def test_what_is_cut_off_shows(self):
        lines = text_of(wrap("one two three four five", [], 9, most=2))
        assert len(lines) == 2
        assert lines[-1].endswith("…")
        assert all(cells(line) <= 9 for line in lines)

    def test_nothing_is_no_line(self):
        assert wrap("", [], 10) == []


class TestScoreBar:
    @pytest.mark.parametrize("unicode", [True, False])
    @pytest.mark.parametrize("score", [-1.0, 0.0, 0.3, 0.999, 1.0])
    def test_always_eight_cells(self, score, unicode):
        assert cells(score_bar(score, 1.0, unicode=unicode)) == BAR_CELLS == 8

    def test_relative_to_the_best(self):
        assert score_bar(3.0, 6.0) == "████    "
        assert score_bar(0.0, 0.0) == score_bar(-0.2, -0.1) == " " * 8


def hit(**changes):
    return {
        "rank": 1,
        "score": 0.5,
        "artifact_id": "a.md",
        "source": "notes",
        "title": "Bees",
        "path": None,
        "line": 12,
        "gone": False,
        "metadata": {},
        "text": "All about bees.",
        "snippet": "All about bees.",
        "spans": [[10, 14]],
    } | changes


class TestHits:
    def test_plain(self):
        look = Look(width=60)
        shown = paint(hits_view([hit()], {}, look), look)
        assert shown == "  1 ████████ 0.5000 Bees\n    a.md\n    All about bees.\n"

    def test_the_path_is_relative_below_the_current_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        inside = hits_view([hit(path=str(tmp_path / "docs" / "a.md"))], {}, Look())
        outside = hits_view([hit(path="/elsewhere/a.md", line=None)], {}, Look())
        assert text_of(inside)[1] == "    docs/a.md:12"
        assert text_of(outside)[1] == "    /elsewhere/a.md"

    def test_matches_are_marked_in_colour(self):
        look = Look(width=60, color=True)
        assert "\x1b[1;7mbees\x1b[0m" in paint(hits_view([hit()], {}, look), look)

    def test_the_heading_follows_the_title_once(self):
        lines = text_of(hits_view([hit(metadata={"heading": "Bees > Wings"})], {}, Look()))
        assert lines[0].endswith("Bees › Wings")
        lines = text_of(hits_view([hit(metadata={"heading": "Bees"})], {}, Look()))
        assert lines[0].endswith(" Bees")

    def test_several_corpora_and_gone_files_say_so(self):
        lines = text_of(hits_view([hit(gone=True, path="/x")], {"several": True}, Look()))
        assert "in notes" in lines[1]
        assert "gone" in lines[1]

    @pytest.mark.parametrize("width", [30, 60, 120])
    def test_text_fits_the_width(self, width):
        long = hit(title="T" * 200, snippet="word " * 100, spans=[])
        look = Look(width=width)
        lines = text_of(hits_view([long], {}, look))
        assert all(cells(line) <= width for line in (lines[0], *lines[2:]))

    def test_ascii_streams_get_ascii(self):
        look = Look(unicode=False)
        assert "########" in paint(hits_view([hit()], {}, look), look)


class TestTables:
    def test_the_widest_column_gives_way(self):
        look = Look(width=30)
        lines = text_of(table(("a", "b"), [("x", "y" * 80)], look))
        assert all(cells(line) <= 30 for line in lines)

    def test_corpora_that_are_not_built(self):
        row = {
            "name": "n",
            "kind": None,
            "root": None,
            "built": False,
            "artifacts": 0,
            "records": 0,
            "embedder": "light",
            "embedder_id": None,
            "problem": None,
            "state": "not built",
        }
        assert "not built" in paint(corpora_view([row], {}, Look()), Look())

    @pytest.mark.parametrize(
        ("size", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (10**13, "10000.0 GB")]
    )
    def test_sizes(self, size, text):
        assert size_text(size) == text


class TestLook:
    def test_a_pipe_is_plain(self, monkeypatch):
        monkeypatch.delenv("COLUMNS", raising=False)
        assert look_of(io.StringIO()).color is False
        assert look_of(io.StringIO()).width == 100

    def test_what_nobody_gave_a_width_is_not_cut(self, monkeypatch):
        monkeypatch.delenv("COLUMNS", raising=False)
        rows = [("name", "/a/folder" * 20)]
        assert "…" in paint(table(("name", "root"), rows, Look()), Look())
        look = look_of(io.StringIO())
        assert "/a/folder" * 20 in paint(table(("name", "root"), rows, look), look)
        titled = hits_view([hit(title="bees " * 40)], {}, look)
        assert "bees " * 40 in text_of(titled)[0]

    def test_columns_wins(self, monkeypatch):
        monkeypatch.setenv("COLUMNS", "44")
        assert look_of(io.StringIO()).width == 44

    @pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
    def test_what_switches_colours_off(self, monkeypatch, name, value):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "80")
        assert look_of(Terminal()).color is True
        monkeypatch.setenv(name, value)
        assert look_of(Terminal()).color is False
