"""Run a sentence model on onnxruntime: a session over given tensors, one text a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.cancelling import checkpoint
from irengine.embed._protocol import rebuild_hint
from irengine.embed._quiet import quiet_telemetry
from irengine.embed._text import well_formed
from irengine.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix
    from irengine.embed.weights import Tensors

__all__ = ["DATA", "open_session", "run_each", "token_ids"]

DATA = Path(__file__).with_name("data")
"""Where the graph files are."""

_CHARS_PER_TOKEN = 32


def open_session(graph: str, tensors: Tensors) -> Any:
    """Return a session of the graph file ``graph`` with ``tensors``, read where they are.

    Raises:
        EmbedderUnavailable: when onnxruntime cannot run it.
    """
    quiet_telemetry()
    try:
        return _open_session(graph, tensors)
    except Exception as error:  # onnxruntime's exceptions have no common base of their own
        raise EmbedderUnavailable(
            f"onnxruntime cannot run the embedding model: {error}",
            hint=rebuild_hint(
                'reinstall it with: pip install --force-reinstall "onnxruntime>=1.20"'
            ),
        ) from error


def run_each(session: Any, output: str, encoded: Sequence[Sequence[int]]) -> list[Matrix]:
    """Return ``output`` of each list of token numbers, in order; the cores share the lists.

    Raises:
        BuildCancelled: the build that asks for it was cancelled.
    """
    import numpy as np

    made: list[Any] = [None] * len(encoded)
    ask = checkpoint()

    def run(row: int) -> None:
        ask()
        ids = np.asarray([encoded[row]], dtype=np.int64)
        made[row] = session.run([output], {"input_ids": ids})[0][0]

    # Longest first: no core is left with a long text at the end.
    rows = sorted(range(len(encoded)), key=lambda row: -len(encoded[row]))
    workers = min(_cores(), len(rows))
    if workers <= 1:
        for row in rows:
            run(row)
    else:
        with ThreadPoolExecutor(workers, thread_name_prefix="embed") as pool:
            list(pool.map(run, rows))
    return made


def token_ids(tokenizer: Any, text: str, limit: int) -> list[int]:
    """Return the token numbers of ``text``, at most ``limit``, which ``tokenizer`` cuts at.

    The tokenizer must work from left to right and never across a space: then a prefix that fills
    the window gives the same tokens as the whole of a long document.
    """
    text = well_formed(text)
    if len(text) > limit * _CHARS_PER_TOKEN:
        head = text[: limit * _CHARS_PER_TOKEN].rpartition(" ")[0]
        ids: list[int] = tokenizer.encode(head).ids
        if len(ids) == limit:
            return ids
    return list(tokenizer.encode(text).ids)


def _open_session(graph: str, tensors: Tensors) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # One thread a run: the texts share the cores, and no thread spins beside a busy neighbour.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    options.add_external_initializers(list(tensors), values)
    return onnxruntime.InferenceSession(
        (DATA / graph).read_bytes(), options, providers=["CPUExecutionProvider"]
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):  # Linux: what this process may use
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
