"""The weights and thresholds of `ranking/answerable.py`: logistic regression; thresholds by left-out collections."""

import json
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bench.gate.fit import Array, logistic_weights
from bench.gate.judged import Judged
from searchsocket.search.ranking.answerable import AnswerFeatures
from searchsocket.search.ranking.weights import FILE

# What a query of a set weighs; the others are counted only.
_WEIGHTS = {"true": 1.0, "short": 2.0, "off-topic": 1.0, "software": 1.0}
_ANSWERED = ("true", "short")
_DECAY = 1e-4
# Shares of true queries, of collections left out, that are refused and that are doubted.
REFUSED, DOUBTED = 0.001, 0.009
_SCATTERED = 2.0  # what a query weighs more whose words no page has together: only such ones are refused
_EVERYTHING = AnswerFeatures._fields.index("everything")


def fit_answers(judged: Sequence[Judged]) -> str:
    """Fit, write the weights to `weights.json`, and return what collections that are left out get."""
    rows = [one for one in judged if one.answer_features]
    kinds = np.array([one.kind.partition(":")[0] for one in rows])
    names = np.array([one.collection for one in rows])
    table = np.array([one.answer_features for one in rows])
    right = np.isin(kinds, _ANSWERED).astype(np.float64)
    weights = np.array([_WEIGHTS.get(kind, 0.0) for kind in kinds.tolist()])
    is_whole = table[:, _EVERYTHING] >= 1
    weights[~is_whole] *= _SCATTERED
    scores = np.zeros(len(rows))
    for name in sorted(set(names.tolist())):
        out = names == name
        scores[out] = table[out] @ _fitted(table[~out], right[~out], weights[~out])
    is_true, is_answered = kinds == "true", np.array([one.quality == "answered" for one in rows])
    refusable = np.where(is_whole, np.inf, scores)
    refused = float(np.quantile(refusable[is_true], REFUSED, method="lower"))
    doubted = float(np.quantile(scores[is_true & is_answered], DOUBTED, method="lower"))
    fitted = _fitted(table, right, weights)
    written = json.loads(FILE.read_text(encoding="utf-8"))
    written["answer"] = {
        "refused_below": round(refused, 3),
        "doubted_below": round(doubted, 3),
        "weights": dict(zip(AnswerFeatures._fields, fitted.round(3).tolist(), strict=True)),
    }
    FILE.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    return _table(judged, list(zip(rows, scores.tolist(), refusable.tolist(), strict=True)), refused, doubted)


def _fitted(table: Array, right: Array, weights: Array) -> Array:
    return logistic_weights(table, right, weights / weights.sum(), _DECAY)


def _table(
    judged: Sequence[Judged], scored: Sequence[tuple[Judged, float, float]], refused: float, doubted: float
) -> str:
    """By kind: the share that is answered and that is given anything, each collection by the others' weights."""
    counts, given, answered = Counter[str](), Counter[str](), Counter[str]()
    by_query = {id(one): scores for one, *scores in scored}
    for one in judged:
        kind = one.kind.partition(":")[0]
        score, refusable = by_query.get(id(one), (np.inf, np.inf))
        counts[kind] += 1
        given[kind] += one.quality != "rejected" and refusable >= refused
        answered[kind] += one.quality == "answered" and refusable >= refused and score >= doubted
    lines = ["left out         queries  answered  given anything"]
    for kind, count in counts.items():
        lines.append(f"{kind:16} {count:7}  {answered[kind] / count:8.3f}  {given[kind] / count:14.3f}")
    return "\n".join(lines)
