"""Completion as a function: a line and a cursor in, suggestions out. Nothing is asked or opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from irtui.commands.catalog import Catalog
from irtui.commands.registry import all_commands
from irtui.commands.spec import Command, Param
from irtui.grammar.lines import STAGES, parse_script
from irtui.grammar.printing import print_word
from irtui.grammar.syntax import Plain, Word
from irtui.render.shapes import known_fields
from irtui.shell.meta import META, PLAIN_VERBS, setting_values
from irtui.shell.session import Held, Session, key_of
from irtui.shell.verbs import VERBS

__all__ = ["MOST", "Suggestion", "command_named", "match_score", "paths_from", "suggestions"]

MOST = 50

_ITEMS = frozenset(("which", "target", "targets", "start", "goal"))
_QUERY_WORDS = {
    "has": "the field is there",
    "in": "only this corpus",
    "mode": "hybrid, dense or lexical",
    "sort": "in the order of a field",
    "limit": "so many answers",
}
_MODES = ("hybrid", "dense", "lexical")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may stand in the place of ``start`` to the cursor, and what it is."""

    text: str
    start: int
    meta: str = ""
    shown: str = ""


def suggestions(text: str, catalog: Catalog, session: Session) -> list[Suggestion]:
    """Return what may come at the end of ``text``, best first, at most 50.

    A candidate fits when it holds the characters typed so far in their order; one that begins
    with them comes first. Ties keep the order of what is most likely.
    """
    start, wanted, candidates = _Reader(text, catalog, session).read()
    scored = []
    for number, (candidate, meta, shown) in enumerate(candidates):
        score = match_score(wanted, candidate)
        if score is None and shown:
            score = match_score(wanted, shown)
            score = None if score is None else score + 1
        if score is not None:
            scored.append((score, number, Suggestion(candidate, start, meta, shown)))
        if number > 20_000:
            break
    scored.sort(key=lambda each: each[:2])
    return [each[2] for each in scored[:MOST]]


def match_score(wanted: str, candidate: str) -> int | None:
    """Return how badly ``candidate`` fits, 0 for its beginning, ``None`` for not at all.

    >>> match_score("se", "search"), match_score("rch", "search"), match_score("x", "search")
    (0, 2, None)
    """
    wanted, whole = wanted.casefold(), candidate.casefold()
    if whole.startswith(wanted):
        return 0
    at = whole.find(wanted)
    if at >= 0:
        return 1 if not whole[at - 1].isalnum() else 2
    if len(wanted) < 2:
        return None
    at = first = -1
    for char in wanted:
        at = whole.find(char, at + 1)
        if at < 0:
            return None
        first = at if first < 0 else first
    return 3 + (at - first + 1 - len(wanted))


_Candidates = Iterable[tuple[str, str, str]]


class _Reader:
    """Finds out what is being typed at the end of a text."""

    def __init__(self, text: str, catalog: Catalog, session: Session) -> None:
        self.text, self.catalog, self.session = text, catalog, session

    def read(self) -> tuple[int, str, _Candidates]:
        """Return where the word begins, what of it is typed, and what it may become."""
        statements = parse_script(self.text)
        tokens = list(statements[-1].tokens) if statements else []
        end = len(self.text)
        fresh = not tokens or tokens[-1].span.end < end
        ended = tokens and fresh and "\n" in self.text[tokens[-1].span.end :]
        if ended and statements[-1].state == "complete":
            tokens = []
        start = end if fresh else tokens[-1].span.start
        word = self.text[start:]
        before = tokens if fresh else tokens[:-1]
        kind = "" if fresh else tokens[-1].kind
        if kind == "comment" or kind == "shell":
            return end, "", ()
        if kind == "quoted":
            return end, "", ()
        if (not before and word.startswith(":")) or (before and before[0].kind == "session"):
            return self._meta(start, word, [self._source(token) for token in before])
        if "$" in word and (word.startswith("$") or "=$" in word):
            at = start + word.index("$")
            return self._reference(at, self.text[at:])
        pipe = max((n for n, token in enumerate(before) if token.kind == "pipe"), default=None)
        if before and before[-1].kind == "redirect":
            return start, word, _paths(word)
        if pipe is not None:
            return self._stage(start, word, before[pipe + 1 :])
        words = [token for token in before if token.kind not in ("name", "operator")]
        if before and before[0].kind == "keyword":
            return self._condition(start, word, assertion=True)
        if not words:
            return start, word, self._verbs(assigned=bool(before))
        return self._argument(start, word, [self._source(token) for token in words])

    def _source(self, token: object) -> str:
        return self.text[slice(*token.span)]  # type: ignore[attr-defined]

    def _meta(self, start: int, word: str, before: Sequence[str]) -> tuple[int, str, _Candidates]:
        if not before:
            each = {id(meta): meta for meta in META.values()}.values()
            return start, word, [(f":{meta.name}", meta.summary, "") for meta in each]
        name = before[0].removeprefix(":")
        values: Mapping[str, Sequence[str]] = setting_values()
        if name == "set" and len(before) == 1:
            return start, word, _plain(values)
        if name == "set" and len(before) == 2:
            return start, word, _plain(values.get(before[1], ()))
        if name in values and len(before) == 1:
            return start, word, _plain(values[name])
        if name == "use":
            return start, word, self._corpora(built=True)
        if name in ("load", "unsave", "save") and len(before) == 1:
            return start, word, _plain(self.catalog.sets)
        if name == "source":
            return start, word, _paths(word)
        if name == "help":
            return start, word, self._verbs(assigned=False)
        return start, word, ()

    def _reference(self, start: int, word: str) -> tuple[int, str, _Candidates]:
        head, dot, rest = word.partition(".")
        if dot:
            held = self._held(head[1:])
            names = [] if held is None else known_fields(held.rows[:20], held.shape)
            special = [] if head[1:2].isdigit() else ["count", "top"]
            return start + len(head) + 1, rest, _plain([*names, *special])
        return start, word, list(self._names())

    def _names(self) -> Iterator[tuple[str, str, str]]:
        session = self.session
        for name, held in sorted(session.named.items()):
            yield f"${name}", f"{len(held.rows)} of {held.command}", ""
        if session.last is not None:
            yield "$_", "the last result", ""
        if session.selection.rows:
            yield "$sel", f"{len(session.selection.rows)} selected", ""
        if session.query:
            yield "$q", session.query, ""
        if session.listing is not None:
            for number, row in enumerate(session.listing.rows[:MOST], 1):
                yield f"${number}", str(row.get("title") or key_of(row) or ""), ""

    def _held(self, name: str) -> Held | None:
        if name == "_":
            return self.session.last
        if name == "sel":
            return self.session.selection
        return self.session.listing if name[:1].isdigit() else self.session.named.get(name)

    def _verbs(self, *, assigned: bool) -> _Candidates:
        found = [(command.name, command.summary, "") for command in all_commands()]
        found += [(verb.name, verb.summary, "") for verb in VERBS.values()]
        if not assigned:
            found.append(("assert", "fail unless a condition holds", ""))
            found += [(name, META[meta].summary, "") for name, meta in PLAIN_VERBS.items()]
        return found

    def _stage(
        self, start: int, word: str, before: Sequence[object]
    ) -> tuple[int, str, _Candidates]:
        if not before:
            return start, word, _plain([*STAGES, "!"])
        stage = self._source(before[0])
        if stage in ("sort", "fields"):
            at = 1 if word.startswith("-") else 0
            return start + at, word[at:], _plain(self._fields())
        if stage == "where":
            return self._condition(start, word, assertion=False)
        return start, word, ()

    def _condition(self, start: int, word: str, *, assertion: bool) -> tuple[int, str, _Candidates]:
        before = self.text[:start].rstrip()
        for sign in (">=", "<=", "!=", "!~", "=", "~", ">", "<"):
            if before.endswith(sign):
                name = before[: -len(sign)].split()[-1:] or [""]
                return start, word, _plain(self.catalog.values.get(name[0], ()))
        words = before.split()
        after = words[-1] if words else ""
        if after in ("where", "assert", "and", "or", "not", "has") or after.endswith("("):
            names = ["count", "top", "status", "selected"] if assertion else self._fields()
            return start, word, _plain([*names, "not", "has"])
        return start, word, _plain(["=", ">=", "<=", "!=", "~", "in", "and", "or"])

    def _fields(self) -> list[str]:
        held = self.session.last
        names = known_fields(held.rows[:20], held.shape) if held is not None else []
        return list(dict.fromkeys([*names, "score", "title", *self.catalog.fields]))

    def _argument(
        self, start: int, word: str, before: Sequence[str]
    ) -> tuple[int, str, _Candidates]:
        verb, *given = before
        if verb in VERBS:
            return start, word, list(self._names())
        if verb in PLAIN_VERBS:
            found = _paths(word) if verb == "run" else self._verbs(assigned=False)
            return start, word, found if verb in ("run", "help") else ()
        command = command_named(verb)
        if command is None:
            return self._query(start, word)
        options = {flag: param for param in command.every_param for flag in param.flags}
        previous = options.get(given[-1]) if given and "--" not in given else None
        if previous is not None and previous.type != "flag":
            return start, word, self._value(previous, word)
        if word.startswith("-") and "--" not in given:
            flag, glued, value = word.partition("=")
            if glued and flag in options:
                at = start + len(flag) + 1
                return at, value, self._value(options[flag], value)
            return start, word, [(flag, param.help, "") for flag, param in _flags(command, given)]
        param = _positional(command, given, options)
        if param is None:
            return start, word, ()
        if param.name == "query":
            return self._query(start, word)
        return start, word, self._value(param, word)

    def _value(self, param: Param, word: str) -> _Candidates:
        if param.choices:
            return _plain(param.choices)
        if param.type == "corpus":
            return self._corpora(built=param.name == "corpus")
        if param.type == "path":
            return _paths(word)
        if param.name in _ITEMS:
            items = [(_written(key), title, title) for key, title in self.catalog.items.items()]
            return [*self._names(), *items]
        if param.type == "filter" or param.name == "field":
            return [(name, where, "") for name, where in self.catalog.fields.items()]
        if param.name in ("name", "names"):
            return self._corpora(built=False)
        return ()

    def _query(self, start: int, word: str) -> tuple[int, str, _Candidates]:
        """Complete ``field:value`` and what steers a query; words themselves are left alone."""
        sign = 1 if word[:1] in ("-", "+") else 0
        name, colon, value = word[sign:].partition(":")
        if colon:
            at = start + sign + len(name) + 1
            value_at = value.rfind("|") + 1 if value.startswith("(") else 0
            value_at = value_at or (1 if value.startswith("(") else 0)
            at, value = at + value_at, value[value_at:]
            if name == "in":
                return at, value, self._corpora(built=True)
            if name == "mode":
                return at, value, _plain(_MODES)
            if name in ("has", "sort"):
                return at, value, _plain(self.catalog.fields)
            return at, value, [(_written(v), "", "") for v in self.catalog.values.get(name, ())]
        if not word[sign:]:
            return start, word, ()
        found = [(f"{name}:", about, "") for name, about in _QUERY_WORDS.items()]
        found += [(f"{name}:", where, "") for name, where in self.catalog.fields.items()]
        # Words of a question are not to be guessed at: only what they begin.
        wanted = word[sign:].casefold()
        close = [each for each in found if each[0].casefold().startswith(wanted)]
        return start + sign, word[sign:], close

    def _corpora(self, *, built: bool) -> _Candidates:
        texts = self.catalog.texts
        return [
            (_written(name), f"{texts[name]:,} texts" if name in texts else "not built", "")
            for name, is_built in self.catalog.corpora.items()
            if is_built or not built
        ]


def _plain(names: Iterable[str]) -> _Candidates:
    return [(name, "", "") for name in names]


def _written(name: str) -> str:
    return print_word(Word((Plain(name),)))


def command_named(verb: str) -> Command | None:
    """Return the command of that name or alias, if there is one."""
    return next(
        (each for each in all_commands() if verb == each.name or verb in each.aliases), None
    )


def _flags(command: Command, given: Sequence[str]) -> Iterator[tuple[str, Param]]:
    """Yield the flags that may still be given, long ones first."""
    used = {word.partition("=")[0] for word in given if word.startswith("-")}
    free = [p for p in command.every_param if p.flags and (p.many or not used & set(p.flags))]
    for param in free:
        yield param.flags[-1], param
    for param in free:
        for flag in param.flags[:-1]:
            yield flag, param


def _positional(
    command: Command, given: Sequence[str], options: Mapping[str, Param]
) -> Param | None:
    params = [param for param in command.params if param.positional]
    at = 0
    waiting = False
    for word in given:
        param = options.get(word)
        if waiting:
            waiting = False
        elif param is not None:
            waiting = param.type != "flag"
        elif not word.startswith("-"):
            at += 1
    if at < len(params):
        return params[at]
    return params[-1] if params and params[-1].many else None


def _paths(word: str) -> _Candidates:
    """Return the entries of the folder that is being typed, as a line has them."""
    bare = ((path.removesuffix("/"), path.endswith("/")) for path in paths_from(word))
    return [(_written(path) + "/" * folder, "", "") for path, folder in bare]


def paths_from(word: str) -> list[str]:
    """Return the entries of the folder that is being typed; hidden ones only when asked for.

    Folders end in a slash.
    """
    folder, name = os.path.split(word)
    try:
        place = os.path.expanduser(folder)  # noqa: PTH111 - Path.expanduser() raises
        entries = sorted(os.scandir(place or "."), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return []
    found = []
    for entry in entries[:1_000]:
        if entry.name.startswith(".") and not name.startswith("."):
            continue
        try:
            slash = "/" if entry.is_dir() else ""
        except OSError:
            slash = ""
        found.append(os.path.join(folder, entry.name) + slash)  # noqa: PTH118 - "./a" stays "./a"
    return found
