"""From the name of a reranker to the function, or to none with one warning."""

from __future__ import annotations

import importlib.util
import math
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from irengine.embed import quiet_telemetry
from irengine.errors import EmbedderError, ParameterError, ParameterTypeError, nearest
from irengine.rerank.late import MAXSIM, maxsim_reranker

__all__ = [
    "CROSS_ENCODER",
    "CROSS_ENCODER_ID",
    "DFLT_RERANK_MODEL",
    "Rerank",
    "check_rerank",
    "cross_encoder_model",
    "resolve_reranker",
]

CROSS_ENCODER = "cross-encoder"
"""The spec of a cross-encoder; ``cross-encoder:<model>`` names one, or a folder with one."""

CROSS_ENCODER_ID = "{model}+sigmoid"
"""The ``rerank_id`` of a cross-encoder: its scores are logits squeezed into 0 to 1."""

DFLT_RERANK_MODEL = "cross-encoder/ms-marco-MiniLM-L-6-v2"
"""The cross-encoder used when none is named."""

Rerank = Callable[[str, Sequence[Mapping[str, Any]]], Iterable[float]]
"""``(query, [{"text": passage, "score": first stage}, …]) -> one number a passage``."""

_BATCH = 32
_LARGEST_LOGIT = 60.0

_loaded: dict[str, Rerank | None] = {}
_loading = threading.Lock()


def resolve_reranker(spec: Any) -> Any:
    """Return the reranker ``spec`` names; ``None`` when there is none to apply.

    ``None`` and any callable are returned as they are. ``"maxsim"`` is late interaction on the
    default model (:func:`maxsim_reranker`). ``"cross-encoder"`` or ``"cross-encoder:<model>"`` is
    a cross-encoder of sentence-transformers, a name on the hub or a folder; its scores lie between
    0 and 1. A model is loaded once a process. One that cannot be loaded (the extra is missing, the
    hub is out of reach) warns once and is ``None`` from then on: a search then keeps its first
    stage. Resolve before you derive a :func:`calibration_key`, so that it names what really ran.

    Raises:
        ParameterError: for a string that names no reranker (a ``TypeError`` for other values).

    >>> resolve_reranker(len) is len
    True
    >>> resolve_reranker("nope")
    Traceback (most recent call last):
        ...
    irengine.errors.ParameterError: unknown rerank spec 'nope'; expected a callable, ...
    """
    check_rerank(spec)
    if not isinstance(spec, str):
        return spec
    with _loading:
        if spec not in _loaded:
            _loaded[spec] = _load(spec)
        return _loaded[spec]


def check_rerank(spec: object) -> None:
    """Raise a ``ParameterError`` unless ``spec`` is ``None``, a callable or names a reranker."""
    if spec is None or callable(spec) or spec in (MAXSIM, CROSS_ENCODER):
        return
    expected = "expected a callable, 'cross-encoder' or 'cross-encoder:<model>'."
    if not isinstance(spec, str):
        raise ParameterTypeError(f"a reranker is a callable or a name, not {spec!r}; {expected}")
    if spec.startswith(f"{CROSS_ENCODER}:") and cross_encoder_model(spec):
        return
    raise ParameterError(
        f"unknown rerank spec {spec!r}; {expected}",
        hint=nearest(spec, (MAXSIM, CROSS_ENCODER)) or "'maxsim' needs no further model",
    )


def cross_encoder_model(spec: str) -> str:
    """Return the model that ``cross-encoder`` or ``cross-encoder:<model>`` names."""
    return DFLT_RERANK_MODEL if spec == CROSS_ENCODER else spec.partition(":")[2].strip()


def _load(spec: str) -> Rerank | None:
    """Load a reranker; what cannot be loaded is warned about and ``None``."""
    if spec == MAXSIM:
        try:
            return maxsim_reranker()
        except EmbedderError as error:
            _warn(spec, f"{error.message}. {error.hint}")
            return None
    model = cross_encoder_model(spec)
    if importlib.util.find_spec("sentence_transformers") is None:
        _warn(
            spec,
            "it needs the package sentence-transformers (ir[rerank]). "
            'Install it with: pip install "irengine[models]"',
        )
        return None
    quiet_telemetry()
    try:
        from sentence_transformers import CrossEncoder

        return _squeezed(CrossEncoder(model), model)
    except Exception as error:  # noqa: BLE001 - torch, hub and network errors share no base
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        _warn(spec, f"{first}. Check the name, the folder or the network")
        return None


def _warn(spec: str, why: str) -> None:
    warnings.warn(
        f"no reranking with {spec!r}: {why}. Results keep the order of the first stage.",
        UserWarning,
        stacklevel=_outside(),
    )


def _outside() -> int:
    """Return how many frames up the caller outside this package is, for a warning to name."""
    depth = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("irengine"):
        frame = frame.f_back
        depth += 1
    return depth


def _squeezed(encoder: Any, model: str) -> Rerank:
    """Return the scores of ``encoder`` as probabilities: ``1 / (1 + exp(-logit))``."""
    from torch import nn

    def rerank(query: str, segments: Sequence[Mapping[str, Any]]) -> list[float]:
        pairs = [(query, segment["text"]) for segment in segments]
        logits = encoder.predict(
            pairs, batch_size=_BATCH, show_progress_bar=False, activation_fn=nn.Identity()
        )
        return [_sigmoid(float(logit)) for logit in logits]

    rerank.model_name = model  # type: ignore[attr-defined]
    rerank.rerank_id = CROSS_ENCODER_ID.format(model=model)  # type: ignore[attr-defined]
    return rerank


def _sigmoid(logit: float) -> float:
    """Return the logistic function of ``logit``; 0 for no number."""
    if math.isnan(logit):
        return 0.0
    return 1.0 / (1.0 + math.exp(-max(-_LARGEST_LOGIT, min(_LARGEST_LOGIT, logit))))
