"""``select`` and ``drop``: what is kept aside for later, across searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from irengine.errors import nearest
from irtui.grammar.problems import GrammarError
from irtui.grammar.syntax import Word
from irtui.shell.front import Front
from irtui.shell.names import rows_meant
from irtui.shell.session import Held, Session, key_of

__all__ = ["VERBS", "Verb"]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb that only sessions have."""

    name: str
    usage: str
    summary: str
    run: Callable[[Session, tuple[Word, ...], Front], Held]


def _select(session: Session, words: tuple[Word, ...], front: Front) -> Held:
    """Add rows to the selection and return it; without words only return it."""
    if words:
        added = session.select(_rows(session, words))
        front.remarks.note(f"{added} selected, {len(session.selection.rows)} in all")
    return session.selection


def _drop(session: Session, words: tuple[Word, ...], front: Front) -> Held:
    """Take rows out of the selection and return what is left."""
    if not words:
        raise GrammarError("drop what?", hint="drop $1 $3, drop ID, or drop $sel for all of it")
    dropped = session.drop(_rows(session, words, of=session.selection))
    front.remarks.note(f"{dropped} dropped, {len(session.selection.rows)} left")
    return session.selection


def _rows(
    session: Session, words: tuple[Word, ...], of: Held | None = None
) -> list[Mapping[str, Any]]:
    """Return the rows that are meant by references, or by what they are called."""
    found: list[Mapping[str, Any]] = []
    for word in words:
        if word.ref is not None:
            if word.ref.field:
                raise GrammarError("rows are meant here, not a field of them")
            found += rows_meant(session, word.ref)[1]
            continue
        held = of or session.listing
        rows = [] if held is None else [row for row in held.rows if key_of(row) == word.text]
        if not rows:
            keys = [] if held is None else [key_of(row) or "" for row in held.rows]
            raise GrammarError(
                f"{word.text!r} is not in the {'selection' if of else 'last listing'}",
                hint=nearest(word.text, keys) or "$1, $2… are its rows",
            )
        found += rows
    return found


VERBS: Mapping[str, Verb] = {
    verb.name: verb
    for verb in (
        Verb("select", "select [ROW…]", "keep rows aside as $sel, or list what is kept", _select),
        Verb("drop", "drop ROW…", "take rows out of $sel", _drop),
    )
}
