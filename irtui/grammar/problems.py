"""What is wrong with a text and where: problems with spans, and the error strict readers raise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from irengine.errors import ParameterError

__all__ = ["GrammarError", "Problem", "Span", "marked", "place_of", "raise_first"]

_SHOWN = 100  # how much of a long line is shown around a problem


class Span(NamedTuple):
    """A stretch of a text in code points, end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not right at ``span``.

    ``incomplete`` says that more text at the end could mend it: half-typed, not wrong.
    """

    message: str
    span: Span
    hint: str = ""
    incomplete: bool = False


class GrammarError(ParameterError):
    """A text is not in the language it should be in.

    Attributes:
        line, column: where, counted from 1; columns in code points.
        excerpt: the line, and below it carets under what is wrong.
        incomplete: the text only stops too early.
        within: the part of a line that is wrong, where nothing more exact is known.
    """

    code = "syntax"
    within: Span | None = None

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        line: int = 1,
        column: int = 1,
        excerpt: str = "",
        incomplete: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.line = line
        self.column = column
        self.excerpt = excerpt
        self.incomplete = incomplete

    def located(self, name: str) -> str:
        """Return ``name:line:column: error: message``, the form editors jump to."""
        return f"{name}:{self.line}:{self.column}: error: {self.message}"

    def to_dict(self) -> dict[str, str]:
        """Return the JSON form, with the place as text."""
        return {**super().to_dict(), "line": str(self.line), "column": str(self.column)}


def place_of(source: str, offset: int) -> tuple[int, int]:
    """Return line and column of ``offset``, both from 1; only ``\\n`` ends a line."""
    offset = min(max(offset, 0), len(source))
    return source.count("\n", 0, offset) + 1, offset - source.rfind("\n", 0, offset)


def marked(source: str, span: Span) -> str:
    """Return the line of ``span`` and below it carets under the span.

    Control characters are shown as ``�``, tabs as blanks; of a long line only the neighbourhood
    is shown. A span that goes on in the next line is marked to the end of the first.
    """
    start = min(max(span.start, 0), len(source))
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", start)
    last = len(source) if last < 0 else last
    end = min(max(span.end, start + 1), max(last, start + 1))
    low = first if start - first <= _SHOWN else start - _SHOWN // 2
    high = min(last, low + 2 * _SHOWN)
    shown = "".join(
        " " if char == "\t" else char if char.isprintable() else "�" for char in source[low:high]
    )
    before = "… " if low > first else ""
    after = " …" if high < last else ""
    carets = "^" * max(1, min(end, high) - start)
    return f"{before}{shown}{after}\n{' ' * (len(before) + start - low)}{carets}"


def raise_first(source: str, problems: Sequence[Problem]) -> None:
    """Raise the first problem of ``source``, if there is one.

    Raises:
        GrammarError: for what stands furthest to the left, wrong before incomplete.
    """
    if not problems:
        return
    problem = min(problems, key=lambda problem: (problem.incomplete, problem.span))
    line, column = place_of(source, problem.span.start)
    raise GrammarError(
        problem.message,
        hint=problem.hint,
        line=line,
        column=column,
        excerpt=marked(source, problem.span),
        incomplete=problem.incomplete,
    )
