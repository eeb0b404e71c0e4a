"""Late interaction on the token vectors of the default model: a reranker without further weights.

Each token of the query looks for the token of the passage nearest to it in meaning; the mean of
those cosines is the score (MaxSim: Khattab and Zaharia 2020, "ColBERT: Efficient and Effective
Passage Search via Contextualized Late Interaction over BERT", section 3.2). The model was trained
for single vectors, not for this, so the score alone ranks worse than a hybrid search and is mixed
with that of the first stage.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irengine.checks import real_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from irengine.embed.minilm import MiniLM

__all__ = [
    "DFLT_MAXSIM_WEIGHT",
    "MAXSIM",
    "MAXSIM_ID",
    "MaxSim",
    "maxsim_reranker",
    "maxsim_scores",
]

MAXSIM = "maxsim"
"""The spec of this reranker."""

DFLT_MAXSIM_WEIGHT = 0.2
"""The share of the late interaction in the mixed score."""

MAXSIM_ID = f"maxsim-minilm-int8@{DFLT_MAXSIM_WEIGHT}"
"""Its ``rerank_id`` with the default weight."""

_KEPT_PASSAGES = 256  # 768 bytes a token: 50 MB for passages of 256 tokens


def maxsim_reranker(weight: float = DFLT_MAXSIM_WEIGHT) -> MaxSim:
    """Return the reranker, loading the default model.

    Raises:
        ParameterError: unless ``weight`` lies between 0 and 1.
        EmbedderUnavailable: when the default model cannot be loaded.
    """
    from irengine.embed.minilm import load_int8

    return MaxSim(load_int8(), weight)


class MaxSim:
    """``(1 - weight) * first stage + weight * MaxSim``, over the passages of one query.

    The scores of the first stage are first mapped, by a line, onto the range of the late
    interaction: whatever scale they are on, the weight means the same, and the outcome is a mean
    cosine. Without first-stage scores, or with equal ones, the late interaction alone counts.
    """

    def __init__(self, model: MiniLM, weight: float = DFLT_MAXSIM_WEIGHT) -> None:
        self.weight = real_number("the weight of maxsim", weight, least=0, most=1)
        self.model_name = model.model_id
        self.rerank_id = f"maxsim-minilm-int8@{self.weight:g}"
        self._model = model
        self._kept: OrderedDict[str, NDArray[np.float16]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, query: str, segments: Sequence[Mapping[str, Any]]) -> list[float]:
        """Return one score for each segment's ``text``, higher is better."""
        import numpy as np

        late = np.array(self.late(query, [segment["text"] for segment in segments]))
        first = np.array([segment.get("score", np.nan) for segment in segments], dtype=np.float64)
        span = np.ptp(first) if len(first) else 0.0
        if not span > 0:  # also when one is missing: NaN
            return [float(score) for score in late]
        mapped = late.min() + (first - first.min()) / span * np.ptp(late)
        mixed = (1.0 - self.weight) * mapped + self.weight * late
        return [float(score) for score in mixed]

    def late(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the MaxSim of ``query`` with each text, -1 to 1."""
        tokens = _unit(self._model.token_vectors([query])[0])
        return maxsim_scores(tokens, self._tokens_of(texts))

    def _tokens_of(self, texts: Sequence[str]) -> list[NDArray[np.float16]]:
        """Return the unit token vectors of each text; those of recent texts are kept."""
        import numpy as np

        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        for text, made in zip(missing, self._model.token_vectors(missing), strict=True):
            found[text] = _unit(made).astype(np.float16)
        with self._lock:
            for text, vectors in found.items():
                self._kept[text] = vectors
                self._kept.move_to_end(text)
            while len(self._kept) > _KEPT_PASSAGES:
                self._kept.popitem(last=False)
        return [found[text] for text in texts]


def maxsim_scores(query: Any, passages: Sequence[Any]) -> list[float]:
    """Return the mean, over the rows of ``query``, of the largest product with a passage's rows.

    Args:
        query: unit rows ``(q, dim)``, one per token.
        passages: unit rows ``(n_i, dim)`` each. Where either side has no rows, the score is 0.
    """
    import numpy as np

    query = np.asarray(query, dtype=np.float32)
    scores = []
    for passage in passages:
        rows = np.asarray(passage, dtype=np.float32)
        known = query.size and rows.size
        scores.append(float((query @ rows.T).max(axis=1).mean()) if known else 0.0)
    return scores


def _unit(vectors: Any) -> Any:
    """Return the rows without those of [CLS] and [SEP], each of unit length."""
    import numpy as np

    rows = vectors[1:-1]
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
