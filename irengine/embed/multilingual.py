"""multilingual-e5-small on onnxruntime in int8: about a hundred languages in one vector space.

A question finds its answer in another language. The model wants to be told which of the two a
text is, so queries get the prefix ``query: `` and documents ``passage: ``. Its cosines lie close
together, between .7 and 1: they order well, and a threshold from another model means nothing.

Reference: Wang et al., *Multilingual E5 Text Embeddings: A Technical Report*, 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from irengine.embed._protocol import E5_MAX_TOKENS, MULTILINGUAL_ID
from irengine.embed._quiet import quiet_telemetry
from irengine.embed._running import open_session, run_each, token_ids
from irengine.embed.e5_weights import e5_tensors, read_e5, read_e5_bytes
from irengine.embed.weights import HIDDEN
from irengine.errors import EmbedderError

if TYPE_CHECKING:
    from irengine.embed._protocol import Matrix
    from irengine.embed.e5_weights import E5File
    from irengine.embed.weights import Tensors

__all__ = ["PREFIXES", "MultilingualE5", "load_multilingual", "pieces_tokenizer", "sentencepiece"]

PREFIXES = {"document": "passage: ", "query": "query: "}
"""What is put before a text, by ``input_type``."""

_START, _END, _UNKNOWN = 0, 2, 3
_SPECIAL = frozenset(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
_WIDE_TILDE, _STAND_IN = "\uff5e", "\ue0fe"


class MultilingualE5:
    """The loaded model.

    A text's vector depends on the text and ``input_type`` alone, never on what is embedded with
    it. Reads at most the first 512 tokens, the prefix and the two special ones included.
    """

    dim = HIDDEN
    model_id = MULTILINGUAL_ID

    def __init__(self, tensors: Tensors, tokenizer: Any) -> None:
        self._tensors = tensors  # the session reads them where they are
        self._session = open_session("e5-int8.onnx", tensors)
        self._tokenizer = tokenizer

    def __call__(self, texts: Sequence[str], *, input_type: str = "document") -> Matrix:
        """Embed ``texts`` into shape ``(n, 384)``, as documents or as queries.

        Raises:
            EmbedderError: for any other ``input_type``.
        """
        import numpy as np

        prefix = PREFIXES.get(input_type)
        if prefix is None:
            raise EmbedderError(
                f"the input type is one of {', '.join(PREFIXES)}, not {input_type!r}"
            )
        encoded = [token_ids(self._tokenizer, prefix + text, E5_MAX_TOKENS) for text in texts]
        vectors = np.empty((len(texts), HIDDEN), dtype=np.float32)
        for row, vector in enumerate(run_each(self._session, "embedding", encoded)):
            vectors[row] = vector
        return vectors


@lru_cache(maxsize=1)
def load_multilingual() -> MultilingualE5:
    """Load the model; one instance serves the process.

    Raises:
        EmbedderUnavailable: see :func:`irengine.embed.e5_weights.read_e5_bytes`.
    """
    from irengine.embed.minilm import int8_saturates

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_file)  # hashing takes about as long as importing onnxruntime
        halve = int8_saturates()
        file = reading.result()
        making = pool.submit(e5_tensors, file, halve=halve)
        tokenizer = pieces_tokenizer(file.pieces, truncated=True)
    return MultilingualE5(making.result(), tokenizer)


@lru_cache(maxsize=1)
def sentencepiece() -> Any:
    """Return the model's tokenizer for whole texts: no prefix, no special tokens, no limit.

    Raises:
        EmbedderUnavailable: see :func:`irengine.embed.e5_weights.read_e5_bytes`.
    """
    return pieces_tokenizer(_file().pieces, truncated=False)


def pieces_tokenizer(pieces: Sequence[tuple[str, float]], *, truncated: bool) -> Any:
    """Return XLM-RoBERTa's SentencePiece tokenizer over ``pieces``.

    ``truncated`` adds the special tokens and the limit of 512. The normaliser is SentencePiece's
    ``nmt_nfkc``: NFKC (decomposed letters are composed, wide ones made narrow) without control
    characters, all white space as spaces, several spaces as one.
    """
    quiet_telemetry()
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    # No normalised text has a space in it, so what a text spells "</s>" is never the special one.
    vocabulary = [
        (f" {piece}" if piece in _SPECIAL else piece, float(score)) for piece, score in pieces
    ]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            # The one wide character that SentencePiece leaves as it is.
            normalizers.Replace(_WIDE_TILDE, _STAND_IN),
            normalizers.NFKC(),
            normalizers.Replace(_STAND_IN, _WIDE_TILDE),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    if truncated:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", _START), ("</s>", _END)]
        )
        tokenizer.enable_truncation(E5_MAX_TOKENS)
    return tokenizer


def _file() -> E5File:
    return read_e5(read_e5_bytes())
