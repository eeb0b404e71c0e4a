"""Random statements and queries, in the one form the parsers give them."""

from __future__ import annotations

from hypothesis import strategies as st

from irtui.grammar.lines import RENDERS, RESERVED
from irtui.grammar.query.syntax import (
    Between,
    Compare,
    Empty,
    Field,
    OneOf,
    Phrase,
    Query,
    StartsWith,
    Term,
    Text,
)
from irtui.grammar.quoting import opens_quote
from irtui.grammar.syntax import (
    All,
    AnyOf,
    Assertion,
    Command,
    Comment,
    Comparison,
    Fields,
    Group,
    Has,
    Not,
    Output,
    Pipeline,
    Plain,
    Quoted,
    Ref,
    Render,
    Session,
    Shell,
    Sort,
    Take,
    Where,
    Word,
)
from irtui.grammar.values import Value

ODD = "\"'\\|()<>#$:=~*+-,.;!&@{}[]%^?/ \tab1é中😀\x00\x1b\u202e"

hostile = st.text(alphabet=ODD + "\n", max_size=30) | st.text(max_size=30)
name = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
anything = st.text(alphabet=ODD, min_size=1, max_size=8) | st.text(
    st.characters(exclude_characters="\n"), min_size=1, max_size=8
)

ref = st.builds(
    Ref,
    st.integers(1, 99).map(str) | name,
    st.none(),
    st.just("") | st.from_regex(r"[a-z]\w{0,4}(\.\w{1,4})?", fullmatch=True).filter(str.isascii),
) | st.builds(Ref, st.integers(1, 99).map(str), st.integers(1, 99))

quoted = st.builds(Quoted, st.text(alphabet=ODD + "\n", max_size=8), st.booleans())
group = st.sampled_from(["a|b", '"a b"|c', "", "a (b) c", "x\\)y"]).map(Group)


@st.composite
def word(draw) -> Word:
    """A word: a reference, a quoted text, or stretches that touch the way they can."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return Word((draw(ref),))
    if kind == 1:
        return Word((draw(quoted),))
    if kind == 2:
        return Word((Plain(f"{draw(name)}:"), draw(group)))
    if kind == 3:
        part = draw(quoted)
        opener = draw(st.sampled_from([c for c in "=:+-,~" if opens_quote(_mark(part), c)]))
        return Word((Plain(draw(name) + opener), part))
    if kind == 4:
        return Word((Plain(f"--{draw(name)}="), draw(ref)))
    return Word((Plain(draw(anything)),))


def _mark(part: Quoted) -> str:
    return '"' if part.double else "'"


field_name = st.text(min_size=1, max_size=6).filter(str.strip)
operand = name | field_name | ref
bare_value = (
    st.from_regex(r"[\w.:@+-]{1,8}", fullmatch=True)
    .filter(lambda text: not text.endswith("\n"))
    .map(Value)
)
quoted_value = st.text(max_size=8).map(lambda text: Value(text, quoted=True))
value = bare_value | quoted_value | ref
comparison = st.builds(
    Comparison,
    operand,
    st.sampled_from([">", ">=", "<", "<=", "=", "!=", "~", "!~"]),
    st.tuples(value),
) | st.builds(
    Comparison, operand, st.just("in"), st.lists(value, min_size=1, max_size=3).map(tuple)
)
condition = st.recursive(
    comparison | st.builds(Has, operand),
    lambda inner: (
        st.builds(Not, inner)
        | st.lists(inner, min_size=2, max_size=3).map(tuple).map(All)
        | st.lists(inner, min_size=2, max_size=3).map(tuple).map(AnyOf)
    ),
    max_leaves=6,
)

key = anything.filter(lambda text: not text.startswith("-"))
stage = (
    st.builds(Take, st.sampled_from(["head", "tail"]), st.integers(0, 10**8))
    | condition.map(Where)
    | st.builds(Sort, key, st.booleans())
    | st.lists(anything, min_size=1, max_size=3).map(tuple).map(Fields)
    | st.sampled_from(RENDERS).map(Render)
)
shell = (
    st.text(st.characters(exclude_characters="\n"), min_size=1, max_size=8)
    .map(str.strip)
    .filter(bool)
    .map(Shell)
)
verb = name.filter(lambda text: text != "assert").map(lambda text: Word((Plain(text),)))
words = st.lists(word(), max_size=4).map(tuple)
pipeline = st.builds(
    Pipeline,
    st.builds(Command, verb, words),
    st.lists(stage, max_size=3).map(tuple),
    st.none() | st.builds(Output, word(), st.booleans()),
    st.none() | name.filter(lambda text: text not in RESERVED),
)
statement = (
    pipeline
    | st.builds(
        lambda line, last: Pipeline(line.command, (*line.stages, last), None, line.name),
        pipeline,
        shell,
    )
    | st.builds(Session, st.from_regex(r"[a-z]{1,6}", fullmatch=True), words)
    | condition.map(Assertion)
    | st.text(st.characters(exclude_characters="\n"), max_size=10).map(Comment)
)

# --- queries ------------------------------------------------------------------------------

_query_text = st.text(alphabet=ODD + "\n", min_size=1, max_size=12) | st.text(
    min_size=1, max_size=12
)
_text = _query_text.map(str.strip).filter(bool).map(Text)
_one_line = anything
_term = st.builds(Term, _one_line, st.sampled_from(["+", "-"]), st.just(False)) | st.builds(
    Term,
    _one_line.filter(lambda text: any(map(str.isalnum, text))),
    st.sampled_from(["", "+", "-"]),
    st.just(True),
)
_phrase = st.builds(
    Phrase, _query_text.filter(str.strip), st.sampled_from(["", "+", "-"]), st.booleans()
)
_literal = _one_line.map(Value) | st.text(max_size=8).map(lambda text: Value(text, quoted=True))
_end = st.integers(-99, 3000).map(lambda number: Value(str(number))) | st.dates().map(
    lambda day: Value(day.isoformat())
)
_listed = _one_line.filter(str.strip).map(Value) | st.text(max_size=8).map(
    lambda text: Value(text, quoted=True)
)
_match = (
    st.just(Empty())
    | _literal.map(lambda one: OneOf((one,)))
    | st.lists(_listed, min_size=2, max_size=3).map(tuple).map(OneOf)
    | st.builds(Compare, st.sampled_from([">", ">=", "<", "<=", "=", "~"]), _literal)
    | st.builds(Between, _end, _end)
    | st.builds(Between, _end, st.none())
    | st.builds(Between, st.none(), _end)
    | _one_line.map(StartsWith)
)
_field = st.builds(
    Field, st.from_regex(r"[^\W\d][\w.-]{0,5}", fullmatch=True), _match, st.booleans()
)


def _joined(clauses: list) -> Query:
    """Free words that follow each other are one clause."""
    kept: list = []
    for clause in clauses:
        if kept and isinstance(clause, Text) and isinstance(kept[-1], Text):
            continue
        kept.append(clause)
    return Query(tuple(kept))


query = st.lists(_text | _term | _phrase | _field, max_size=4).map(_joined)

__all__ = ["hostile", "query", "statement"]
