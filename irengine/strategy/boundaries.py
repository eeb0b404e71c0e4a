"""Where a text may be cut: white space, sentence ends, and points between grapheme clusters."""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "BLANK_LINE",
    "SENTENCE_END",
    "first_soft",
    "first_word",
    "in_word",
    "is_safe",
    "last_soft",
    "last_space",
    "safe_after",
    "safe_before",
    "skip_space",
    "trimmed_end",
]

BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*(?=\n)")
"""The end of a paragraph: matches from its line end up to the line end of a blank line."""

_IDEOGRAPHIC = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)

# A full stop counts unless it ends an initial, a number of a list or an abbreviation like
# "e.g.", or a lower-case letter follows. The full stops of Chinese, Japanese and the Indian
# scripts need no white space. A line end counts before a list item, a table row or a quote.
SENTENCE_END = re.compile(
    r"(?<![\s.(]\w)[.!?…][\"'”’)\]*_`]*(?=\s+[^\sa-z]|\s*\Z)"
    r"|[。！？｡．؟।॥]+[」』”’）)\]]*"
    r"|\n(?=[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]|[|>]))"
)
"""The end of a sentence, or of a line that stands for itself."""

_INK = re.compile(r"\S")
_SPACE = re.compile(r"\s")
# After one of these a string without white space can be cut without splitting a word.
_SOFT = re.compile(rf"[^\w\s]|_|[{_IDEOGRAPHIC}]|\w(?=[{_IDEOGRAPHIC}])")
_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHIC}]")
_JOINER = "\u200d"
_CLUSTER_LIMIT = 64


def skip_space(text: str, position: int, end: int) -> int:
    """Return the first position at or after ``position`` that holds ink, or ``end``."""
    match = _INK.search(text, position, end)
    return match.start() if match else end


def trimmed_end(text: str, start: int, end: int) -> int:
    """Return ``end`` moved back over white space, not past ``start``."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def last_space(text: str, low: int, high: int) -> int:
    """Return a late position of white space in ``[low, high)``, or -1 if there is none.

    The latest blank, line end or tab wins; other kinds of white space count only without them.
    """
    found = max(
        text.rfind(" ", low, high), text.rfind("\n", low, high), text.rfind("\t", low, high)
    )
    if found < 0:
        for match in _SPACE.finditer(text, low, high):
            found = match.start()
    return found


def is_safe(text: str, position: int) -> bool:
    """Tell whether a cut at ``position`` leaves every grapheme cluster whole.

    A cheap reading of Unicode's rules: combining marks, variation selectors, joiners, emoji
    modifiers, tags, Hangul vowels and finals stay with what precedes them, flags stay pairs, and
    CR LF stays together.
    """
    if not 0 < position < len(text):
        return True
    before, after = text[position - 1], text[position]
    if after < "\u0300":
        return not (before == "\r" and after == "\n") and before != _JOINER
    if before == _JOINER or after == _JOINER or unicodedata.category(after)[0] == "M":
        return False
    code = ord(after)
    if 0x1160 <= code <= 0x11FF or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return False
    if 0x1F1E6 <= code <= 0x1F1FF:
        flags = 0
        while flags < position and 0x1F1E6 <= ord(text[position - 1 - flags]) <= 0x1F1FF:
            flags += 1
        return flags % 2 == 0
    return True


def in_word(text: str, position: int) -> bool:
    """Tell whether a cut at ``position`` parts a word; each ideograph is a word of its own."""
    if not 0 < position < len(text):
        return False
    if not (text[position - 1].isalnum() and text[position].isalnum()):
        return False
    return _IDEOGRAPH.match(text, position - 1) is None and _IDEOGRAPH.match(text, position) is None


def safe_before(text: str, position: int, floor: int) -> int:
    """Return the latest safe position in ``(floor, position]``, or ``position`` if none is near.

    Looks back over at most 64 code points: a longer cluster is no reading matter.
    """
    for candidate in range(position, max(floor, position - _CLUSTER_LIMIT), -1):
        if is_safe(text, candidate):
            return candidate
    return position


def last_soft(text: str, low: int, high: int) -> int:
    """Return the latest cut in ``(low, high]`` after punctuation or by an ideograph, or -1."""
    found = -1
    for match in _SOFT.finditer(text, low, high):
        if is_safe(text, match.end()):
            found = match.end()
    return found


def first_soft(text: str, low: int, high: int) -> int:
    """Return the earliest such cut in ``[low, high]``, or -1."""
    for match in _SOFT.finditer(text, max(low - 1, 0), high):
        if match.end() >= low and is_safe(text, match.end()):
            return match.end()
    return -1


def first_word(text: str, low: int, high: int) -> int:
    """Return the first word start in ``[low, high)``, or ``high``."""
    if low > 0 and not text[low - 1].isspace():
        space = _SPACE.search(text, low, high)
        low = space.end() if space else high
    word = skip_space(text, low, high)
    return word if is_safe(text, word) else high


def safe_after(text: str, position: int, end: int) -> int:
    """Return the first safe position in ``[position, end)``, or ``end``."""
    while position < end and not is_safe(text, position):
        position += 1
    return position
