"""Where texts are cut when tokens count."""

from __future__ import annotations

import re

import pytest

from irengine.strategy import Chunked, _chunk_text, _split_by_tokens, _tokenizer_for
from irengine.strategy import budgets as budgets_module
from irengine.strategy.budgets import TokenBudget, offsets_of

PIECES = re.compile(r"\w{1,4}|[^\w\s]")
NOWHERE = "nowhere/tokenizer.json"
LETTERS = "a b c d e f g"


def pieces(text):
    """Tokenise as sub-word models do: words in pieces of four, punctuation alone."""
    return [match.span() for match in PIECES.finditer(text)]


@pytest.mark.parametrize(
    ("text", "max_tokens", "overlap", "expected"),
    [
        (LETTERS, 3, 1, ["a b c", "c d e", "e f g"]),
        ("a b c d", 2, 5, ["a b", "b c", "c d"]),
        (LETTERS, 7, 2, [LETTERS]),
        (LETTERS, 3, 0, ["a b c", "d e f", "g"]),
        ("  a b  ", 5, 1, ["a b"]),
        ("   ", 5, 1, []),
    ],
)
def test_windows_of_tokens(text, max_tokens, overlap, expected):
    assert (
        _split_by_tokens(text, tokenizer=pieces, max_tokens=max_tokens, overlap_tokens=overlap)
        == expected
    )


def test_a_word_is_not_cut_although_its_pieces_would_fit():
    text = "aaaabbbb ccccdddd eeeeffff"
    found = _split_by_tokens(text, tokenizer=pieces, max_tokens=3, overlap_tokens=1)
    assert found == ["aaaabbbb", "ccccdddd", "eeeeffff"]


def test_a_word_longer_than_the_budget_is_cut_to_fit():
    found = _split_by_tokens("abcd" * 20, tokenizer=pieces, max_tokens=3, overlap_tokens=0)
    assert "".join(found) == "abcd" * 20
    assert max(len(pieces(chunk)) for chunk in found) <= 3


def test_half_a_word_is_counted_by_its_own_tokens():
    def whole_words(text):  # a long word is one unknown token, a short one a token a letter
        words = [match.span() for match in re.finditer(r"\w+", text)]
        return [
            span
            for start, end in words
            for span in (
                [(start, end)] if end - start > 30 else [(i, i + 1) for i in range(start, end)]
            )
        ]

    found = _split_by_tokens("x" * 1000, tokenizer=whole_words, max_tokens=10, overlap_tokens=0)
    assert "".join(found) == "x" * 1000
    assert max(len(whole_words(chunk)) for chunk in found) <= 10


def test_what_the_tokenizer_folds_into_one_token_is_capped_in_characters():
    found = _split_by_tokens(
        "x" * 100_000, tokenizer=lambda text: [(0, len(text))], max_tokens=10, overlap_tokens=0
    )
    assert {len(chunk) for chunk in found} == {160}


def test_a_tokenizer_that_finds_nothing_still_gives_chunks():
    found = _split_by_tokens(
        "... " * 100, tokenizer=lambda text: [], max_tokens=5, overlap_tokens=1
    )
    assert all(0 < len(chunk) <= 80 for chunk in found)


def test_tokens_that_share_characters_are_never_parted():
    def bytewise(text):
        return [(i, i + 1) for i, ch in enumerate(text) for _ in ch.encode()]

    found = _split_by_tokens("é" * 30, tokenizer=bytewise, max_tokens=7, overlap_tokens=0)
    assert "".join(found) == "é" * 30
    assert max(len(bytewise(chunk)) for chunk in found) <= 7


def test_a_big_text_is_tokenised_in_blocks_at_line_ends_and_only_once(monkeypatch):
    monkeypatch.setattr(budgets_module, "_BLOCK", 1000)
    seen = []

    def recording(text):
        seen.append(text)
        return pieces(text)

    text = "".join(f"line {i} of a text, with words\n" for i in range(2000))
    found = _split_by_tokens(text, tokenizer=recording, max_tokens=50, overlap_tokens=8)
    assert "".join(seen) == text
    assert max(map(len, seen)) <= 1000
    assert found == _split_by_tokens(text, tokenizer=pieces, max_tokens=50, overlap_tokens=8)


def test_tokens_behind_are_forgotten():
    budget = TokenBudget("ab " * 100_000, pieces, 10, 2)
    budget.limit(250_000)
    budget.forget(249_000)
    assert len(budget._starts) < 40_000
    assert budget.limit(250_000) > 250_000


def test_each_kind_of_tokenizer_is_understood():
    class Fast:
        def __call__(self, text, *, add_special_tokens=True, return_offsets_mapping=False):
            assert return_offsets_mapping
            assert not add_special_tokens
            return {"offset_mapping": pieces(text)}

    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    for tokenizer in (pieces, Fast(), words):
        assert offsets_of(tokenizer)("ab cd") == [(0, 2), (3, 5)]


@pytest.fixture
def real():
    """Return the default model's tokenizer, which is always installed."""
    found = _tokenizer_for(None)
    assert found is not None
    return found


def test_no_chunk_holds_more_real_tokens_than_asked(real):
    prose = "Antidisestablishmentarianism, supercalifragilistic! Café 中文 x_y 각 हिन्दी. "
    text = "# Title\n\n" + prose * 200 + "QUJDRA" * 500
    found = _chunk_text(text, chunk_size=1200, overlap=200, max_tokens=50)
    assert all(len(real(chunk)) <= 50 for chunk in found)
    assert len(found) > 20


def test_the_overlap_is_the_share_that_characters_say(real):
    text = "alpha beta gamma delta " * 300
    plan = Chunked(max_tokens=250).decompose("a", text)
    first, second = plan.surfaces[:2]
    repeated = first.text[second.metadata["char_start"] :]
    assert 38 <= len(real(repeated)) <= 42


def test_a_tokenizer_that_is_not_there_degrades_to_characters_with_a_warning():
    with pytest.warns(UserWarning, match="counted in characters"):
        found = _chunk_text(
            "word " * 100, chunk_size=50, overlap=10, max_tokens=5, token_model=NOWHERE
        )
    assert found == _chunk_text("word " * 100, chunk_size=50, overlap=10)


def test_that_a_tokenizer_is_not_there_is_asked_once():
    budgets_module._lookup.cache_clear()
    for _ in range(3):
        with pytest.warns(UserWarning, match="not available"):
            assert _tokenizer_for(NOWHERE) is None
    assert budgets_module._lookup.cache_info().misses == 1
