"""Build the graph files of ``data/``: the MiniLM and e5 networks without their weights.

    python -m irengine.embed.graph_builder

Needs the ``onnx`` package; run it after changing this file and bump ``GRAPH_VERSION`` when
vectors change (``E5_GRAPH_VERSION`` for the multilingual one). The weights are declared as external
tensors, under the names that :mod:`irengine.embed.weights` and :mod:`irengine.embed.e5_weights`
supply.

The graphs take *one* text. Dynamic int8 quantisation scales a whole activation tensor by its
largest value, so in a batch a text's vector would depend on its neighbours (measured: cosine down
to .993 between a text alone and in a batch of eight). One text per run makes the vector a function
of the text, needs no mask and no padding, and is faster too.

Residual sums and layer norms stay separate nodes: onnxruntime's fused ``SkipLayerNormalization``
is four times slower on a CPU. That is why the session must not be optimised beyond ``BASIC``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from irengine.embed._protocol import E5_MAX_TOKENS, MAX_TOKENS
from irengine.embed.e5_weights import BLOCK, E5_LAYERS, E5_VOCABULARY
from irengine.embed.weights import HEADS, HIDDEN, INNER, LAYERS, VOCABULARY

__all__ = ["build_graph", "build_multilingual", "build_probe", "main"]

_MICROSOFT = "com.microsoft"
_EPSILON = 1e-12  # layer_norm_eps of the model


class _Graph:
    """Collects nodes and tensor declarations."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.tensors: dict[str, Any] = {}

    def constant(self, name: str, values: list[int]) -> str:
        from onnx import TensorProto, helper

        self.tensors[name] = helper.make_tensor(name, TensorProto.INT64, [len(values)], values)
        return name

    def weight(self, name: str, shape: tuple[int, ...], kind: str = "FLOAT") -> str:
        """Declare a tensor whose values the session receives at run time."""
        from onnx import TensorProto

        tensor = TensorProto(name=name, dims=shape, data_type=TensorProto.DataType.Value(kind))
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights")
        self.tensors[name] = tensor
        return name

    def node(self, kind: str, inputs: list[str], *, outputs: int = 1, **attributes: Any) -> Any:
        from onnx import helper

        base = f"{kind}_{len(self.nodes)}"
        names = [base] if outputs == 1 else [f"{base}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=base, **attributes))
        return names[0] if outputs == 1 else names


def build_graph(*, int8: bool) -> Any:
    """Return the ONNX model that maps ``input_ids`` (1, n) to ``embedding`` (1, 384), unit length.

    The mean of the last layer over all tokens, divided by its length, is what
    sentence-transformers computes for this model. The last layer itself is a second output,
    ``tokens`` (1, n, 384); who does not ask for it does not pay for it.
    """

    graph = _Graph()
    x = _embeddings(graph, int8=int8)
    for layer in range(LAYERS):
        x = _layer(graph, x, f"{layer}.", int8=int8)
    return _pooled(graph, "minilm_int8" if int8 else "minilm_fp32")


def build_multilingual() -> Any:
    """Return the model of :func:`build_graph` for multilingual-e5-small.

    A network of the same widths with twelve layers, 512 positions and a vocabulary of 250,037,
    whose table stays in 4 bits: only the rows of a text are unpacked, and here rather than in
    Python, so that the cores can share the texts.

    Its activations have outliers that one step for a whole tensor serves badly. So the inputs of
    the matrices that follow a layer norm are evened out (``smooth``, see ``e5_weights``), and the
    widest matrix stays in the stored 4 bits, with activations rounded in blocks of 32. Korean
    questions about English passages, nDCG@10: .672 in full precision, .650 with plain int8, .659
    evened out, .666 with both, for 1.27 times the processor time of plain int8 (all matrices in 4
    bits: .670 for 2.0 times).
    """
    graph = _Graph()
    x = _positioned(graph, _packed_words(graph), E5_MAX_TOKENS)
    for layer in range(E5_LAYERS):
        x = _e5_layer(graph, x, f"{layer}.")
    return _pooled(graph, "e5_int8")


def build_probe() -> Any:
    """Return a model multiplying uint8 ``a`` (8, 64) by 127s: it shows whether int8 saturates."""
    from onnx import TensorProto, helper

    graph = _Graph()
    shape = (64, 16)
    graph.tensors["b"] = helper.make_tensor("b", TensorProto.INT8, shape, [127] * (64 * 16))
    graph.nodes.append(helper.make_node("MatMulInteger", ["a", "b"], ["c"], name="product"))
    return _model(
        graph,
        "int8_probe",
        [helper.make_tensor_value_info("a", TensorProto.UINT8, [8, 64])],
        [helper.make_tensor_value_info("c", TensorProto.INT32, [8, 16])],
    )


def _pooled(graph: _Graph, name: str) -> Any:
    """Return the model of ``graph``, whose last node gives the last layer."""
    from onnx import TensorProto, helper

    graph.nodes[-1].output[0] = x = "tokens"
    pooled = graph.node("ReduceMean", [x, graph.constant("tokens_axis", [1])], keepdims=0)
    graph.nodes.append(helper.make_node("LpNormalization", [pooled], ["embedding"], axis=-1, p=2))
    return _model(
        graph,
        name,
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "length"])],
        [
            helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, HIDDEN]),
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "length", HIDDEN]),
        ],
    )


def _model(graph: _Graph, name: str, inputs: list[Any], outputs: list[Any]) -> Any:
    from onnx import helper

    body = helper.make_graph(graph.nodes, name, inputs, outputs, list(graph.tensors.values()))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8)


def _embeddings(graph: _Graph, *, int8: bool) -> str:
    if int8:
        table = graph.weight("words.q", (VOCABULARY, HIDDEN), "INT8")
        scales = graph.weight("words.scale", (VOCABULARY, 1))
        rows = graph.node("Cast", [graph.node("Gather", [table, "input_ids"])], to=1)  # float
        words = graph.node("Mul", [rows, graph.node("Gather", [scales, "input_ids"])])
    else:
        words = graph.node("Gather", [graph.weight("words", (VOCABULARY, HIDDEN)), "input_ids"])
    return _positioned(graph, words, MAX_TOKENS)


def _packed_words(graph: _Graph) -> str:
    """Return the word vectors of ``input_ids`` out of the 4-bit table (see ``e5_weights``)."""
    from onnx import TensorProto, helper

    blocks = HIDDEN // BLOCK
    packed = graph.weight("words.nibbles", (E5_VOCABULARY, blocks, BLOCK // 2), "UINT8")
    steps = graph.weight("words.step", (E5_VOCABULARY, blocks), "FLOAT16")
    for name, value in (("low_bits", 15), ("half_byte", 4)):
        graph.tensors[name] = helper.make_tensor(name, TensorProto.UINT8, [], [value])
    graph.tensors["eight"] = helper.make_tensor("eight", TensorProto.FLOAT, [], [8.0])
    rows = graph.node("Gather", [packed, "input_ids"])
    low = graph.node("BitwiseAnd", [rows, "low_bits"])
    high = graph.node("BitShift", [rows, "half_byte"], direction="RIGHT")
    nibbles = graph.node("Concat", [low, high], axis=-1)
    values = graph.node("Sub", [graph.node("Cast", [nibbles], to=1), "eight"])  # 1: float
    step = graph.node("Cast", [graph.node("Gather", [steps, "input_ids"])], to=1)
    column = graph.node("Unsqueeze", [step, graph.constant("last_axis", [-1])])
    scaled = graph.node("Mul", [values, column])
    flat = graph.constant("row_shape", [1, -1, HIDDEN])
    return str(graph.node("Reshape", [scaled, flat]))


def _positioned(graph: _Graph, words: str, positions: int) -> str:
    """Return the sum of word and position vectors, normed."""
    length = graph.node("Shape", ["input_ids"], start=1, end=2)
    zero = graph.constant("zero", [0])
    table = graph.weight("positions", (positions, HIDDEN))
    sliced = graph.node("Slice", [table, zero, length, zero])
    return _norm(graph, graph.node("Add", [words, sliced]), "")


def _e5_layer(graph: _Graph, x: str, prefix: str) -> str:
    even = graph.node("Mul", [x, graph.weight(f"{prefix}qkv.smooth", (HIDDEN,))])
    attended = _attention(graph, even, prefix, int8=True)
    projected = _linear(graph, attended, f"{prefix}output", (HIDDEN, HIDDEN), int8=True)
    x = _norm(graph, graph.node("Add", [projected, x]), f"{prefix}attention.")
    even = graph.node("Mul", [x, graph.weight(f"{prefix}inner.smooth", (HIDDEN,))])
    raw = _linear(graph, even, f"{prefix}inner", (HIDDEN, INNER), int8=True, bias=False)
    inner_bias = graph.weight(f"{prefix}inner.bias", (INNER,))
    inner = graph.node("BiasGelu", [raw, inner_bias], domain=_MICROSOFT)
    name = f"{prefix}outer"
    blocks = INNER // BLOCK
    packed = [
        graph.weight(f"{name}.nibbles", (HIDDEN, blocks, BLOCK // 2), "UINT8"),
        graph.weight(f"{name}.step", (HIDDEN * blocks,)),
    ]
    product = graph.node(
        "MatMulNBits",
        [inner, *packed],
        domain=_MICROSOFT,
        K=INNER,
        N=HIDDEN,
        bits=4,
        block_size=BLOCK,
        accuracy_level=4,  # activations as int8
    )
    outer = graph.node("Add", [product, graph.weight(f"{name}.bias", (HIDDEN,))])
    return _norm(graph, graph.node("Add", [outer, x]), prefix)


def _layer(graph: _Graph, x: str, prefix: str, *, int8: bool) -> str:
    attended = _attention(graph, x, prefix, int8=int8)
    projected = _linear(graph, attended, f"{prefix}output", (HIDDEN, HIDDEN), int8=int8)
    x = _norm(graph, graph.node("Add", [projected, x]), f"{prefix}attention.")
    raw = _linear(graph, x, f"{prefix}inner", (HIDDEN, INNER), int8=int8, bias=False)
    inner_bias = graph.weight(f"{prefix}inner.bias", (INNER,))
    inner = graph.node("BiasGelu", [raw, inner_bias], domain=_MICROSOFT)
    outer = _linear(graph, inner, f"{prefix}outer", (INNER, HIDDEN), int8=int8)
    return _norm(graph, graph.node("Add", [outer, x]), prefix)


def _attention(graph: _Graph, x: str, prefix: str, *, int8: bool) -> str:
    name = f"{prefix}qkv"
    bias = graph.weight(f"{name}.bias", (3 * HIDDEN,))
    if not int8:
        weight = graph.weight(name, (HIDDEN, 3 * HIDDEN))
        fused = graph.node("Attention", [x, weight, bias], domain=_MICROSOFT, num_heads=HEADS)
        return str(fused)
    weight = graph.weight(f"{name}.q", (HIDDEN, 3 * HIDDEN), "INT8")
    scale = graph.weight(f"{name}.scale", (3 * HIDDEN,))
    quantised, x_scale, x_zero = graph.node("DynamicQuantizeLinear", [x], outputs=3)
    no_mask = ""
    inputs = [quantised, weight, bias, x_scale, scale, no_mask, x_zero]
    return str(graph.node("QAttention", inputs, domain=_MICROSOFT, num_heads=HEADS))


def _linear(
    graph: _Graph, x: str, name: str, shape: tuple[int, int], *, int8: bool, bias: bool = True
) -> str:
    biases = [graph.weight(f"{name}.bias", shape[1:])] if bias else []
    if not int8:
        product = graph.node("MatMul", [x, graph.weight(name, shape)])
        return str(graph.node("Add", [product, *biases]) if bias else product)
    weight = graph.weight(f"{name}.q", shape, "INT8")
    scale = graph.weight(f"{name}.scale", shape[1:])
    no_zero_point = [""] if bias else []
    inputs = [x, weight, scale, *no_zero_point, *biases]
    return str(graph.node("DynamicQuantizeMatMul", inputs, domain=_MICROSOFT))


def _norm(graph: _Graph, x: str, prefix: str) -> str:
    gain = graph.weight(f"{prefix}norm.gain", (HIDDEN,))
    shift = graph.weight(f"{prefix}norm.shift", (HIDDEN,))
    inputs = [x, gain, shift]
    return str(graph.node("LayerNormalization", inputs, axis=-1, epsilon=_EPSILON))


def main() -> None:
    """Write the graph files."""
    folder = Path(__file__).with_name("data")
    models = {
        "minilm-int8.onnx": build_graph(int8=True),
        "minilm-fp32.onnx": build_graph(int8=False),
        "e5-int8.onnx": build_multilingual(),
        "int8-probe.onnx": build_probe(),
    }
    for name, model in models.items():
        (folder / name).write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
