"""How much the cosines of a model are worth on a text, as far as can be known beforehand."""

from __future__ import annotations

from irengine.embed._protocol import DEFAULT_MODEL

__all__ = ["HASHED", "UNREADABLE", "reads_english_only", "trust"]

HASHED = 0.1
"""Hashed words say again, less well, what BM25 says: at this weight a hybrid search is never worse
than BM25 by more than 0.001 nDCG@10 over six English collections, and better by up to 0.009."""

UNREADABLE = 0.02
"""Vectors of single characters and unknown words only order what nothing else does."""

_HASHING = "hashing__"
_ENGLISH = ("minilm-", f"st__{DEFAULT_MODEL}", f"st__sentence-transformers/{DEFAULT_MODEL}")
_LATIN_END = 0x250  # Basic Latin to Latin Extended-B
_ADDITIONAL = range(0x1E00, 0x1F00)  # Latin Extended Additional


def reads_english_only(embedder_id: str) -> bool:
    """Return whether the model is all-MiniLM-L6-v2, in whatever precision."""
    return embedder_id.startswith(_ENGLISH)


def trust(embedder_id: str, text: str) -> float:
    """Return the weight of the model's cosines for ``text``: 0 to 1.

    all-MiniLM-L6-v2 was trained on English: text most of whose letters are of another script gets
    :data:`UNREADABLE`. The hashing embedder gets :data:`HASHED`, any other model 1.

    >>> trust("minilm-fp32", "bees make honey"), trust("minilm-fp32", "벌은 꿀을 만든다")
    (1.0, 0.02)
    """
    if embedder_id.startswith(_HASHING):
        return HASHED
    if not reads_english_only(embedder_id):
        return 1.0
    letters = [ord(character) for character in text if character.isalpha()]
    latin = sum(1 for letter in letters if letter < _LATIN_END or letter in _ADDITIONAL)
    return 1.0 if 2 * latin >= len(letters) else UNREADABLE
