"""Words an answer must hold, or must not: exact conditions beside a ranking, in every mode.

A condition is one word or several that stand next to each other. Words are compared as the index
has them: letter case, accents and inflection aside, an identifier by its parts (``cloud-init`` is
``cloud`` followed by ``init``), a script without spaces by its characters. What is searched is what
a row is found by: its text, and the names of the file it is from.

The verdict is that of an artifact: it qualifies when each required wording occurs in one of its
rows and no excluded one in any of them. Of its rows, those are kept that hold a required wording,
so that what is shown shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from irengine.errors import ParameterError
from irengine.store.rows import lexical_text
from irengine.text.words import Word, words_of

if TYPE_CHECKING:
    from irengine.store import Segment, Snapshot

__all__ = ["Worded", "Wording", "Words", "check_wording", "worded_rows"]

Bools = npt.NDArray[np.bool_]

_MAX_TERMS = 64
_KEPT_CHUNKS = 1 << 16
_KEPT_LENGTH = 48


@dataclass(frozen=True, slots=True)
class Words:
    """One word, or several that stand next to each other.

    A single word matches where a search for it would find it, parts of ``camelCase`` included;
    with ``whole`` (what quotes say) only where it is a word of its own. With ``prefix`` the last
    word is the beginning of one, as it is written and not as it is stemmed. A text without a
    word in it (``"—"``) says nothing and is passed over.
    """

    text: str
    whole: bool = False
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """What an answer must hold and what it must not."""

    required: tuple[Words, ...] = ()
    excluded: tuple[Words, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.required or self.excluded)


@dataclass(frozen=True, slots=True)
class Worded:
    """The rows that qualify: bool ``(n,)``, and the index terms the prefixes stood for.

    ``terms`` are at most 64, sorted; a lexical ranking adds them to those of the query.
    """

    mask: Bools
    terms: tuple[str, ...] = ()


def check_wording(wording: object) -> Wording | None:
    """Return ``wording`` when it is one, ``None`` for ``None`` and for one without conditions.

    Raises:
        ParameterError: for anything else.
    """
    if wording is None:
        return None
    if not isinstance(wording, Wording):
        raise ParameterError(
            f"wording takes a Wording, not {wording!r:.60}",
            hint='for example Wording(required=(Words("bees"),))',
        )
    for words in (*wording.required, *wording.excluded):
        if not isinstance(words, Words) or not isinstance(words.text, str):
            raise ParameterError(f"a wording holds Words, not {words!r:.60}")
    return wording or None


def worded_rows(snapshot: Snapshot, wording: Wording, among: Bools | None) -> Worded:
    """Return which rows of ``among`` (bool ``(n,)``; ``None`` = all, all alive) qualify.

    An artifact is judged by its rows in ``among``. A single word is looked up; of the rest only
    rows that have all its words are read, and for a prefix those whose bytes hold it.
    """
    mask = np.ones(snapshot.n, dtype=bool) if among is None else among
    artifacts = snapshot.artifact_codes
    n_artifacts = int(artifacts.max()) + 1 if len(artifacts) else 0
    qualified = np.ones(n_artifacts, dtype=bool)
    holding = np.zeros(snapshot.n, dtype=bool)
    terms: dict[str, int] = {}
    asked = False
    for words, wanted in _conditions(wording):
        sequence = words_of(words.text)
        if not sequence:
            continue
        rows = _rows_with(snapshot, words, sequence, mask, terms if wanted else {})
        present = np.zeros(n_artifacts, dtype=bool)
        present[artifacts[rows]] = True
        qualified &= present if wanted else ~present
        if wanted:
            holding |= rows
            asked = True
    verdict = mask & qualified[artifacts]
    if asked:
        verdict &= holding
    commonest = sorted(terms, key=lambda term: (-terms[term], term))[:_MAX_TERMS]
    return Worded(verdict, tuple(sorted(commonest)))


def _conditions(wording: Wording) -> Iterator[tuple[Words, bool]]:
    for words in dict.fromkeys(wording.required):
        yield words, True
    for words in dict.fromkeys(wording.excluded):
        yield words, False


def _rows_with(
    snapshot: Snapshot, words: Words, sequence: list[Word], mask: Bools, terms: dict[str, int]
) -> Bools:
    """Return the rows of ``mask`` that hold ``words``; count what a prefix stood for in ``terms``.

    ``sequence`` are the words of ``words``, at least one.
    """
    found = np.zeros(snapshot.n, dtype=bool)
    stems = sequence[:-1] if words.prefix else sequence
    finder = _Finder(sequence, prefix=words.prefix)
    looked_up = len(sequence) == 1 and not words.whole and not words.prefix
    for segment, offset in zip(snapshot.segments, snapshot.offsets, strict=True):
        possible = mask[offset : offset + segment.n].copy()
        for word in stems:
            possible &= _rows_of_any(segment, word.terms)
        if looked_up:
            found[offset : offset + segment.n] = possible
            continue
        for row in np.flatnonzero(possible).tolist():
            if words.prefix and not _may_hold(segment.line(row), sequence[-1].written):
                continue
            last = finder.last_word(lexical_text(segment.row(row)))
            if last is None:
                continue
            found[offset + row] = True
            if words.prefix:
                for term in last.terms:
                    terms[term] = terms.get(term, 0) + 1
    return found


def _rows_of_any(segment: Segment, terms: Iterable[str]) -> Bools:
    rows = np.zeros(segment.n, dtype=bool)
    for term in terms:
        entry = segment.postings.lookup(term)
        if entry is not None:
            rows[entry[0]] = True
    return rows


def _may_hold(line: bytes, beginning: str) -> bool:
    """Return whether the stored line of a row can hold a word with that beginning.

    Exact words are looked for afterwards; where letters may be written in another way (with
    accents, or escaped) the answer is yes.
    """
    if not line.isascii() or b"\\u" in line or not beginning.isascii():
        return True
    return beginning.encode("ascii") in line.lower()


class _Finder:
    """Finds a sequence of words in many texts.

    Which chunks (stretches without white space) hold its first word is kept: most chunks occur in
    most texts, and so most of a text need not be looked at word by word.
    """

    def __init__(self, sequence: Sequence[Word], *, prefix: bool) -> None:
        self._sequence = sequence
        self._prefix = prefix
        self._starts: dict[str, bool] = {}

    def last_word(self, text: str) -> Word | None:
        """Return the last word of the first place where the sequence stands in ``text``."""
        chunks = text.split()
        known = self._starts.get
        for at, chunk in enumerate(chunks):
            starts = known(chunk)
            if starts or (starts is None and self._begins_in(chunk)):
                found = self._from(chunks, at)
                if found is not None:
                    return found
        return None

    def _begins_in(self, chunk: str) -> bool:
        begins = any(self._matches(0, word) for word in words_of(chunk))
        if len(chunk) <= _KEPT_LENGTH:
            if len(self._starts) >= _KEPT_CHUNKS:
                self._starts.clear()
            self._starts[chunk] = begins
        return begins

    def _from(self, chunks: Sequence[str], at: int) -> Word | None:
        """Return the last word of a place that begins in the chunk ``at``."""
        words = words_of(chunks[at])
        first, length = len(words), len(self._sequence)
        following = islice(chunks, at + 1, None)
        for start in range(first):
            while len(words) < start + length and (chunk := next(following, None)) is not None:
                words += words_of(chunk)
            place = words[start : start + length]
            if len(place) == length and all(map(self._matches, range(length), place)):
                return place[-1]
        return None

    def _matches(self, at: int, word: Word) -> bool:
        wanted = self._sequence[at]
        if self._prefix and at == len(self._sequence) - 1:
            return word.written.startswith(wanted.written)
        return not wanted.terms.isdisjoint(word.terms)
