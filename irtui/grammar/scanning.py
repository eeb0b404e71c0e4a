"""From characters to words with spans: escapes, quotes, groups and references."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from irtui.grammar.problems import Problem, Span
from irtui.grammar.quoting import escapable, opens_quote, quoted_text
from irtui.grammar.syntax import Group, Part, Plain, Quoted, Ref, Word

__all__ = ["REFERENCE", "Scanner", "Token", "TokenKind"]

TokenKind: TypeAlias = Literal[
    "verb",
    "option",
    "word",
    "quoted",
    "reference",
    "pipe",
    "stage",
    "operator",
    "name",
    "value",
    "keyword",
    "redirect",
    "path",
    "shell",
    "session",
    "comment",
]

REFERENCE = re.compile(
    r"\$(?:(?P<first>[1-9]\d{0,8})(?:-(?P<last>[1-9]\d{0,8}))?|(?P<name>[A-Za-z_]\w*))"
    r"(?:\.(?P<field>[^\W\d][\w-]*(?:\.[\w-]+)*))?",
    re.ASCII,
)


class Token(NamedTuple):
    """A stretch of the source and what it is, for colours and completion."""

    kind: TokenKind
    span: Span


class Scanner:
    """Reads one source from left to right; never fails, and always moves on.

    Attributes:
        source: the text, unchanged.
        at: the next character.
        tokens, problems: what was found so far, in order.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []

    def peek(self, length: int = 1) -> str:
        """Return the next characters, fewer at the end."""
        return self.source[self.at : self.at + length]

    def blank(self, *, lines: bool = False) -> bool:
        """Skip blanks and continued lines (with ``lines`` all line breaks); return whether any."""
        start = self.at
        source, end = self.source, len(self.source)
        while self.at < end:
            char = source[self.at]
            if char == "\\" and self.peek(2) == "\\\n":
                self.at += 2
            elif char == "\\" and self.peek(3) == "\\\r\n":
                self.at += 3
            elif char == "\\" and self.at + 1 == end:
                self.at += 1
                self.problem("nothing follows this backslash", end - 1, end, incomplete=True)
            elif char.isspace() and (lines or char != "\n"):
                self.at += 1
            else:
                break
        return self.at > start

    def at_end(self) -> bool:
        """Return whether the statement ends here: the source, the line, or a comment."""
        char = self.peek()
        return char in ("", "\n") or self.at_comment()

    def at_comment(self) -> bool:
        """Return whether a comment begins here: ``#`` and a blank, or any ``#`` on a fresh line."""
        if self.peek() != "#":
            return False
        after = self.source[self.at + 1 : self.at + 2]
        if not after or after.isspace():
            return self.at == 0 or self.source[self.at - 1].isspace()
        return self.fresh_line()

    def fresh_line(self) -> bool:
        """Return whether only blanks stand before on this line."""
        start = self.source.rfind("\n", 0, self.at) + 1
        return not self.source[start : self.at].strip()

    def comment(self) -> str:
        """Read a comment to the end of its line and return what follows the ``#``."""
        end = self.source.find("\n", self.at)
        end = len(self.source) if end < 0 else end
        self.token("comment", self.at, end)
        text = self.source[self.at + 1 : end]
        self.at = end
        return text

    def token(self, kind: TokenKind, start: int, end: int | None = None) -> None:
        """Note what ``start`` to ``end`` (default: here) is."""
        self.tokens.append(Token(kind, Span(start, self.at if end is None else end)))

    def problem(
        self, message: str, start: int, end: int, *, hint: str = "", incomplete: bool = False
    ) -> None:
        """Note what is wrong."""
        self.problems.append(Problem(message, Span(start, end), hint, incomplete))

    def word(self, kind: TokenKind = "word") -> Word | None:
        """Read one word, or return ``None`` where none begins."""
        start = self.at
        parts: list[Part] = []
        plain: list[str] = []
        source, end = self.source, len(self.source)
        while self.at < end:
            char = source[self.at]
            if char.isspace() or char == "|":
                break
            before = source[self.at - 1] if plain else ""
            part: Part | None = None
            if char == "\\":
                after = source[self.at + 1 : self.at + 2]
                if after in ("", "\n") or self.peek(3) == "\\\r\n":
                    break
                escaped = escapable(after)
                plain.append(after if escaped else char)
                self.at += 2 if escaped else 1
                if escaped and self.at < end:
                    # What was escaped opens nothing.
                    self._plain_char(plain, source[self.at])
                continue
            if char in "\"'" and opens_quote(char, before):
                part = self._quoted(char)
            elif char == "$" and before in ("", "="):
                part = self.reference()
            elif char == "(" and before == ":" and len(plain) > 1 and _is_name_char(plain[-2]):
                part = self._group()
            if part is None:
                plain.append(char)
                self.at += 1
                continue
            if plain:
                parts.append(Plain("".join(plain)))
                plain = []
            parts.append(part)
        if plain:
            parts.append(Plain("".join(plain)))
        if self.at == start:
            return None
        word = Word(tuple(parts), Span(start, self.at), source[start : self.at])
        self.token(self._kind(word, kind), start)
        return word

    def _plain_char(self, plain: list[str], char: str) -> None:
        """Take a quote, dollar or parenthesis that follows an escape as it is."""
        if char in "\"'$(":
            plain.append(char)
            self.at += 1

    @staticmethod
    def _kind(word: Word, kind: TokenKind) -> TokenKind:
        if kind != "word":
            return kind
        if word.refs:
            return "reference"
        if not word.is_bare:
            return "quoted"
        return "option" if word.is_option else "word"

    def quoted(self) -> Quoted:
        """Read a quoted text; the next character is a quote."""
        return self._quoted(self.peek())

    def _quoted(self, quote: str) -> Quoted:
        start = self.at
        text, self.at, closed = quoted_text(self.source, start)
        if not closed:
            self.problem("this quote is not closed", start, start + 1, incomplete=True)
        return Quoted(text, quote == '"')

    def _group(self) -> Group:
        """Read ``(…)`` after a colon, with the quotes and parentheses inside."""
        start = self.at
        self.at += 1
        depth = 1
        source, end = self.source, len(self.source)
        while self.at < end:
            char = source[self.at]
            if char == "\\":
                self.at += 2
                continue
            if char == '"':
                self._quoted(char)
                continue
            depth += {"(": 1, ")": -1}.get(char, 0)
            self.at += 1
            if not depth:
                return Group(source[start + 1 : self.at - 1])
        self.at = end
        self.problem("this parenthesis is not closed", start, start + 1, incomplete=True)
        return Group(source[start + 1 :])

    def reference(self, ends: str = "|") -> Ref | None:
        """Read a reference that makes up the rest of its word, if there is one.

        A word ends at a blank and at the characters ``ends``.
        """
        match = REFERENCE.match(self.source, self.at)
        if match is None:
            return None
        end = match.end()
        after = self.source[end : end + 1]
        if after and not after.isspace() and after not in ends:
            half_typed = after in ".-" and end + 1 == len(self.source)
            self.problem(
                f"${match[1] or match['name']} is followed by {after!r}",
                self.at,
                end,
                hint=r"write \$ for a dollar sign",
                incomplete=half_typed,
            )
            return None
        self.at = end
        last = match["last"]
        return Ref(
            match["first"] or match["name"],
            None if last is None else int(last),
            match["field"] or "",
        )


def _is_name_char(char: str) -> bool:
    return char.isalnum() or char in "_-"
