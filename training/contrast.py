"""Contrastive training of a token table on bags of tokens, in numpy: no network, only sums of rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from training.distil import Table

Floats = NDArray[np.float32]
BETA1, BETA2, EPSILON = 0.9, 0.98, 1e-8


@dataclass(frozen=True, slots=True)
class Recipe:
    """Every choice of a training run."""

    seed: int = 1
    epochs: int = 2  # more learn the pairs by heart: repositories kept out get worse
    blocks: int = 16  # of `block` pairs a batch
    block: int = 128  # pairs of one repository: their passages are each other's hard negatives
    rate: float = 3e-3
    warmup: int = 50  # steps
    temperature: float = 0.05
    prefixes: tuple[int, ...] = (64, 128, 256)  # each prefix of a vector must work alone
    weight_rate: float = 0.0  # learning rate of the entries' weights, beside their vectors
    dropout: float = 0.0  # share of the entries of each passage that a step does not see
    decay: float = 0.0  # pull of a touched row towards its start, a step at full rate
    lexical: float = 0.0  # how much of the keyword score is added to the logits, so that vectors learn the rest


def train(
    table: Table, queries: csr_array, passages: csr_array, repositories: Sequence[str], recipe: Recipe,
    report: Callable[[int, float, Table], None] = lambda step, loss, table: None,
) -> Table:  # fmt: skip
    """Return `table` trained so that a query is nearest to its own passage among those of its batch.

    Args:
        table: Where to start, shape (entries, dimensions).
        queries: Bag i belongs to passage bag i.
        passages: The same number of bags.
        repositories: Of each pair.
        recipe: The choices; equal recipes give equal tables on one machine.
        report: Called after each epoch with the step, the mean loss and the table so far.
    """
    random = np.random.default_rng(recipe.seed)
    vectors, logs = table.copy(), np.zeros(len(table), dtype=np.float32)
    state = [np.zeros_like(vectors), np.zeros_like(vectors), np.zeros_like(logs), np.zeros_like(logs)]
    duplicates = _fingerprints(queries), _fingerprints(passages)
    idf = _idf(passages) if recipe.lexical else None
    groups = _groups(repositories)
    steps = recipe.epochs * len(_batches(groups, recipe, np.random.default_rng(0)))
    step = 0
    for epoch in range(recipe.epochs):
        losses = []
        for rows in _batches(groups, recipe, random):
            step += 1
            rate = min(step / recipe.warmup, (steps - step + 1) / (steps - recipe.warmup))
            q, p, used = _narrowed(queries[rows], _thinned(passages[rows], recipe.dropout, random))
            scale = np.exp(logs[used])[:, None]
            rows_table = vectors[used] * scale
            twins = _twins(duplicates, rows)
            extra = recipe.lexical * _lexical(q, p, idf[used]) if idf is not None else 0.0
            loss, gradient = _step(rows_table, q, p, twins, extra, recipe)
            losses.append(loss)
            _adam(vectors, state[0], state[1], used, gradient * scale, recipe.rate * rate, step)
            if recipe.decay:
                vectors[used] -= np.float32(recipe.decay * rate) * (vectors[used] - table[used])
            if recipe.weight_rate:
                by_weight = (gradient * rows_table).sum(axis=1)
                _adam(logs, state[2], state[3], used, by_weight, recipe.weight_rate * rate, step)
        report(epoch, float(np.mean(losses)), vectors * np.exp(logs)[:, None])
    return vectors * np.exp(logs)[:, None]


def _groups(repositories: Sequence[str]) -> list[NDArray[np.int64]]:
    names = np.array(repositories)
    return [np.flatnonzero(names == name) for name in sorted(set(repositories))]


def _batches(
    groups: Sequence[NDArray[np.int64]], recipe: Recipe, random: np.random.Generator
) -> list[NDArray[np.int64]]:
    """All pairs once, in blocks of one repository; what fills no block waits for another epoch."""
    blocks = []
    for group in groups:
        mixed = random.permutation(group)
        blocks += [mixed[i : i + recipe.block] for i in range(0, len(mixed) - recipe.block + 1, recipe.block)]
    order = random.permutation(len(blocks))
    whole = range(0, len(order) - recipe.blocks + 1, recipe.blocks)
    return [np.concatenate([blocks[i] for i in order[j : j + recipe.blocks]]) for j in whole]


def _narrowed(q: csr_array, p: csr_array) -> tuple[csr_array, csr_array, NDArray[np.int64]]:
    """The same bags over only the entries that occur in them."""
    used, columns = np.unique(np.concatenate([q.indices, p.indices]), return_inverse=True)
    ends = len(q.indices)
    narrow_q = csr_array((q.data, columns[:ends], q.indptr), shape=(q.shape[0], len(used)))
    narrow_p = csr_array((p.data, columns[ends:], p.indptr), shape=(p.shape[0], len(used)))
    return narrow_q, narrow_p, used


def _thinned(rows: csr_array, dropout: float, random: np.random.Generator) -> csr_array:
    """`rows` with a random share of their entries left out."""
    if not dropout:
        return rows
    data = rows.data * (random.random(len(rows.data)) >= dropout)
    return csr_array((data.astype(np.float32), rows.indices, rows.indptr), shape=rows.shape)


def _step(
    table: Floats, q: csr_array, p: csr_array, twins: NDArray[np.bool_], extra: Floats | float, recipe: Recipe
) -> tuple[float, Floats]:
    """Loss of a batch, and its gradient by the rows of `table`."""
    left, right = q @ table, p @ table
    left_gradient, right_gradient = np.zeros_like(left), np.zeros_like(right)
    total = 0.0
    for size in recipe.prefixes:
        a, a_length = _unit(left[:, :size])
        b, b_length = _unit(right[:, :size])
        logits = a @ b.T / np.float32(recipe.temperature) + extra
        logits[twins] = -1e4
        loss, by_logits = _cross_entropy(logits)
        total += loss
        by_logits /= np.float32(recipe.temperature)
        left_gradient[:, :size] += _through_unit(by_logits @ b, a, a_length)
        right_gradient[:, :size] += _through_unit(by_logits.T @ a, b, b_length)
    count = np.float32(len(recipe.prefixes))
    gradient = (q.T @ left_gradient + p.T @ right_gradient) / count
    return total / len(recipe.prefixes), gradient


def _cross_entropy(logits: Floats) -> tuple[float, Floats]:
    """Mean of both directions, and the gradient by the logits; the right answer is the diagonal."""
    count = len(logits)
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    by_row = shifted / shifted.sum(axis=1, keepdims=True)
    shifted = np.exp(logits - logits.max(axis=0, keepdims=True))
    by_column = shifted / shifted.sum(axis=0, keepdims=True)
    diagonal = np.arange(count)
    right = np.log(by_row[diagonal, diagonal] + 1e-30) + np.log(by_column[diagonal, diagonal] + 1e-30)
    gradient = by_row + by_column
    gradient[diagonal, diagonal] -= 2
    return float(-right.mean() / 2), gradient / np.float32(2 * count)


def _unit(rows: Floats) -> tuple[Floats, Floats]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True) + np.float32(1e-6)
    return rows / lengths, lengths


def _through_unit(gradient: Floats, unit: Floats, length: Floats) -> Floats:
    return (gradient - unit * (gradient * unit).sum(axis=1, keepdims=True)) / length


def _twins(duplicates: tuple[NDArray[np.int64], NDArray[np.int64]], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pairs of the batch that share a query or a passage: no negatives of each other."""
    q, p = duplicates[0][rows], duplicates[1][rows]
    same = (q[:, None] == q[None, :]) | (p[:, None] == p[None, :])
    np.fill_diagonal(same, False)
    return same


def _fingerprints(rows: csr_array) -> NDArray[np.int64]:
    """Equal numbers for equal bags."""
    known: dict[bytes, int] = {}
    keys = _keys(rows)
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _keys(rows: csr_array) -> Iterator[bytes]:
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        yield rows.indices[start:end].tobytes() + rows.data[start:end].tobytes()


def _idf(passages: csr_array) -> Floats:
    frequency = np.bincount(passages.indices, minlength=passages.shape[1])
    return np.log(1 + passages.shape[0] / (1 + frequency)).astype(np.float32)


def _lexical(q: csr_array, p: csr_array, idf: Floats) -> Floats:
    """Share of each query's weight of words that each passage holds, in [0, 1]."""
    weighted = csr_array((idf[q.indices], q.indices, q.indptr), shape=q.shape)
    present = csr_array((np.ones_like(p.data), p.indices, p.indptr), shape=p.shape)
    held: Floats = (weighted @ present.T).toarray()
    return held / np.maximum(np.asarray(weighted.sum(axis=1)).reshape(-1, 1), np.float32(1e-6))


def _adam(
    values: Floats, mean: Floats, square: Floats, rows: NDArray[np.int64], gradient: Floats, rate: float, step: int
) -> None:
    """One step on the rows that the batch touched; the others' moments rest."""
    mean[rows] = BETA1 * mean[rows] + (1 - BETA1) * gradient
    square[rows] = BETA2 * square[rows] + (1 - BETA2) * gradient * gradient
    unbiased = mean[rows] / np.float32(1 - BETA1**step)
    spread = np.sqrt(square[rows] / np.float32(1 - BETA2**step)) + np.float32(EPSILON)
    values[rows] -= np.float32(rate) * unbiased / spread
