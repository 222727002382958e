"""A BERT of a few kilobytes with random weights, for the tests of the onnx provider.

`python -m training.tiny_onnx` writes `tests/models/embedders/tiny-onnx/`.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from training.bert_onnx import bert_graph

OUT = Path(__file__).parent.parent / "tests/models/embedders/tiny-onnx"
TEXT = "[PAD] [UNK] [CLS] [SEP] how to install the package ##ing ##s colours of autumn leaves a word"
WORDS = TEXT.split()
WIDTH, INNER, POSITIONS, MAX_TOKENS = 16, 32, 64, 32
CONFIG = {
    "hidden_size": WIDTH, "num_attention_heads": 2, "num_hidden_layers": 1, "layer_norm_eps": 1e-12,
    "max_position_embeddings": POSITIONS,
}  # fmt: skip
LAYER = "encoder.layer.0"


def main() -> None:
    """Write the folder."""
    random = np.random.default_rng(0)
    weights = {
        "embeddings.word_embeddings.weight": random.standard_normal((len(WORDS), WIDTH)),
        "embeddings.position_embeddings.weight": random.standard_normal((POSITIONS, WIDTH)) * 0.1,
        "embeddings.token_type_embeddings.weight": np.zeros((2, WIDTH)),
    }
    for name in ("embeddings.LayerNorm", f"{LAYER}.attention.output.LayerNorm", f"{LAYER}.output.LayerNorm"):
        weights |= {f"{name}.weight": np.ones(WIDTH), f"{name}.bias": np.zeros(WIDTH)}
    parts = [f"attention.self.{part}" for part in ("query", "key", "value")] + ["attention.output.dense"]
    sizes = dict.fromkeys(parts, (WIDTH, WIDTH)) | {
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    for part, size in sizes.items():
        weights |= {
            f"{LAYER}.{part}.weight": random.standard_normal(size) * 0.1,
            f"{LAYER}.{part}.bias": np.zeros(size[0]),
        }
    (OUT / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(
        bert_graph({name: value.astype(np.float32) for name, value in weights.items()}, CONFIG),
        OUT / "onnx" / "model.onnx",
    )
    tokenizer = Tokenizer(WordPiece({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(OUT / "tokenizer.json"))
    (OUT / "config.json").write_text(json.dumps(CONFIG) + "\n", encoding="utf-8")
    (OUT / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": MAX_TOKENS}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
