"""From specs and ids to embedders, without silent replacements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irengine.embed import (
    DEFAULT_ID,
    EmbedderError,
    EmbedderUnavailable,
    embedder_id_for,
    make_embedder,
    make_embedder_for_id,
    register_embedder,
)
from irengine.embed.minilm import MiniLM


def double(texts: list[str]) -> list[list[float]]:
    return [[len(text), 2.0] for text in texts]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep registrations to one test."""
    monkeypatch.setattr("irengine.embed.resolve._registered", {})


@pytest.fixture
def no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with neither weights nor sentence-transformers."""
    monkeypatch.delenv("IR_MINILM_FP32", raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("irengine.embed.weights._FP32_PACKAGE", "no_such_package")
    monkeypatch.setattr("irengine.embed.weights._INT8_PACKAGE", "no_such_package")
    monkeypatch.setattr("irengine.embed.minilm.load_int8", lambda: _load_int8_uncached())
    monkeypatch.setattr("irengine.embed.sentence._installed", lambda: False)


def _load_int8_uncached() -> MiniLM:
    from irengine.embed.weights import read_int8

    read_int8()
    raise AssertionError("the weights were found")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        *((alias, DEFAULT_ID) for alias in ("default", "local", "minilm", "", None, " Default ")),
        *((alias, "hashing__dim512") for alias in ("light", "hashing", "hash", "LIGHT")),
        ("st", "st__all-MiniLM-L6-v2"),
        ("sentence-transformers", "st__all-MiniLM-L6-v2"),
        ("all-MiniLM-L6-v2", "st__all-MiniLM-L6-v2"),
        ("BAAI/bge-small-en-v1.5", "st__BAAI/bge-small-en-v1.5"),
        ("st:BAAI/bge-small-en-v1.5", "st__BAAI/bge-small-en-v1.5"),
        ("minilm-fp32", "minilm-fp32"),
        ("minilm-fp32:/some/where", "minilm-fp32"),
        ("https://host/v1#m", "url__m@https://host/v1"),
        ("http://localhost:8080/v1/#a@b", "url__a@b@http://localhost:8080/v1"),
        ("hashing__dim64", "hashing__dim64"),
        (DEFAULT_ID, DEFAULT_ID),
        ("st__x/y", "st__x/y"),
        (double, "custom"),
    ],
)
def test_the_id_is_known_without_loading(spec: object, expected: str, no_models: None) -> None:
    assert embedder_id_for(spec) == expected


@pytest.mark.parametrize("spec", ["http://host/v1#m", "https://h:1/x#a@b", "light", "default"])
def test_ids_resolve_to_themselves(spec: str) -> None:
    embedder_id = embedder_id_for(spec)

    assert embedder_id_for(embedder_id) == embedder_id


def test_default_and_light_load() -> None:
    assert make_embedder()[1] == DEFAULT_ID
    assert make_embedder()[0](["a"]).shape == (1, 384)
    assert make_embedder("light")[0](["a"]).shape == (1, 512)


def test_a_model_folder_has_its_absolute_path_as_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)

    assert embedder_id_for("model") == f"st__{tmp_path / 'model'}"


@pytest.mark.parametrize("attribute", ["_ir_id", "embedder_id", "model_id"])
def test_a_callable_says_its_own_id(attribute: str) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return double(texts)

    setattr(embed, attribute, "mine/1")

    assert make_embedder(embed) == (embed, "mine/1")


def test_a_callable_without_id_is_custom_and_does_not_reopen() -> None:
    assert make_embedder(double) == (double, "custom")
    assert make_embedder_for_id("custom") is None
    assert make_embedder_for_id("") is None


@pytest.mark.parametrize("spec", [3, 1.5, b"light", ["light"], object()])
def test_something_else_is_an_error(spec: object) -> None:
    with pytest.raises(EmbedderError, match="a name or a callable"):
        make_embedder(spec)


def test_a_registered_embedder_reopens_by_its_id(registry: None) -> None:
    register_embedder("acme/1", double)

    assert make_embedder_for_id("acme/1") == (double, "acme/1")
    assert make_embedder("acme/1") == (double, "acme/1")
    assert embedder_id_for("acme/1") == "acme/1"


@pytest.mark.parametrize("name", ["", " ", "light", "Default", "st__x", "hashing__dim3", "url__x"])
def test_ids_of_built_in_embedders_cannot_be_taken(name: str, registry: None) -> None:
    with pytest.raises(EmbedderError):
        register_embedder(name, double)


def test_only_callables_can_be_registered(registry: None) -> None:
    with pytest.raises(EmbedderError, match="callable"):
        register_embedder("acme/1", "light")  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["default", "minilm-fp32", "st", "some/model"])
def test_a_missing_model_is_an_error_that_says_what_to_do(spec: str, no_models: None) -> None:
    with pytest.raises(EmbedderUnavailable, match="ir build") as caught:
        make_embedder(spec)

    assert "irtui build <corpus>" in str(caught.value)
    assert "--mode lexical" in str(caught.value)
    assert "pip install" in str(caught.value)


def test_light_in_place_of_a_missing_model_has_to_be_asked_for(no_models: None) -> None:
    with pytest.warns(UserWarning, match="falling back to the light hashing"):
        embedder, embedder_id = make_embedder("default", strict=False)

    assert embedder_id == "hashing__dim512"
    assert embedder(["a"]).shape == (1, 512)


@pytest.mark.parametrize("embedder_id", [DEFAULT_ID, "minilm-fp32", "st__all-MiniLM-L6-v2"])
def test_reopening_never_takes_another_model(embedder_id: str, no_models: None) -> None:
    with pytest.raises(EmbedderUnavailable):
        make_embedder_for_id(embedder_id)


def test_another_version_of_the_default_model_is_not_taken_for_this_one() -> None:
    with pytest.raises(EmbedderUnavailable, match="another version"):
        make_embedder_for_id("minilm-int8__8199be6f_g0_t256")


@pytest.mark.parametrize(
    ("typo", "meant"), [("lihgt", "light"), ("defualt", "default"), ("hasing", "hashing")]
)
@pytest.mark.parametrize("installed", [True, False])
def test_a_typo_is_refused_before_anything_is_downloaded(
    typo: str, meant: str, installed: bool, no_models: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irengine.embed.sentence._installed", lambda: installed)

    with pytest.raises(EmbedderUnavailable, match=f"did you mean {meant}"):
        make_embedder(typo)


def test_corpora_of_sentence_transformers_reopen_with_full_precision(
    fp32: MiniLM, fp32_weights: Path, no_models: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IR_MINILM_FP32", str(fp32_weights))

    reopened = make_embedder_for_id("st__all-MiniLM-L6-v2", cache=False)

    assert reopened is not None
    embedder, embedder_id = reopened
    assert embedder_id == "st__all-MiniLM-L6-v2"
    assert np.array_equal(embedder(["some text"]), fp32(["some text"]))


def test_fp32_loads_from_an_explicit_path(fp32_weights: Path) -> None:
    embedder, embedder_id = make_embedder(f"minilm-fp32:{fp32_weights}")

    assert embedder_id == "minilm-fp32"
    assert embedder(["a"]).shape == (1, 384)
