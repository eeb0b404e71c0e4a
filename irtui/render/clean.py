"""Text of documents made safe for a terminal.

An indexed file may hold escape sequences that retitle the window, write the clipboard or hide
text. Everything that is shown to a person passes here; JSON output does not need to, because
JSON escapes.
"""

from __future__ import annotations

__all__ = ["clean", "clean_line"]

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_BIDI_CONTROLS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))


def _table() -> dict[int, str]:
    """Return the one-to-one replacements: a visible picture for C0, a mark for the rest."""
    table = {code: chr(0x2400 + code) for code in range(0x20)}
    table[0x7F] = "\N{SYMBOL FOR DELETE}"
    table |= dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT)
    table |= dict.fromkeys(_BIDI_CONTROLS, _REPLACEMENT)
    table |= dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT)  # lone surrogates
    table |= {ord("\t"): " ", ord("\r"): " ", ord("\n"): "\n"}
    table |= {0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
    return table


_CLEAN = _table()
_CLEAN_LINE = {code: " " if new == "\n" else new for code, new in _CLEAN.items()}


def clean(text: str) -> str:
    """Return ``text`` without anything a terminal would obey, except line feeds.

    Each code point is replaced by exactly one, so offsets into the text stay valid. Control
    characters become visible pictures, overrides of the writing direction and lone surrogates
    become U+FFFD, a tab or carriage return becomes a space.

    >>> clean("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return text.translate(_CLEAN)


def clean_line(text: str) -> str:
    """Return :func:`clean` of ``text`` with line feeds as spaces: it stays on one line.

    >>> clean_line("one\\ntwo")
    'one two'
    """
    return text.translate(_CLEAN_LINE)
