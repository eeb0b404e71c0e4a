"""Colours of a line while it is typed; what cannot run is underlined. Pure text in, spans out."""

from __future__ import annotations

from irtui.commands.registry import command_names, misspelt
from irtui.commands.spec import Command
from irtui.grammar.lines import Parsed, parse_script
from irtui.shell.completing import command_named
from irtui.shell.meta import META, PLAIN_VERBS
from irtui.shell.verbs import VERBS

__all__ = ["coloured"]

_STYLES = {
    "verb": "class:ir.heading",
    "stage": "class:ir.heading",
    "keyword": "class:ir.heading",
    "session": "class:ir.heading",
    "option": "class:ir.code",
    "quoted": "class:ir.ok",
    "value": "class:ir.ok",
    "reference": "class:ir.link",
    "name": "class:ir.link",
    "pipe": "class:ir.muted",
    "operator": "class:ir.muted",
    "redirect": "class:ir.muted",
    "path": "class:ir.code",
    "shell": "class:ir.code",
    "comment": "class:ir.muted",
}
_WRONG = " class:ir.wrong"


def coloured(text: str) -> list[tuple[str, str]]:
    """Return ``text`` in styled pieces, in order; together they are ``text``."""
    styles = [""] * len(text)
    for parsed in parse_script(text):
        for token in parsed.tokens:
            for at in range(*token.span):
                styles[at] = _STYLES.get(token.kind, "")
        for start, end in _wrong(parsed, len(text)):
            for at in range(start, min(end, len(text))):
                styles[at] += _WRONG
    pieces: list[tuple[str, str]] = []
    for style, char in zip(styles, text, strict=True):
        if pieces and pieces[-1][0] == style:
            pieces[-1] = (style, pieces[-1][1] + char)
        else:
            pieces.append((style, char))
    return pieces


def _wrong(parsed: Parsed, end: int) -> list[tuple[int, int]]:
    """Return the stretches that no more typing at the end can mend."""
    wrong = [tuple(problem.span) for problem in parsed.problems if not problem.incomplete]
    command: Command | None = None
    for token in parsed.tokens:
        word = parsed.source[slice(*token.span)]
        typing = token.span.end == end
        if token.kind == "verb":
            command = command_named(word)
            known = command or word in VERBS or word in PLAIN_VERBS or word.startswith("$")
            more = typing and any(name.startswith(word) for name in command_names())
            alone = not parsed.source[token.span.end :].strip()
            if not known and not more and (_near(word) if alone else misspelt(word)):
                wrong.append(tuple(token.span))
        elif token.kind == "session":
            more = typing and any(name.startswith(word[1:]) for name in META)
            if word[1:] not in META and not more:
                wrong.append(tuple(token.span))
        elif token.kind == "option" and command is not None and word != "--":
            if not _is_option(command, word, typing=typing):
                wrong.append(tuple(token.span))
        elif token.kind == "pipe":
            command = None
    return [(start, stop) for start, stop in wrong]


def _is_option(command: Command, word: str, *, typing: bool) -> bool:
    flags = [flag for param in command.every_param for flag in param.flags]
    name = word.partition("=")[0] if word.startswith("--") else word[:2]
    return name in flags or (typing and any(flag.startswith(word) for flag in flags))


def _near(word: str) -> bool:
    """Return whether ``word`` looks like a mistyped command: at the prompt others are questions."""
    from irengine.errors import nearest

    return bool(nearest(word, command_names()))
