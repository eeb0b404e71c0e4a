"""Keep the name of an artifact out of the questions about it."""

from __future__ import annotations

import re

from irengine.checks import text as checked_text

__all__ = ["NAME_PLACEHOLDER", "gives_away", "mask_name"]

NAME_PLACEHOLDER = "this capability"
"""What stands in for a name."""

_OTHER_PLACEHOLDER = "the tool"
_BREAKS = re.compile(r"[\s_-]+")


def mask_name(text: str, name: str, *, placeholder: str = NAME_PLACEHOLDER) -> str:
    """Return ``text`` with every mention of ``name`` replaced.

    A mention is the words of the name as whole words, whatever their case, with white space,
    ``-`` or ``_`` between them, or run together. Words of one letter do not count; a name without
    others is not masked. When the placeholder is itself a mention, ``the tool`` is used.

    >>> mask_name("Use Heat-Map, or heatmap, to plot", "heat_map")
    'Use this capability, or this capability, to plot'
    """
    mention = _mention(_words(name))
    checked_text("text", text)
    stand_in = checked_text("placeholder", placeholder)
    if mention is None:
        return text
    if mention.search(placeholder):
        stand_in = _OTHER_PLACEHOLDER
    return mention.sub(lambda _: stand_in, text)


def gives_away(text: str, name: str) -> bool:
    """Return whether ``text`` tells ``name``: it mentions it, or has all of its several words.

    >>> gives_away("a map of heat", "heat-map"), gives_away("a map of rain", "heat-map")
    (True, False)
    """
    words = _words(name)
    mention = _mention(words)
    checked_text("text", text)
    if mention is None:
        return False
    if mention.search(text):
        return True
    return len(words) > 1 and all(_whole(re.escape(word)).search(text) for word in words)


def _words(name: str) -> list[str]:
    return [word for word in _BREAKS.split(checked_text("name", name).lower()) if len(word) >= 2]


def _mention(words: list[str]) -> re.Pattern[str] | None:
    return _whole(r"[\s_-]*".join(map(re.escape, words))) if words else None


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
