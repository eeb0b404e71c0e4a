"""Which texts a model can read at all, as far as their script tells."""

from __future__ import annotations

from irengine.embed._protocol import DEFAULT_MODEL

__all__ = ["reads"]

_ENGLISH = ("minilm-", f"st__{DEFAULT_MODEL}", f"st__sentence-transformers/{DEFAULT_MODEL}")
_LATIN_END = 0x250  # Basic Latin to Latin Extended-B
_ADDITIONAL = range(0x1E00, 0x1F00)  # Latin Extended Additional


def reads(embedder_id: str, text: str) -> bool:
    """Return whether the model was trained on the script that most letters of ``text`` are in.

    all-MiniLM-L6-v2 was trained on English: text in another script still gets a vector, of single
    characters and unknown words, that says nothing. Other models are taken to read everything, and
    so is a text without letters.

    >>> reads("minilm-fp32", "벌은 꿀을 만든다"), reads("hashing__dim512", "벌은 꿀을 만든다")
    (False, True)
    """
    if not embedder_id.startswith(_ENGLISH):
        return True
    letters = [ord(character) for character in text if character.isalpha()]
    latin = sum(1 for letter in letters if letter < _LATIN_END or letter in _ADDITIONAL)
    return 2 * latin >= len(letters)
