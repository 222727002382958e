"""`python -m bench.code.distilled MINILM FOLDER`: make a model for semble, without a hub.

The defaults of `model2vec.distill`, with ONNX Runtime instead of PyTorch: each entry of the vocabulary between its
marks, 256 principal components of their means, and a lower weight for frequent entries (SIF, 1e-4), by rank as in
Zipf's law.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIMENSIONS, _SIF, _BATCH = 256, 1e-4, 512


def main(arguments: Sequence[str]) -> None:
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    minilm, folder = map(Path, arguments)
    tokenizer = Tokenizer.from_file(str(minilm / "tokenizer.json"))
    entries = [entry for entry, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    used = np.array([not entry.startswith("[unused") for entry in entries])
    ids = np.flatnonzero(used)
    states = _states(minilm, ids, tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]"))
    centred = states - states.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    rarity = 1 / np.arange(2, len(ids) + 2)
    weights = _SIF / (_SIF + rarity / rarity.sum())
    table = np.zeros((len(entries), _DIMENSIONS))
    table[ids] = (centred @ axes[:, ::-1][:, :_DIMENSIONS]) * weights[:, None]
    StaticModel(table.astype(np.float32), tokenizer, {"normalize": True}, normalize=True).save_pretrained(str(folder))


def _states(minilm: Path, ids: NDArray[Any], start: int, end: int) -> NDArray[np.float64]:
    """The mean of what the model makes of each entry between its marks."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(next(minilm.glob("**/*.onnx"))), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    rows = []
    for at in range(0, len(ids), _BATCH):
        batch = ids[at : at + _BATCH]
        tokens = np.stack([np.full(len(batch), start), batch, np.full(len(batch), end)], axis=1).astype(np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        rows.append(session.run(None, {name: inputs[name] for name in names})[0].mean(axis=1))
    return np.concatenate(rows).astype(np.float64)


if __name__ == "__main__":
    main(sys.argv[1:])
