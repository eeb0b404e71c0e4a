"""all-MiniLM-L6-v2 on onnxruntime: int8 (the default) or full precision, without torch."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irengine.embed._protocol import DEFAULT_ID, FP32_ID, MAX_TOKENS
from irengine.embed._quiet import quiet_telemetry
from irengine.embed._running import DATA, open_session, run_each, token_ids
from irengine.embed.weights import HIDDEN, find_fp32, fp32_tensors, int8_tensors, read_int8

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix
    from irengine.embed.weights import Tensors

__all__ = ["MiniLM", "int8_saturates", "load_fp32", "load_int8", "wordpiece"]


class MiniLM:
    """A loaded sentence model.

    A text's vector depends on the text alone, never on what is embedded with it: every text is a
    run of its own (see :mod:`irengine.embed.graph_builder`), and the processor cores share the
    texts. Reads at most the first 256 tokens, the two special ones included.
    """

    dim = HIDDEN

    def __init__(self, model_id: str, graph: str, tensors: Tensors) -> None:
        self.model_id = model_id
        self._tensors = tensors  # the session reads them where they are
        self._session = open_session(graph, tensors)
        self._tokenizer = wordpiece(truncated=True)

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> Matrix:
        """Embed ``texts`` into shape ``(n, 384)``; queries and documents are treated alike."""
        import numpy as np

        del input_type
        vectors = np.empty((len(texts), HIDDEN), dtype=np.float32)
        for row, vector in enumerate(self._run("embedding", texts)):
            vectors[row] = vector
        return vectors

    def token_vectors(self, texts: Sequence[str]) -> list[Matrix]:
        """Return the last layer of each text: float32 ``(tokens, 384)``, special tokens included.

        The rows are not of unit length. Their mean, made unit length, is the text's vector.
        """
        return self._run("tokens", texts)

    def _run(self, output: str, texts: Sequence[str]) -> list[Matrix]:
        """Return ``output`` of each text, in order."""
        encoded = [token_ids(self._tokenizer, text, MAX_TOKENS) for text in texts]
        return run_each(self._session, output, encoded)

    def named(self, model_id: str) -> MiniLM:
        """Return the same model under another id (it shares the session)."""
        other = copy.copy(self)
        other.model_id = model_id
        return other


@lru_cache(maxsize=1)
def load_int8() -> MiniLM:
    """Load the default model; one instance serves the process.

    Raises:
        EmbedderUnavailable: see :func:`irengine.embed.weights.read_int8`.
    """
    with ThreadPoolExecutor(1) as pool:
        data = pool.submit(read_int8)  # hashing takes about as long as importing onnxruntime
        halve = int8_saturates()
    tensors = int8_tensors(data.result(), halve=halve)
    return MiniLM(DEFAULT_ID, "minilm-int8.onnx", tensors)


def load_fp32(path: str | None = None) -> MiniLM:
    """Load the full-precision model from ``path`` or from where it is found.

    Raises:
        EmbedderUnavailable: see :func:`irengine.embed.weights.find_fp32`.
    """
    return _load_fp32(find_fp32(path))


@lru_cache(maxsize=1)
def _load_fp32(path: Path) -> MiniLM:
    return MiniLM(FP32_ID, "minilm-fp32.onnx", fp32_tensors(path))


@lru_cache(maxsize=1)
def int8_saturates() -> bool:
    """Return whether products of uint8 and int8 overflow on this processor.

    x86 processors with AVX2 but without VNNI add two such products in 16 bits with saturation.
    Tried out rather than read off processor flags, so that it holds on every system.
    """
    import numpy as np

    a = np.full((8, 64), 255, dtype=np.uint8)
    (product,) = open_session("int8-probe.onnx", {}).run(None, {"a": a})
    return bool((product != 255 * 127 * 64).any())


@lru_cache(maxsize=2)
def wordpiece(*, truncated: bool) -> Any:
    """Return BERT's uncased WordPiece tokenizer, from the vocabulary we ship.

    ``truncated`` adds the special tokens and the limit of 256; otherwise texts are tokenized whole
    and bare.
    """
    quiet_telemetry()
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    lines = (DATA / "vocab.txt").read_text(encoding="utf-8").split("\n")
    vocabulary = {word: number for number, word in enumerate(lines) if word}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if truncated:
        special = [(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=special
        )
        tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer
