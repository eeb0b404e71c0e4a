"""Token boundaries in code points of the original text."""

from __future__ import annotations

from pathlib import Path

import pytest

from irengine.embed import EmbedderUnavailable, tokenizer_offsets
from irengine.embed.minilm import wordpiece


def tokens(text: str, model: str | None = None) -> list[str]:
    return [text[start:end] for start, end in tokenizer_offsets(model)(text)]


@pytest.mark.parametrize("model", [None, "default", "minilm", "minilm-fp32", "st", ""])
def test_the_models_own_tokens_without_special_ones(model: str | None) -> None:
    assert tokens("Aerodynamics, unbelievably", model) == [
        *("Aerodynamic", "s", ",", "un", "bel", "ie", "va", "bly")
    ]


def test_offsets_count_code_points_of_the_original_text() -> None:
    text = "Crème 😀 brûlée!"

    assert tokens(text) == ["Cr", "ème", "😀", "br", "ûlé", "e", "!"]


def test_long_texts_are_not_cut() -> None:
    assert len(tokenizer_offsets()("word " * 1000)) == 1000


def test_offsets_never_decrease_and_stay_inside() -> None:
    text = "안녕하세요 세상 x\ud800y \x00 ﬁne ½ İstanbul"
    spans = tokenizer_offsets()(text)

    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@pytest.mark.parametrize("text", ["", "  \n", "\x00"])
def test_a_text_without_tokens(text: str) -> None:
    assert tokenizer_offsets()(text) == []


def test_light_counts_words() -> None:
    assert tokens("The cat, the_dog!", "light") == ["The", "cat", "the_dog"]
    assert tokens("a b", "hashing__dim64") == ["a", "b"]


def test_a_tokenizer_file_or_its_folder(tmp_path: Path) -> None:
    tokenizer = wordpiece(truncated=True)  # saved with its limit, which must not matter
    tokenizer.save(str(tmp_path / "tokenizer.json"))

    for model in (tmp_path, tmp_path / "tokenizer.json"):
        assert len(tokenizer_offsets(str(model))("word " * 500)) == 500


def test_a_cached_hub_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--sentence-transformers--some-model" / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    wordpiece(truncated=False).save(str(snapshot / "tokenizer.json"))

    assert tokens("unbelievably", "some-model") == ["un", "bel", "ie", "va", "bly"]


@pytest.mark.parametrize("model", ["lihgt", "http://localhost:1/v1#m"])
def test_an_unknown_tokenizer_is_an_error(model: str) -> None:
    with pytest.raises(EmbedderUnavailable):
        tokenizer_offsets(model)


def test_a_damaged_tokenizer_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        tokenizer_offsets(str(tmp_path / "tokenizer.json"))
