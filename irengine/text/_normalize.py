"""Unicode normalisation of one white-space separated chunk, with a map back to its offsets.

``clean`` gives compatibility composition (NFKC) without invisible characters; ``fold`` takes
accents and vowel points off a word. Neither looks beyond its argument, so a text can be
analysed chunk by chunk and every chunk can be cached.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["MARKS", "clean", "clean_with_offsets", "fold"]

# Combining marks that continue a word but are not matched by \w, by block. Unassigned code
# points inside a range do no harm.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u08d3-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75"
    "\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82"
    "\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d57\u0d62\u0d63\u0d82\u0d83\u0dca-\u0df3\u0e31"
    "\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35\u0f37\u0f39"
    "\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u17b4-\u17d3\u18a9\u1ab0-\u1aff"
    "\u1b00-\u1b04\u1b34-\u1b44\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a"
    "\ua8e0-\ua8f1\ufb1e\ufe20-\ufe2f"
)

# Soft hyphen, joiners, bidi controls, variation selectors, tags, tatweel, and lone surrogates,
# which cannot be encoded.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u0640\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)

# One spelling for each connector of identifiers: typographic hyphens and apostrophes.
_PUNCTUATION = {
    **dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212], "-"),
    **dict.fromkeys([0x2018, 0x2019, 0x02BC, 0x201B], "'"),
}

# Letters that look accented but have no canonical decomposition.
_LETTERS = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ħ": "h",
        "ŧ": "t",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "ß": "ss",
    }
)

# A base character with what composes onto it: marks, medial and final Hangul jamo.
_CLUSTER = re.compile(f"(?s:.)[{MARKS}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]*")


def clean(chunk: str) -> str:
    """Return ``chunk`` in NFKC without invisible characters; its letter case is kept.

    Typographic hyphens and apostrophes become ``-`` and ``'``.
    """
    if chunk.isascii():
        return chunk
    return unicodedata.normalize("NFKC", _IGNORABLE.sub("", chunk)).translate(_PUNCTUATION)


def clean_with_offsets(chunk: str) -> tuple[str, list[int], list[int]]:
    """Return ``clean(chunk)`` and, for each of its code points, where it came from.

    The two lists give the start and the end (exclusive) in ``chunk``, in code points. A code
    point made of several keeps the extent of all of them; invisible characters belong to none.
    """
    cleaned = clean(chunk)
    if len(cleaned) == len(chunk) and chunk.isascii():
        return cleaned, list(range(len(chunk))), list(range(1, len(chunk) + 1))
    kept = [i for i, char in enumerate(chunk) if not _IGNORABLE.match(char)]
    visible = "".join(chunk[i] for i in kept)
    starts: list[int] = []
    ends: list[int] = []
    pieces: list[str] = []
    for match in _CLUSTER.finditer(visible):
        piece = unicodedata.normalize("NFKC", match[0]).translate(_PUNCTUATION)
        pieces.append(piece)
        starts += [kept[match.start()]] * len(piece)
        ends += [kept[match.end() - 1] + 1] * len(piece)
    if "".join(pieces) != cleaned:
        # A composition across clusters: rare, and then the chunk is one piece.
        return cleaned, [0] * len(cleaned), [len(chunk)] * len(cleaned)
    return cleaned, starts, ends


def fold(word: str) -> str:
    """Return a case-folded ``word`` without accents, vowel points and other optional marks.

    Marks that make another letter stay: kana voicing, viramas, Indic nuktas, Thai vowels.

    >>> fold("châtelier"), fold("žluťoučký"), fold("smørrebrød")
    ('chatelier', 'zlutoucky', 'smorrebrod')
    """
    if word.isascii():
        return word
    kept = [char for char in unicodedata.normalize("NFD", word) if not _is_optional_mark(char)]
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTERS)


def _is_optional_mark(char: str) -> bool:
    # Fixed-position classes 10..36 are Hebrew and Arabic points; 200 and above attach or
    # stand above and below (Latin, Greek, Cyrillic accents, Arabic madda and hamza).
    combining = unicodedata.combining(char)
    return 10 <= combining <= 36 or combining >= 200
