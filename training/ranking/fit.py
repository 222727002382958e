"""`python -m training.ranking.fit DUMPS`: fit the weights, and say what they give on sites that are left out.

A score is the hand-set part of `weights.json` plus each fitted feature times its weight, so the fit starts at the order
that the hand-set part gives, and decay draws it back there. The loss is a smooth nDCG: a rank is 0.5 + the sum, over
all candidates, of how surely each stands above. Every site weighs as much as every other.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bench.relevance.intervals import interval
from searchsocket.search.ranking.weights import FILE
from training.ranking.features import SUM, WEIGHT

Array = NDArray[np.float64]

DEPTH = 40  # candidates a query, the best by the score that is there
DECAY, STEEPNESS = 0.02, 30.0
FOLDS = 6  # of the mined sites; each judged site is a fold of its own
JUDGED, TASKS = "site_", "tasks_"
_SAME_SITE = {"tasks_vue-docs": "site_vue", "tasks_bits-ui-docs": "bits-ui"} | {
    f"tasks_{name}": name.partition("-")[0] for name in ("django-3.2-docs", "postgresql-15-manual", "sqlite-3.40-docs")
}
# How much a kind weighs: links say best what people look for, and the words of headings and errors are in the text.
KINDS = {
    "anchor": 3.0, "sentence": 1.5, "description": 1.5, "title": 0.5, "heading": 1.0, "task": 0.5, "error": 0.5,
    "one word": 0.6, "two words": 0.4, "versus": 0.6, "in": 0.4, "call": 0.5, "other word": 1.0,
}  # fmt: skip
_SITE_WEIGHTS = {JUDGED: 3.0, TASKS: 3.0}  # 1 of mined sites
_REPLACED = {"in_name": 0.05}  # what the fitted weights stand for besides those that they start at
_DISCOUNTS = 1.0 / np.log2(np.arange(10) + 2)


@dataclass(frozen=True, slots=True)
class Queries:
    """All queries of all sites; shape (queries, DEPTH) unless said otherwise."""

    names: tuple[str, ...]  # of features
    features: NDArray[np.float32]  # (queries, DEPTH, features)
    is_candidate: NDArray[np.bool_]
    grades: Array
    ideal: Array  # (queries,): the greatest DCG@10
    kinds: NDArray[np.str_]  # (queries,)
    sites: NDArray[np.str_]  # (queries,): the file that they are of
    weights_used: Mapping[str, float]  # that the scores of the candidates were made with

    def column(self, name: str) -> Array:
        """One feature."""
        return self.features[:, :, self.names.index(name)].astype(np.float64)

    def ndcg(self, scores: Array) -> Array:
        """nDCG@10 of each query; equal scores in the order of the candidates."""
        values = np.where(self.is_candidate, np.round(scores, 6), -np.inf)
        best = np.argsort(-values, axis=1, kind="stable")[:, : len(_DISCOUNTS)]
        gains: Array = (np.take_along_axis(self.grades, best, 1) * _DISCOUNTS).sum(axis=1) / self.ideal
        return gains

    @property
    def groups(self) -> NDArray[np.str_]:
        """The site of each query: what is left out together."""
        return np.array([_SAME_SITE.get(site, site) for site in self.sites.tolist()])

    def weights(self) -> Array:
        """What each query weighs."""
        weights = np.array([KINDS.get(kind, 1.0) for kind in self.kinds.tolist()])
        for site in np.unique(self.sites).tolist():
            of_site = self.sites == site
            factor = next((value for prefix, value in _SITE_WEIGHTS.items() if site.startswith(prefix)), 1.0)
            weights[of_site] *= factor / weights[of_site].sum()
        return weights


@dataclass(frozen=True, slots=True)
class Model:
    """What is fitted: the part that stays, and the columns that get a weight."""

    base: Array  # (queries, DEPTH)
    columns: NDArray[np.float32]  # (queries, DEPTH, weights)
    page_weights: Array  # (queries, DEPTH)

    def scores(self, weights: Array) -> Array:
        """The score of each candidate."""
        scores: Array = (self.base + self.columns @ weights) * self.page_weights
        return scores


def read(folder: Path) -> Queries:
    """The dumps of a folder, see `dump.py`."""
    rows: list[tuple[NDArray[np.float32], Array, float, str, str]] = []
    names: tuple[str, ...] = ()
    used: set[str] = set()
    for path in sorted(folder.glob("*.npz")):
        dump = np.load(path)
        names = tuple(dump["names"].tolist())
        used.add(str(dump["weights"]))
        features, grades, starts = dump["features"], dump["labels"].astype(np.float64), dump["starts"]
        score = features[:, names.index(SUM)] * features[:, names.index(WEIGHT)]
        for query, (start, end) in enumerate(pairwise(starts.tolist())):
            best = start + np.argsort(-score[start:end], kind="stable")
            # Pages that answer stay, however low they are, in place of the last ones.
            late = [at for at in best[DEPTH - 3 :].tolist() if grades[at] > 0][:3]
            kept = np.array([*best[: DEPTH - 3].tolist(), *late], np.int64)
            kind, ideal = str(dump["kinds"][query]), float(dump["ideal"][query])
            rows.append((features[kept], grades[kept], ideal, kind, path.stem))
    [weights_used] = map(json.loads, used)  # of all the same, or their scores cannot be compared
    shape = (len(rows), DEPTH)
    table, grades = np.zeros((*shape, len(names)), np.float32), np.zeros(shape)
    is_candidate = np.zeros(shape, np.bool_)
    for number, (features, of_query, *_) in enumerate(rows):
        table[number, : len(features)], grades[number, : len(features)] = features, of_query
        is_candidate[number, : len(features)] = True
    _, _, ideal, kinds, sites = zip(*rows, strict=True)
    per_query = (np.array(ideal), np.array(kinds), np.array(sites))
    return Queries(names, table, is_candidate, grades, *per_query, weights_used)


def model_of(queries: Queries, fitted: Sequence[str]) -> Model:
    """The model of some features; what they gave is taken out of the score first."""
    base = queries.column(SUM) - sum(queries.column(name) * queries.weights_used[name] for name in fitted)
    columns = np.stack([queries.column(name) for name in fitted], axis=-1).astype(np.float32)
    return Model(base, columns, queries.column(WEIGHT))


def fit(queries: Queries, model: Model, chosen: NDArray[np.bool_], start: Array) -> Array:
    """The weights by the chosen queries.

    Args:
        start: The weights that decay draws to.
    """
    rows = np.flatnonzero(chosen & (queries.grades.sum(axis=1) > 0))
    query_weights = queries.weights()[rows]
    query_weights /= query_weights.sum()
    base, columns = model.base[rows], model.columns[rows]
    page_weights, is_candidate = model.page_weights[rows], queries.is_candidate[rows]
    number, position = np.nonzero(queries.grades[rows] > 0)
    gains = query_weights[number] * queries.grades[rows][number, position] / queries.ideal[rows][number]

    def loss(weights: Array) -> tuple[float, Array]:
        scores = (base + columns @ weights.astype(np.float32)) * page_weights
        own = scores[number, position]
        above = 1.0 / (1.0 + np.exp(-np.clip(STEEPNESS * (scores[number] - own[:, None]), -30, 30)))
        above *= is_candidate[number]
        ranks = 0.5 + above.sum(axis=1)
        logs = np.log2(1 + ranks)
        value = -(gains / logs).sum() + DECAY * ((weights - start) ** 2).sum() / 2
        slopes = gains / (np.log(2) * (1 + ranks) * logs**2)
        by_score = STEEPNESS * above * (1 - above) * slopes[:, None]
        by_page = by_score * page_weights[number]
        gradient = np.einsum("nk,nkf->f", by_page, columns[number])
        of_own = by_score.sum(axis=1) * page_weights[number, position]
        gradient -= np.einsum("n,nf->f", of_own, columns[number, position])
        return float(value), np.asarray(gradient + DECAY * (weights - start), np.float64)

    found: Array = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 80}).x
    return found


def hand_set_quality(queries: Queries, prior: Mapping[str, float]) -> Array:
    """nDCG@10 of each query by the hand-set weights alone.

    Args:
        prior: Those of the fitted features, see `fitted` in `weights.json`.
    """
    model = model_of(queries, list(prior))
    replaced = sum(queries.column(name) * value for name, value in _REPLACED.items()) * model.page_weights
    return queries.ndcg(model.scores(np.array(list(prior.values()))) + replaced)


def folds(queries: Queries) -> list[list[str]]:
    """The sites that are left out together."""
    groups = sorted(set(queries.groups.tolist()))
    judged = [name for name in groups if name.startswith(JUDGED)]
    mined = [name for name in groups if name not in judged]
    return [[name] for name in judged] + [mined[number::FOLDS] for number in range(FOLDS)]


def left_out(queries: Queries, model: Model, start: Array) -> tuple[Array, Array]:
    """nDCG@10 of each query by weights that never saw its site, and the weights of each fold."""
    quality, found = np.zeros(len(queries.ideal)), []
    for names in folds(queries):
        out = np.isin(queries.groups, names)
        found.append(fit(queries, model, ~out, start))
        quality[out] = queries.ndcg(model.scores(found[-1]))[out]
    return quality, np.array(found)


def table(queries: Queries, before: Array, after: Array) -> str:
    """What left-out sites gain, with 95 % intervals: by site, of all, and by kind of query."""
    is_judged = np.char.startswith(queries.sites, JUDGED)
    is_task = np.char.startswith(queries.sites, TASKS)
    mined = sorted(set(queries.sites[~is_judged & ~is_task].tolist()))
    rows: list[tuple[str, list[NDArray[np.bool_]]]] = [
        (f"{len(mined)} mined sites", [queries.sites == site for site in mined]),
        ("judged sites", [queries.sites == site for site in sorted(set(queries.sites[is_judged].tolist()))]),
        ("60 tasks", [is_task]),
    ]
    rows += [(site, [queries.sites == site]) for site in sorted(set(queries.sites.tolist()))]
    mined_kinds = sorted(set(queries.kinds[~is_judged & ~is_task].tolist()))
    rows += [(f"kind: {kind}", [(queries.kinds == kind) & ~is_judged & ~is_task]) for kind in mined_kinds]
    lines = [f"{'left out':26} {'queries':>7}  before  after   difference [95 %]"]
    for name, parts in rows:
        parts = [part for part in parts if part.any()]
        if not parts:
            continue
        mean, low, high = interval([after[part] - before[part] for part in parts])
        old, new = (float(np.mean([values[part].mean() for part in parts])) for values in (before, after))
        count = sum(int(part.sum()) for part in parts)
        lines.append(f"{name:26} {count:7}  {old:.4f}  {new:.4f}  {mean:+.4f} [{low:+.4f}, {high:+.4f}]")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Fit, print the tables, and write the weights when asked to."""
    options = _parser().parse_args(arguments)
    weights = json.loads(FILE.read_text(encoding="utf-8"))
    prior = weights["fitted"]
    fitted = list(prior)
    queries = read(options.dumps)
    model = model_of(queries, fitted)
    start = np.array([prior[name] for name in fitted])
    hand_set = hand_set_quality(queries, prior)
    quality, by_fold = left_out(queries, model, start)
    print(table(queries, hand_set, quality))
    found = fit(queries, model, np.ones(len(queries.ideal), np.bool_), start)
    for name, first, value, spread in zip(fitted, start, found, by_fold.std(axis=0), strict=True):
        print(f"{name:16} {first:.3f} -> {value:.3f}  (deviation over folds {spread:.3f})")
    if options.write:
        weights["features"] |= {name: round(float(value), 3) for name, value in zip(fitted, found, strict=True)}
        FILE.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.ranking.fit", description=__doc__)
    parser.add_argument("dumps", type=Path, help="a folder of files by `training.ranking.dump`")
    parser.add_argument("--write", action="store_true", help=f"write the weights to {FILE.name}")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
