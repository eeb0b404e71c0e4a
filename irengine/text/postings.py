"""The inverted index of a segment: sorted numpy arrays that are written once and mapped.

Terms are sorted by their UTF-8 bytes and found by binary search over their first eight
bytes, so opening an index reads nothing but array headers. Term frequencies are stored, not
scores: ``k1``, ``b`` and filters stay choices of the query.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from irengine.text.analyzer import chunk_terms

__all__ = ["Postings", "build_postings", "load_postings", "merge_postings", "save_postings"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_PIECE = 1 << 20
_BLANK = re.compile(r"\s")
_BLOCK = 1 << 20  # chunks analysed before they are sorted: bounds the memory of a build


class Postings:
    """An immutable inverted index over ``n`` rows, in memory or memory-mapped.

    Attributes:
        n: number of rows.
        lengths: int32 ``(n,)``, number of terms of each row: the BM25 document length.
    """

    __slots__ = (
        "__dict__",
        "_docs",
        "_keys",
        "_pointers",
        "_tfs",
        "_vocab",
        "_word_ends",
        "lengths",
        "n",
    )

    def __init__(
        self,
        *,
        vocab: npt.NDArray[np.uint8],
        word_ends: Int64,
        keys: npt.NDArray[np.uint64],
        pointers: Int64,
        docs: Int32,
        tfs: Int32,
        lengths: Int32,
    ) -> None:
        self.n = len(lengths)
        self.lengths = lengths
        self._vocab = vocab
        self._word_ends = word_ends
        self._keys = keys
        self._pointers = pointers
        self._docs = docs
        self._tfs = tfs

    def __len__(self) -> int:
        """Return the size of the vocabulary."""
        return len(self._keys)

    @cached_property
    def n_filled(self) -> int:
        """Number of rows that have terms."""
        return int(np.count_nonzero(self.lengths))

    @cached_property
    def n_terms(self) -> int:
        """Sum of the lengths of all rows."""
        return int(self.lengths.sum(dtype=np.int64))

    def lookup(self, term: str) -> tuple[Int32, Int32] | None:
        """Return the rows of ``term``, ascending, and its frequency in each, or None."""
        word = term.encode("utf-8", "surrogatepass")
        i = self._position(word)
        if i == len(self) or self._word(i) != word:
            return None
        a, b = int(self._pointers[i]), int(self._pointers[i + 1])
        return self._docs[a:b], self._tfs[a:b]

    def words(self) -> list[bytes]:
        """Return the whole vocabulary in order, as UTF-8."""
        blob = self._vocab.tobytes()
        ends: list[int] = self._word_ends.tolist()
        return [blob[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return the arrays by the name of the file each is saved in."""
        return {
            "lex-vocab.npy": self._vocab,
            "lex-vocab-ends.npy": self._word_ends,
            "lex-vocab-keys.npy": self._keys,
            "lex-pointers.npy": self._pointers,
            "lex-docs.npy": self._docs,
            "lex-tfs.npy": self._tfs,
            "lex-lengths.npy": self.lengths,
        }

    def _word(self, i: int) -> bytes:
        a = int(self._word_ends[i - 1]) if i else 0
        return self._vocab[a : int(self._word_ends[i])].tobytes()

    def _position(self, word: bytes) -> int:
        """Return the position of the first term that is not less than ``word``."""
        low = int(self._keys.searchsorted(np.uint64(_key(word))))
        # Terms that share their first eight bytes are neighbours, and few.
        high, step = low, 1
        while high < len(self) and self._word(high) < word:
            low, high, step = high + 1, high + step, step * 2
        high = min(high, len(self))
        while low < high:
            middle = (low + high) // 2
            if self._word(middle) < word:
                low = middle + 1
            else:
                high = middle
        return low


def _key(word: bytes) -> int:
    """Return the first eight bytes as a number: it orders terms as their bytes do."""
    return int.from_bytes(word[:8].ljust(8, b"\0"), "big")


def _assemble(
    words: list[bytes], term_of: Int64, docs: Int32, tfs: Int32, lengths: Int32
) -> Postings:
    """Build postings from sorted distinct ``words`` and postings sorted by term, then row."""
    postings = Postings(
        vocab=np.frombuffer(b"".join(words), dtype=np.uint8),
        word_ends=np.cumsum([len(word) for word in words], dtype=np.int64),
        keys=np.array([_key(word) for word in words], dtype=np.uint64),
        pointers=np.searchsorted(term_of, np.arange(len(words) + 1)).astype(np.int64),
        docs=docs,
        tfs=tfs,
        lengths=lengths,
    )
    for values in postings.arrays().values():
        values.flags.writeable = False
    return postings


class _TermNumbers(dict[str, int]):
    """Terms numbered in order of first appearance."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _ChunkNumbers(dict[str, int]):
    """Chunks numbered in order of first appearance, with the term numbers of each."""

    def __init__(self, terms: _TermNumbers) -> None:
        super().__init__()
        self._number = terms.__getitem__
        self.terms = array("i")
        self.ends = array("q", [0])

    def __missing__(self, chunk: str) -> int:
        number = self[chunk] = len(self)
        self.terms.extend(map(self._number, chunk_terms(chunk)))
        self.ends.append(len(self.terms))
        return number


class _Block:
    """Occurrences of chunks that are counted together."""

    def __init__(self, terms: _TermNumbers) -> None:
        self.chunks = _ChunkNumbers(terms)
        self.occurrences = array("i")
        self.rows = array("i")
        self.counts = array("i")

    def add(self, row: int, text: str) -> None:
        before = len(self.occurrences)
        self.occurrences.extend(map(self.chunks.__getitem__, text.split()))
        self.rows.append(row)
        self.counts.append(len(self.occurrences) - before)

    def is_full(self) -> bool:
        return len(self.occurrences) + len(self.chunks.terms) >= _BLOCK

    def sorted(self) -> tuple[Int32, Int32, Int32]:
        """Return term numbers, rows and frequencies, by term number and then by row."""
        ends = np.array(self.chunks.ends, dtype=np.int64)
        chunk_of = np.array(self.occurrences, dtype=np.int64)
        width = np.diff(ends)[chunk_of]
        # Expand every occurrence of a chunk to the terms of that chunk.
        starts = np.repeat(ends[:-1][chunk_of] - (np.cumsum(width) - width), width)
        term = np.array(self.chunks.terms, dtype=np.int64)[starts + np.arange(len(starts))]
        rows = np.array(self.rows, dtype=np.int64)
        row = np.repeat(np.repeat(rows, np.array(self.counts, dtype=np.int64)), width)
        keys, tfs = np.unique((term << 32) | row, return_counts=True)
        return (
            (keys >> 32).astype(np.int32),
            (keys & 0xFFFFFFFF).astype(np.int32),
            tfs.astype(np.int32),
        )


def build_postings(texts: Iterable[str]) -> Postings:
    """Analyse each text and return its postings; row ``i`` is the ``i``-th text.

    The result depends on nothing but the texts. Working memory is bounded by one block of
    chunks besides the postings themselves, however long a text is.
    """
    terms = _TermNumbers()
    blocks: list[tuple[Int32, Int32, Int32]] = []
    block = _Block(terms)
    n = 0
    for row, text in enumerate(texts):
        n += 1
        for piece in _pieces(text):
            block.add(row, piece)
            if block.is_full():
                blocks.append(block.sorted())
                block = _Block(terms)
    blocks.append(block.sorted())

    order, words = _sorted_words(list(terms))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    term_of = rank[np.concatenate([numbers for numbers, _, _ in blocks])]
    by_term = np.argsort(term_of, kind="stable")  # blocks come in row order
    term_of = term_of[by_term]
    docs = np.concatenate([rows for _, rows, _ in blocks])[by_term]
    tfs = np.concatenate([frequencies for _, _, frequencies in blocks])[by_term]
    is_new = np.ones(len(docs), dtype=np.bool_)
    is_new[1:] = (term_of[1:] != term_of[:-1]) | (docs[1:] != docs[:-1])
    if not is_new.all():
        # A text that went over a block boundary.
        first = np.flatnonzero(is_new)
        term_of, docs = term_of[first], docs[first]
        tfs = np.add.reduceat(tfs, first, dtype=np.int32)
    lengths = np.bincount(docs, weights=tfs, minlength=n).astype(np.int32)
    return _assemble(words, term_of, docs, tfs, lengths)


def _pieces(text: str) -> Iterator[str]:
    """Cut a very long text at white space, so that no list of all its words is needed."""
    start = 0
    while len(text) - start > _PIECE and (blank := _BLANK.search(text, start + _PIECE)):
        yield text[start : blank.start()]
        start = blank.end()
    yield text[start:] if start else text


def _sorted_words(terms: list[str]) -> tuple[Int64, list[bytes]]:
    encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    return np.array(order, dtype=np.int64), [encoded[i] for i in order]


def merge_postings(parts: Sequence[tuple[Postings, npt.NDArray[np.bool_]]]) -> Postings:
    """Return the postings of the kept rows of all parts, one part after the other.

    ``keep`` is a mask over the rows of its part. Nothing is analysed again: the result equals
    ``build_postings`` over the texts of the kept rows.
    """
    vocabularies = [postings.words() for postings, _ in parts]
    numbers = {word: i for i, word in enumerate(sorted(set().union(*vocabularies)))}
    terms, docs, tfs, lengths = [], [], [], []
    offset = 0
    for (postings, keep), words in zip(parts, vocabularies, strict=True):
        keep = np.asarray(keep, dtype=np.bool_)
        arrays = postings.arrays()
        term_numbers = np.array([numbers[word] for word in words], dtype=np.int64)
        term_of = np.repeat(term_numbers, np.diff(arrays["lex-pointers.npy"]))
        rows = arrays["lex-docs.npy"]
        alive = keep[rows]
        moved = np.cumsum(keep, dtype=np.int64) - 1 + offset
        terms.append(term_of[alive])
        docs.append(moved[rows[alive]].astype(np.int32))
        tfs.append(arrays["lex-tfs.npy"][alive])
        lengths.append(postings.lengths[keep])
        offset += int(np.count_nonzero(keep))
    empty = np.empty(0, np.int32)
    term_of = np.concatenate(terms) if terms else np.empty(0, np.int64)
    by_term = np.argsort(term_of, kind="stable")
    used, numbered = np.unique(term_of[by_term], return_inverse=True)
    words = list(numbers)
    return _assemble(
        [words[i] for i in used.tolist()],
        numbered,
        np.concatenate(docs or [empty])[by_term],
        np.concatenate(tfs or [empty])[by_term],
        np.concatenate(lengths or [empty]),
    )


def save_postings(postings: Postings, folder: Path) -> None:
    """Write ``postings`` as ``lex-*.npy`` files into an existing folder, without fsync."""
    for name, values in postings.arrays().items():
        np.save(folder / name, values, allow_pickle=False)


def load_postings(folder: Path) -> Postings:
    """Open postings that ``save_postings`` wrote; the arrays are mapped, not read."""

    def load(name: str) -> npt.NDArray[Any]:
        # A plain view: slices of np.memmap cost more.
        return np.asarray(np.load(folder / name, mmap_mode="r", allow_pickle=False))

    return Postings(
        vocab=load("lex-vocab.npy"),
        word_ends=load("lex-vocab-ends.npy"),
        keys=load("lex-vocab-keys.npy"),
        pointers=load("lex-pointers.npy"),
        docs=load("lex-docs.npy"),
        tfs=load("lex-tfs.npy"),
        lengths=load("lex-lengths.npy"),
    )
