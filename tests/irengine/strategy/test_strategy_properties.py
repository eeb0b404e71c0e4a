"""What holds for the chunks of every text."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from irengine.strategy.budgets import TokenBudget
from irengine.strategy.chunking import _cut_up, chunks_of
from irengine.strategy.markdown import outline

PIECES = re.compile(r"\w{1,4}|[^\w\s]")
FRAGMENTS = [
    "word",
    "longer-word",
    "Sentence ends. ",
    "Why? ",
    "\n",
    "\n\n",
    "\r\n",
    "\n# Heading\n",
    "\n## Sub *heading*\n\n",
    "\nSetext\n---\n",
    "\n```\n",
    "\n~~~py\n",
    "\n- item ",
    "\n| a | b |",
    "    ",
    "\t",
    "中文没有空格。",
    "日本語",
    "e\u0301",
    "👨‍👩‍👧",
    "🇫🇷",
    "हिन्दी",
    "x" * 70,
    "a,b,c,",
    "\u3000",
    "\u00a0",
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5) | st.just(" "), max_size=80).map(
    "".join
)


def pieces(text):
    return [match.span() for match in PIECES.finditer(text)]


def whole(text, position, size):
    """Tell whether ``position`` is outside a word, or inside a string longer than ``size``."""
    before, after = text[position - 1 : position], text[position : position + 1]
    if not (before.isalnum() and after.isalnum()) or ord(before) > 0x3000 or ord(after) > 0x3000:
        return True
    start, end = position, position
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return size(text[start:end])


def check(text, chunks, too_long):
    covered = 0
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end] == chunk.text.strip() != ""
        assert chunk.line_start == text.count("\n", 0, chunk.start) + 1
        assert chunk.line_end == text.count("\n", 0, chunk.end) + 1
        assert not text[covered : chunk.start].strip()
        covered = chunk.end
    assert not text[covered:].strip()
    for before, after in zip(chunks, chunks[1:], strict=False):
        assert before.start < after.start
        assert before.end < after.end
    for chunk in chunks:
        assert whole(text, chunk.start, too_long)
        assert whole(text, chunk.end, too_long)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 120), st.integers(0, 150))
def test_chunks_of_characters(text, size, overlap):
    chunks = chunks_of(text, chunk_size=size, overlap=overlap)
    check(text, chunks, lambda run: len(run) > size)
    assert all(len(chunk.text) <= size for chunk in chunks)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 40), st.integers(0, 50))
def test_chunks_of_tokens(text, size, overlap):
    chunks = list(_cut_up(text, TokenBudget(text, pieces, size, overlap), outline(text)))
    check(text, chunks, lambda run: len(pieces(run)) > size or len(run) > 16 * size)
    assert all(len(pieces(chunk.text)) <= size for chunk in chunks)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(20, 120), st.integers(0, 60))
def test_a_fence_that_fits_is_in_one_chunk(text, size, overlap):
    chunks = chunks_of(text, chunk_size=size, overlap=overlap)
    for start, end in outline(text).fences:
        fence = text[start:end].strip()
        if end - start <= size:
            assert any(fence in chunk.text for chunk in chunks)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_headings_are_where_they_say(text):
    for heading in outline(text).headings:
        assert heading.line == text.count("\n", 0, heading.start) + 1
        assert text[heading.start : heading.end].strip("\r\n") == text[heading.start : heading.end]
        assert 1 <= heading.level <= 6
