"""`python -m bench.static_export.gate COLLECTIONS`: shares of queries that exports answer, call weak and reject.

With `--fit`, fits `export_answer` of `searchsocket/search/ranking/weights.json` and prints what each site gets by the
weights of the others. The two thresholds are set by hand from that table.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.gate.fit import logistic_weights
from bench.gate.queries import OFF_TOPIC_FILES, off_topic, short_questions
from bench.relevance.collection import Collection, load_all
from bench.relevance.product import Indexes
from bench.static_export.ranker import ask, export_of
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.search.ranking.weights import EXPORT_ANSWER

TRUE, SHORT = "true", "short"
_WEIGHTS = {TRUE: 1.0, SHORT: 2.0, "off-topic": 1.0, "software": 1.0}  # the fresh ones are counted only
_MOST = {TRUE: 400, SHORT: 60, "off-topic": 120, "software": 120}  # queries per site, of others 50
_DECAY = 1e-4
_REFUSED, _DOUBTED = (0.001, 0.002, 0.003), (0.01, 0.02, 0.03)  # shares of true queries, for the thresholds
_WHOLE = 0.999


class Row(NamedTuple):
    """A query and its answer."""

    site: str
    kind: str
    quality: str
    features: tuple[float, ...]  # () if the model does not apply


def rows_of(site: Collection, indexes: Indexes, work: Path) -> Iterator[Row]:
    """The answers of the export of one site."""
    queries = list(_queries(site))
    requests = {str(number): {"q": text, "topK": 3, "explain": True} for number, (_, text) in enumerate(queries)}
    answers = ask(export_of(site, indexes, work)[0], requests)
    for number, (kind, _) in enumerate(queries):
        answer = answers[str(number)]
        model = answer["answerModel"] or {"features": []}
        yield Row(site.name, kind, answer["quality"], tuple(one["value"] for one in model["features"]))


def _queries(site: Collection) -> Iterator[tuple[str, str]]:
    texts = {
        TRUE: [query.text for query in site.queries if site.grades.get(query.id)],
        SHORT: [text for text, _ in short_questions(site)],
        **{kind: off_topic(file) for kind, file in OFF_TOPIC_FILES.items()},
    }
    for kind, own in texts.items():
        chosen = random.Random(f"{kind} {site.name}").sample(own, min(len(own), _MOST.get(kind, 50)))
        yield from ((kind, text) for text in chosen)


def table(rows: Sequence[Row], label: str, answered: NDArray[np.bool_], given: NDArray[np.bool_]) -> str:
    kinds = np.array([row.kind for row in rows])
    cells = (
        f"{kind} {100 * answered[kinds == kind].mean():.1f}/{100 * given[kinds == kind].mean():.1f}"
        for kind in dict.fromkeys(kinds.tolist())
    )
    return f"{label:32} {'  '.join(cells)}"


def fit(rows: Sequence[Row]) -> str:
    """Weights over all sites, and a table of thresholds with each site left out."""
    sites, kinds = (np.array([getattr(row, name) for row in rows]) for name in ("site", "kind"))
    quality, names = np.array([row.quality for row in rows]), list(EXPORT_ANSWER["weights"])
    is_judged = np.array([bool(row.features) for row in rows])
    features = np.array([row.features or (0.0,) * len(names) for row in rows])
    is_whole = features[:, names.index("share")] >= _WHOLE
    right = np.isin(kinds, (TRUE, SHORT)).astype(np.float64)
    weights = np.array([_WEIGHTS.get(kind, 0.0) for kind in kinds.tolist()]) * is_judged
    for site in set(sites.tolist()):
        weights[sites == site] /= weights[sites == site].sum()  # each counts the same

    def fitted(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        used = chosen & (weights > 0)
        own: NDArray[np.float64] = logistic_weights(
            features[used], right[used], weights[used] / weights[used].sum(), _DECAY
        )
        return own

    scores = np.zeros(len(rows))
    for site in sorted(set(sites.tolist())):
        scores[sites == site] = features[sites == site] @ fitted(sites != site)
    judged_true = (kinds == TRUE) & is_judged
    lines = []
    for refused in _REFUSED:
        lowest = float(np.quantile(np.where(is_whole, np.inf, scores)[judged_true], refused, method="lower"))
        given = (quality != "rejected") & (~is_judged | is_whole | (scores >= lowest))
        for doubted in _DOUBTED:
            low = float(np.quantile(scores[judged_true & (quality == "answered")], doubted, method="lower"))
            answered = (quality == "answered") & given & (~is_judged | (scores >= low))
            lines.append(table(rows, f"refused {lowest:.2f}, doubted {low:.2f}", answered, given))
    of_all = dict(zip(names, fitted(np.ones(len(rows), np.bool_)).round(3).tolist(), strict=True))
    return "\n".join([*lines, str(of_all)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.static_export.gate", description=__doc__)
    parser.add_argument("collections", type=Path)
    parser.add_argument("--fit", action="store_true", help="with weights of which each threshold is below all scores")
    options = parser.parse_args()
    indexes, rows = Indexes(BuiltinEmbedder()), list[Row]()
    with TemporaryDirectory() as work:
        for site in load_all(options.collections):
            rows += rows_of(site, indexes, Path(work)) if site.name.startswith("site_") else ()
    quality = np.array([row.quality for row in rows])
    print(table(rows, "answered/given anything, percent", quality == "answered", quality != "rejected"))
    if options.fit:
        print(fit(rows))


if __name__ == "__main__":
    main()
