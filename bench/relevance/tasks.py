"""`python -m bench.relevance.tasks SITES`: find the guide for a task, on five unpacked real sites.

`tasks.tsv` has 60 questions and the pages that one person judged to answer them, the best first, without their text.
"""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.relevance.collection import Collection, Query
from bench.relevance.example_site import page_document
from bench.relevance.metrics import evaluate
from bench.relevance.product import Indexes, Product
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.quality.golden import BEST, GOOD

QUESTIONS = Path(__file__).with_name("tasks.tsv")


def tasks(sites: Path) -> list[Collection]:
    """The questions and pages of every site below `sites`, in `NAME/build` or `NAME/NAME/build`."""
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    collections = []
    for site in dict.fromkeys(row["site"] for row in rows):
        build = next(iter(sorted(sites.glob(f"**/{site}/build"))), None)
        if build is None:
            continue
        numbered = [(f"{number:02}", row) for number, row in enumerate(rows) if row["site"] == site]
        grades = {}
        for number, row in numbered:
            best, *others = row["pages"].split()
            grades[number] = dict.fromkeys(others, GOOD) | {best: BEST}
        queries = tuple(Query(number, row["query"], "task") for number, row in numbered)
        pages = (page_document(path, build) for path in sorted(build.rglob("*.html")))
        collections.append(Collection(site, tuple(page for page in pages if page is not None), queries, grades))
    return collections


def main(arguments: Sequence[str]) -> None:
    product = Product("product", Indexes(BuiltinEmbedder()))
    for collection in tasks(Path(arguments[0])):
        ranking = product(collection)
        print(f"{collection.name}  nDCG@10 {evaluate(collection, ranking)['all'].ndcg10:.3f}", flush=True)
        for query in collection.queries:
            urls, answers = list(ranking[query.id]), collection.grades[query.id]
            rank = next((rank for rank, url in enumerate(urls, start=1) if url in answers), 0)
            print(f"{rank or '-':>3}  {query.text}  ->  {max(answers, key=lambda url: answers[url])}; first {urls[:2]}")


if __name__ == "__main__":
    main(sys.argv[1:])
