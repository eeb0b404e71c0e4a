"""Cut a text into chunks by characters or by tokens, each with its lines and heading.

Every chunk is an exact slice of the text; :mod:`irengine.strategy.cutter` says where it is cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from irengine.cancelling import checkpoint
from irengine.checks import whole_number
from irengine.errors import ParameterError
from irengine.strategy.budgets import Budget, CharBudget, TokenBudget, offsets_of, tokenizer_for
from irengine.strategy.cutter import Cutter
from irengine.strategy.markdown import Outline, outline

__all__ = ["Chunk", "check_sizes", "chunk_text", "chunks_of", "split", "split_by_tokens"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of a text: ``text[start:end]``.

    ``line_start`` and ``line_end`` are 1-based and inclusive. ``heading`` is the path of the
    headings in force at the chunk's start (``"A > B"``), ``""`` when there is none; a heading
    that opens the chunk is in force.
    """

    text: str
    start: int
    end: int
    line_start: int
    line_end: int
    heading: str


def check_sizes(
    chunk_size: Any = 1, overlap: Any = 0, max_tokens: Any = None, *, clamp: bool = False
) -> None:
    """Raise a ``ParameterError`` that names the size that makes no sense.

    ``clamp`` allows an overlap of the whole chunk or more (the cutter caps it).
    """
    for name, value, least in (
        ("chunk_size", chunk_size, 1),
        ("overlap", overlap, 0),
        ("max_tokens", 1 if max_tokens is None else max_tokens, 1),
    ):
        whole_number(name, value, least=least)
    if overlap >= chunk_size and not clamp:
        raise ParameterError(
            f"overlap must be less than chunk_size ({chunk_size}), not {overlap}",
            hint="a tenth to a fifth of chunk_size is usual",
        )


def _cut_up(text: str, budget: Budget, structure: Outline) -> Iterator[Chunk]:
    heads = [h.start for h in structure.headings]
    line, counted = 1, 0
    for start, end in Cutter(text, budget, structure).spans():
        checkpoint()
        line += text.count("\n", counted, start)
        counted = start
        at = bisect_right(heads, start) - 1
        heading = structure.paths[at] if at >= 0 else ""
        last = line + text.count("\n", start, end)
        yield Chunk(text[start:end], start, end, line, last, heading)


def chunks_of(
    text: str,
    *,
    chunk_size: int,
    overlap: int,
    max_tokens: int | None = None,
    token_model: str | None = None,
) -> list[Chunk]:
    """Return the chunks of ``text`` in order; ``[]`` when it is blank.

    Counts code points, at most ``chunk_size`` a chunk; or with ``max_tokens`` tokens of
    ``token_model`` (``None``: the default embedding model), of which the next chunk repeats up to
    ``round(max_tokens * overlap / chunk_size)``. When that tokenizer is not available: a
    ``UserWarning``, and code points.

    Raises:
        ParameterError: a size is out of range.
    """
    check_sizes(chunk_size, overlap, max_tokens, clamp=True)
    budget: Budget = CharBudget(chunk_size, overlap)
    if max_tokens is not None and text.strip():
        offsets = tokenizer_for(token_model)
        if offsets is not None:
            repeated = round(max_tokens * overlap / chunk_size)
            budget = TokenBudget(text, offsets, max_tokens, repeated)
    return list(_cut_up(text, budget, outline(text)))


def chunk_text(
    text: str,
    *,
    chunk_size: int,
    overlap: int,
    max_tokens: int | None = None,
    token_model: str | None = None,
) -> list[str]:
    """Return the texts of :func:`chunks_of`."""
    chunks = chunks_of(
        text,
        chunk_size=chunk_size,
        overlap=overlap,
        max_tokens=max_tokens,
        token_model=token_model,
    )
    return [chunk.text for chunk in chunks]


def split(text: str, *, chunk_size: int, overlap: int) -> list[str]:
    """Cut ``text`` into slices of at most ``chunk_size`` code points.

    >>> split("one two. Three four", chunk_size=12, overlap=0)
    ['one two.', 'Three four']
    """
    return chunk_text(text, chunk_size=chunk_size, overlap=overlap)


def split_by_tokens(
    text: str, *, tokenizer: Any, max_tokens: int, overlap_tokens: int
) -> list[str]:
    """Cut ``text`` into slices of at most ``max_tokens`` tokens of ``tokenizer``.

    ``tokenizer`` is anything that :func:`irengine.strategy.budgets.offsets_of` takes.
    """
    check_sizes(max_tokens, overlap_tokens, max_tokens, clamp=True)
    budget = TokenBudget(text, offsets_of(tokenizer), max_tokens, overlap_tokens)
    return [chunk.text for chunk in _cut_up(text, budget, outline(text))]
