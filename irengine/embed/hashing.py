"""The ``light`` embedder: hashed words and word pairs, no model at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from irengine.embed._protocol import DFLT_HASHING_DIM

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix

__all__ = ["HashingEmbedder"]

_WORD = re.compile(r"\w+")
_CACHED_FEATURES = 1 << 17  # some 20 MB; natural text repeats most of its features


class HashingEmbedder:
    r"""Feature hashing of word unigrams and bigrams, with signs.

    The words are the ``\w+`` runs of the lower-cased text; a bigram is two neighbours joined by
    a space. With ``h`` the big-endian 64-bit BLAKE2b of a feature, it adds ``1 + ln(count)`` to
    bucket ``(h >> 1) % dim``, positive when ``h`` is odd. Rows are then divided by their length;
    a text without words gives a zero row. Deterministic over machines and versions.

    Reference: Weinberger et al., *Feature Hashing for Large Scale Multitask Learning*, ICML 2009.
    """

    def __init__(self, dim: int = DFLT_HASHING_DIM) -> None:
        self.dim = dim
        self.model_id = f"hashing__dim{dim}"
        self._codes: dict[str, int] = {}

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> Matrix:
        """Embed ``texts``; queries and documents are treated alike."""
        del input_type
        cells: list[int] = []
        counts: list[int] = []
        signs: list[int] = []
        for row, text in enumerate(texts):
            words = _WORD.findall(text.lower())
            features = Counter(words)
            features.update(f"{left} {right}" for left, right in pairwise(words))
            start = row * self.dim
            for feature, count in features.items():
                code = self._code(feature)
                cells.append(start + (code >> 1) % self.dim)
                signs.append(code & 1)
                counts.append(count)
        weights = 1.0 + np.log(np.asarray(counts, dtype=np.float64))
        weights *= 2.0 * np.asarray(signs, dtype=np.float64) - 1.0
        sums = np.bincount(
            np.asarray(cells, dtype=np.int64), weights=weights, minlength=len(texts) * self.dim
        ).reshape(len(texts), self.dim)
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        lengths[lengths == 0] = 1.0
        vectors: Matrix = (sums / lengths[:, None]).astype(np.float32)
        return vectors

    def _code(self, feature: str) -> int:
        code = self._codes.get(feature)
        if code is None:
            digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            code = int.from_bytes(digest, "big")
            if len(self._codes) >= _CACHED_FEATURES:
                self._codes.clear()
            self._codes[feature] = code
        return code
