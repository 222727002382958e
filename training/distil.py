"""The start of training: what MiniLM says of each vocabulary entry alone, in fewer dimensions."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from scipy.sparse import csr_array
from tokenizers import Tokenizer

Table = NDArray[np.float32]  # one row a vocabulary entry

BATCH = 512
SIF = 1e-4  # an entry of relative frequency p weighs SIF / (SIF + p)


def minilm_vectors(folder: Path, entries: Sequence[str]) -> Table:
    """Mean-pooled MiniLM output of every entry alone, shape (len(entries), 384)."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / "onnx" / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    start, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    known = tokenizer.get_vocab()
    ids = []
    for entry in entries:
        inner = [known[entry]] if entry in known else tokenizer.encode(entry, add_special_tokens=False).ids
        ids.append([start, *inner, end])
    out = np.zeros((len(entries), 384), dtype=np.float32)
    # Entries of equal length share a batch, so nothing is padded.
    order = sorted(range(len(ids)), key=lambda row: (len(ids[row]), row))
    for first in range(0, len(order), BATCH):
        for length in sorted({len(ids[row]) for row in order[first : first + BATCH]}):
            rows = [row for row in order[first : first + BATCH] if len(ids[row]) == length]
            batch = np.array([ids[row] for row in rows], dtype=np.int64)
            given = {"input_ids": batch, "attention_mask": np.ones_like(batch), "token_type_ids": np.zeros_like(batch)}
            out[rows] = session.run(None, given)[0].mean(axis=1)
    return out


def reduced(vectors: Table, dimensions: int) -> Table:
    """The first principal components, strongest first, each sign fixed by its largest loading."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :dimensions]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(dimensions)])
    return (centred @ axes).astype(np.float32)


def start_table(vectors: Table, buckets: int, bags: csr_array, dimensions: int) -> Table:
    """Reduced vectors, then random ones for the buckets; weighted down by frequency in `bags`, of mean length 1."""
    known = reduced(vectors, dimensions)
    noise = np.random.default_rng(0).standard_normal((buckets, dimensions))
    noise *= np.linalg.norm(known, axis=1).mean() / np.linalg.norm(noise, axis=1, keepdims=True)
    table = np.concatenate([known, noise.astype(np.float32)])
    counts = np.asarray(bags.sum(axis=0)).ravel() + 1.0
    weights = SIF / (SIF + counts / counts.sum())
    table *= weights[:, None].astype(np.float32)
    return (table / np.linalg.norm(table, axis=1).mean()).astype(np.float32)
