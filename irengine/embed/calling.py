"""The one way vectors are asked for: batches, checks, unit length, progress, cancelling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from irengine.errors import BuildCancelled, EmbedderError, IrError

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix

__all__ = ["DEFAULT_BATCH_SIZE", "Cancel", "call_embedder"]

DEFAULT_BATCH_SIZE = 64
"""Texts handed over at a time: about half a second of the default model on two cores."""


class Cancel(Protocol):
    """Anything with a ``cancelled`` flag."""

    @property
    def cancelled(self) -> bool:
        """Whether to stop."""
        ...


def call_embedder(
    embedder: Callable[..., Any],
    texts: Sequence[str],
    *,
    input_type: str,
    batch_size: int = DEFAULT_BATCH_SIZE,
    progress: Callable[[int, int], object] | None = None,
    cancel: Cancel | None = None,
) -> Matrix:
    """Embed ``texts`` in batches and return checked float32 rows of length 1.

    Returns shape ``(len(texts), dim)`` in the order of ``texts``; zero rows stay zero; no texts
    give shape ``(0, dim)``, with ``dim`` the embedder's ``dim`` attribute or 0. ``input_type`` is
    passed only to an embedder whose signature takes it. ``progress(done, total)`` is called after
    each batch, and ``cancel.cancelled`` is looked at before each.

    Raises:
        EmbedderError: for an output that is not a finite ``(n, dim)`` array, or a ``dim`` that
            changes between batches, or what the embedder itself raised (its cause then).
        BuildCancelled: when ``cancel`` says so.
    """
    import numpy as np

    options = {"input_type": input_type} if _takes_input_type(embedder) else {}
    total = len(texts)
    parts: list[Matrix] = []
    for start in range(0, total, batch_size):
        if cancel is not None and cancel.cancelled:
            raise BuildCancelled(f"embedding was cancelled after {start} of {total} texts")
        batch = list(texts[start : start + batch_size])
        part = _checked(_answer(embedder, batch, options), len(batch), embedder)
        if parts and part.shape[1] != parts[0].shape[1]:
            raise EmbedderError(
                f"{_name(embedder)} gave {parts[0].shape[1]}-dimensional vectors and then "
                f"{part.shape[1]}-dimensional ones"
            )
        parts.append(part)
        if progress is not None:
            progress(start + len(batch), total)
    if not parts:
        return np.zeros((0, int(getattr(embedder, "dim", 0) or 0)), dtype=np.float32)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _answer(embedder: Callable[..., Any], batch: list[str], options: Mapping[str, str]) -> Any:
    try:
        return embedder(batch, **options)
    except (IrError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - an embedder is anybody's code
        raise EmbedderError(f"{_name(embedder)} failed: {type(error).__name__}: {error}") from error


def _takes_input_type(embedder: Callable[..., Any]) -> bool:
    import inspect  # here, because it is slow to import

    try:
        parameters = inspect.signature(embedder).parameters.values()
    except (TypeError, ValueError):  # a builtin without a readable signature
        return False
    return any(
        p.kind is p.VAR_KEYWORD
        or (p.name == "input_type" and p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))
        for p in parameters
    )


def _checked(output: Any, rows: int, embedder: Callable[..., Any]) -> Matrix:
    import numpy as np

    try:
        vectors = np.asarray(output, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbedderError(
            f"{_name(embedder)} did not return numbers in equally long rows: {error}"
        ) from error
    if vectors.ndim != 2 or vectors.shape[0] != rows or vectors.shape[1] == 0:
        raise EmbedderError(
            f"{_name(embedder)} returned an array of shape {vectors.shape} for {rows} texts",
            hint="an embedder returns one row per text: shape (len(texts), dim)",
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    if not np.isfinite(lengths).all():
        raise EmbedderError(f"{_name(embedder)} returned a vector that is not finite")
    lengths[lengths == 0] = 1.0
    unit: Matrix = (vectors / lengths[:, None]).astype(np.float32)
    return unit


def _name(embedder: Callable[..., Any]) -> str:
    named = getattr(embedder, "model_id", None) or getattr(embedder, "__name__", None)
    return f"the embedder {named}" if named else f"the embedder {type(embedder).__name__}"
