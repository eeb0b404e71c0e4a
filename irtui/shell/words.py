"""From the words of a line to the words of a command line: names filled in, queries kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from irtui.commands.spec import Command, Param
from irtui.grammar.binding import plain_words, query_text
from irtui.grammar.problems import Span
from irtui.grammar.syntax import Ref, Word
from irtui.shell.names import rows_meant, value_of
from irtui.shell.session import Session, key_of, source_of

__all__ = ["Bound", "bind"]


@dataclass(slots=True)
class Bound:
    """The words of a command line, and where each word of its query stood in the line.

    ``places`` pairs an offset into the joined query with a place in the source.
    """

    words: list[str]
    places: list[tuple[int, Span]] = field(default_factory=list)
    query: str = ""


def bind(command: Command, words: Sequence[Word], session: Session) -> Bound:
    """Return what ``words`` are on the command line of ``command``.

    A ``query`` keeps its quotes and operators; every other word is as a system's shell would pass
    it on. A row (``$1``) brings the corpus it is from where the command takes one and none is
    named. The corpora and the mode of the session are filled in likewise.

    Raises:
        GrammarError: for a reference that stands for nothing.
    """
    options: list[str] = []
    positionals: list[str] = []
    bound = Bound([])
    sources: dict[str, None] = {}
    asked: list[str] = []
    at = 0  # where the next word of the query begins
    by_name = {param.name: param for param in command.params}
    corpus = by_name.get("corpus")
    takes_corpus = corpus is not None and bool(corpus.flags)
    for word, param in _with_params(command, words):
        if param is not None and param.name == "query":
            text = query_text([word], lambda ref: value_of(session, ref))
            bound.places.append((at, word.span))
            at += len(text) + 1
            asked.append(text)
            positionals.append(text)
        elif param is None:
            options += plain_words([word], lambda ref: value_of(session, ref))
        elif word.ref is not None and not word.ref.field and word.ref.name != "q":
            for name, source in _rows(session, word.ref):
                qualified = takes_corpus and param.many and source is not None
                positionals.append(f"{source}/{name}" if qualified else name)
                if source is not None and not param.many:
                    sources[source] = None
        else:
            positionals += plain_words([word], lambda ref: value_of(session, ref))
    bound.query = " ".join(asked)
    if corpus is not None and takes_corpus and not _given(corpus, options):
        for name in sources or session.corpora:
            options += [corpus.flags[-1], name]
    mode = by_name.get("mode")
    if mode is not None and mode.flags and session.mode and not _given(mode, options):
        options += [mode.flags[-1], session.mode]
    bound.words = [*options, *(["--", *positionals] if positionals else [])]
    return bound


def _with_params(command: Command, words: Sequence[Word]) -> Iterator[tuple[Word, Param | None]]:
    """Yield each word with the positional parameter it belongs to; options have none."""
    options = {flag: param for param in command.every_param for flag in param.flags}
    positionals = [param for param in command.params if param.positional]
    at = 0
    ended = waiting = False
    for word in words:
        if waiting:
            waiting = False
            yield word, None
        elif not ended and word.is_bare and word.text == "--":
            ended = True
        elif not ended and word.is_option and (word.text in options or not _is_number(word.text)):
            flag = word.text.partition("=")[0] if word.text.startswith("--") else word.text[:2]
            param = options.get(flag)
            waiting = param is not None and param.type != "flag" and word.text == flag
            yield word, None
        else:
            last = positionals[at] if at < len(positionals) else None
            yield word, last or _SURPLUS
            if last is not None and not last.many:
                at += 1


_SURPLUS = Param("surplus", "what is left over; parsing says so")


def _is_number(text: str) -> bool:
    return text[1:].replace(".", "", 1).isdigit()


def _rows(session: Session, ref: Ref) -> list[tuple[str, str | None]]:
    """Return name and corpus of each row a reference is about."""
    _, rows = rows_meant(session, ref)
    names: Any = value_of(session, ref)
    several = names if isinstance(names, list) else [names]
    return [
        (str(name), source_of(row) if key_of(row) == name and "artifact_id" in row else None)
        for name, row in zip(several, rows, strict=True)
    ]


def _given(param: Param, words: Sequence[str]) -> bool:
    return any(
        word.partition("=")[0] in param.flags
        or (not word.startswith("--") and word[:2] in param.flags)
        for word in words
    )
