"""Turn a sentence-transformers BERT folder (safetensors) into an ONNX graph, without torch.

`python -m training.bert_onnx FOLDER OUT` reads config.json, model.safetensors and tokenizer.json in FOLDER and
writes OUT/onnx/model.onnx, OUT/onnx/model_int8.onnx and copies of the small files.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

SMALL_FILES = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "modules.json",
    "sentence_bert_config.json", "1_Pooling/config.json", "README.md",
)  # fmt: skip
OPSET = 20  # first with Gelu as one operator
MASKED = -1e4  # added to the attention logits of padding; large enough for softmax to give 0


class Graph:
    """Collects nodes and weights; every method returns the name of its output."""

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def op(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=f"{kind}_{name}", **attributes))
        return name

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(self, name: str, *, transposed: bool = False) -> str:
        value = self.weights[name]
        return self.constant(name, value.T if transposed else value)

    def ints(self, *values: int) -> str:
        return self.constant("i_" + "_".join(map(str, values)), np.array(values, dtype=np.int64))

    def linear(self, x: str, layer: str) -> str:
        product = self.op("MatMul", x, self.weight(f"{layer}.weight", transposed=True))
        return self.op("Add", product, self.weight(f"{layer}.bias"))

    def norm(self, x: str, layer: str, epsilon: float) -> str:
        scale, bias = self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)


def _embeddings(graph: Graph, epsilon: float) -> str:
    length = graph.op("Slice", graph.op("Shape", "input_ids"), graph.ints(1), graph.ints(2))
    positions = graph.op(
        "Slice", graph.weight("embeddings.position_embeddings.weight"), graph.ints(0), length, graph.ints(0)
    )
    words = graph.op("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = graph.op("Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    total = graph.op("Add", graph.op("Add", words, types), positions)
    return graph.norm(total, "embeddings.LayerNorm", epsilon)


def _attention(graph: Graph, x: str, layer: str, bias: str, heads: int, size: int) -> str:
    def split(part: str, axes: Sequence[int]) -> str:
        projected = graph.linear(x, f"{layer}.attention.self.{part}")
        return graph.op("Transpose", graph.op("Reshape", projected, graph.ints(0, 0, heads, size)), perm=list(axes))

    query, key, value = split("query", (0, 2, 1, 3)), split("key", (0, 2, 3, 1)), split("value", (0, 2, 1, 3))
    scale = graph.constant("scale", np.array(size**-0.5, dtype=np.float32))
    logits = graph.op("Add", graph.op("Mul", graph.op("MatMul", query, key), scale), bias)
    mixed = graph.op("MatMul", graph.op("Softmax", logits, axis=-1), value)
    joined = graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), graph.ints(0, 0, heads * size))
    return graph.linear(joined, f"{layer}.attention.output.dense")


def bert_graph(weights: dict[str, NDArray[np.float32]], config: dict[str, object]) -> onnx.ModelProto:
    """Build BERT's encoder: three int64 inputs of shape (batch, tokens), `last_hidden_state` as output."""
    epsilon, heads = float(str(config["layer_norm_eps"])), int(str(config["num_attention_heads"]))
    width = int(str(config["hidden_size"]))
    graph = Graph(weights)
    x = _embeddings(graph, epsilon)
    mask = graph.op("Cast", graph.op("Unsqueeze", "attention_mask", graph.ints(1, 2)), to=TensorProto.FLOAT)
    one = graph.constant("one", np.array(1, dtype=np.float32))
    masked = graph.constant("masked", np.array(MASKED, dtype=np.float32))
    bias = graph.op("Mul", graph.op("Sub", one, mask), masked)
    for number in range(int(str(config["num_hidden_layers"]))):
        layer = f"encoder.layer.{number}"
        attended = graph.op("Add", x, _attention(graph, x, layer, bias, heads, width // heads))
        x = graph.norm(attended, f"{layer}.attention.output.LayerNorm", epsilon)
        inner = graph.op("Gelu", graph.linear(x, f"{layer}.intermediate.dense"))
        x = graph.norm(graph.op("Add", x, graph.linear(inner, f"{layer}.output.dense")),
                       f"{layer}.output.LayerNorm", epsilon)  # fmt: skip
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    shape = ["batch", "tokens"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, width])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "bert", inputs, [output], list(graph.constants.values())),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=9,
    )
    onnx.checker.check_model(model)
    return model


def export(folder: Path, out: Path) -> None:
    """Write the float32 and the int8 model of `folder` under `out`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    (out / "onnx").mkdir(parents=True, exist_ok=True)
    for name in SMALL_FILES:
        if (folder / name).exists():
            (out / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(folder / name, out / name)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    full = out / "onnx" / "model.onnx"
    onnx.save(bert_graph(load_file(folder / "model.safetensors"), config), full)
    quantize_dynamic(full, out / "onnx" / "model_int8.onnx", per_channel=True, weight_type=QuantType.QInt8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    export(arguments.folder, arguments.out)
