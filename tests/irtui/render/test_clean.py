"""Nothing of a document makes a terminal do anything."""

import json
import unicodedata

import pytest

from irtui.render.clean import clean, clean_line
from irtui.render.hits import hits_view
from irtui.render.jsonout import to_json
from irtui.render.look import Look, paint
from irtui.render.views import lines_of

HOSTILE = {
    "title of the window": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;cm0gLXJm\x1b\\",
    "clear": "\x1b[2J\x1b[H",
    "8-bit CSI": "\x9b31m",
    "bell and backspaces": "safe\x07\x08\x08\x08\x08",
    "overwriting the line": "good\rbad",
    "other line ends": "a\x0bb\x0cc\x85d\u2028e\u2029f",
    "bidi override": "\u202egnp.exe\u202c",
    "bidi isolate": "\u2067abc\u2069",
    "delete": "a\x7fb",
    "nul": "a\x00b",
    "lone surrogate": "a\udcffb",
}


def harmless(text: str) -> bool:
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return not any(
        (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c != "\n")
        or unicodedata.bidirectional(c) in bidi
        for c in text
    )


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
class TestHostileText:
    def test_clean_is_harmless_and_keeps_offsets(self, text):
        assert harmless(clean(text))
        assert len(clean(text)) == len(text)

    def test_clean_line_is_one_line(self, text):
        assert harmless(clean_line(text))
        assert "\n" not in clean_line(text)

    def test_paint_is_the_boundary(self, text):
        assert harmless(paint([[("", text), ("title", text)]], Look()))

    def test_a_hit_made_of_it_is_harmless(self, text):
        hit = {
            "rank": 1,
            "score": 1.0,
            "artifact_id": text,
            "source": text,
            "title": text,
            "path": text,
            "line": 3,
            "gone": False,
            "metadata": {"heading": text},
            "text": text,
            "snippet": text,
            "spans": [[0, len(text)]],
        }
        look = Look(width=60)
        for options in ({"full": True}, {"several": True}):
            assert harmless(paint(hits_view([hit], options, look), look))

    def test_json_is_exact_and_safe(self, text):
        shown = to_json({"text": text})
        assert json.loads(shown) == {"text": text}
        assert harmless(shown)
        shown.encode("utf-8")


@pytest.mark.parametrize("text", ["naïve", "日本語", "עברית\u200f", "👩‍👩‍👧", "نبات", "a\nb", "é"])
def test_ordinary_text_is_left_alone(text):
    assert clean(text) == text


def test_only_our_own_styles_are_escapes():
    painted = paint([[("title", "\x1b[31mx")]], Look(color=True))
    assert painted == "\x1b[1m␛[31mx\x1b[0m\n"


def test_json_keeps_real_unicode_unless_told_otherwise():
    assert to_json("é日", indent=None) == '"é日"'
    assert to_json("é日", indent=None, ascii_only=True) == '"\\u00e9\\u65e5"'


def test_json_has_no_word_for_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(float("nan"))


def test_every_view_renders_hostile_builds():
    report = {
        "name": "\x1b[2J",
        "added": 1,
        "changed": 0,
        "removed": 0,
        "unchanged": 0,
        "blank": 0,
        "skipped": {"too\x1blarge": 1},
        "n_errors": 1,
        "seconds": {"embed": 0.5},
        "embedded": 3,
        "texts_per_second": 6.0,
        "skipped_items": [{"id": "a\x1b[2Jb", "reason": "x\x07", "detail": "\x9b"}],
        "errors": [{"id": "\r", "reason": "\x08", "detail": ""}],
        "notes": [{"id": "\x1b]", "reason": "\x07", "detail": "\x9b"}],
    }
    look = Look()
    shown = paint(lines_of("builds", [report], {"verbose": True}, look), look)
    assert harmless(shown)
    assert "1 added" in shown
    assert "6 texts/s" in shown
