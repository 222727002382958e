"""The sets of queries, each with its kind."""

import csv
import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.gate.nonsense import nonsense
from bench.relevance.collection import Collection, Query

HERE = Path(__file__).parent
NONSENSE, OFF_TOPIC, FRESH, PARAPHRASE, SHORT = "nonsense", "off-topic", "fresh", "paraphrase", "short"
SOFTWARE, FRESH_SOFTWARE = "software", "fresh software"  # off-topic too, about other software
OFF_TOPIC_FILES = {
    OFF_TOPIC: "offtopic.txt",
    FRESH: "fresh_offtopic.txt",
    SOFTWARE: "othersoftware.txt",
    FRESH_SOFTWARE: "fresh_othersoftware.txt",
}
SEEDS, OF_EACH = (5, 6, 9, 10), 60
_HEADING = re.compile(r"^#{1,3} (.+?)(?: \{#.*)?$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w.$-]{2,30}(?: [\w-]{2,20})?")


def off_topic(name: str = "offtopic.txt") -> list[str]:
    """Well-formed questions that no documentation of software answers.

    Args:
        name: `fresh_offtopic.txt` has those by which nothing was chosen.
    """
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [query for line in lines if not line.startswith("#") for query in _expanded(line)]


def paraphrases(site: str) -> list[tuple[str, list[str]]]:
    """Queries without a word of the site, and the pages that a person judged to answer each."""
    with (HERE / "paraphrases.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["query"], row["targets"].split()) for row in rows if row["site"] == site]


def paraphrased_sites() -> list[str]:
    """The names of the sites that have paraphrases."""
    with (HERE / "paraphrases.tsv").open(encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(row["site"] for row in csv.DictReader(file, delimiter="\t")))


def short_questions(collection: Collection) -> Iterator[tuple[str, list[str]]]:
    """Questions of one or two names, as visitors type them, and the pages of these names."""
    by_heading: dict[str, list[str]] = {}
    for document in collection.documents:
        for match in _HEADING.finditer(document.text):
            name = match[1].strip(" `()")
            if _NAME.fullmatch(name):
                by_heading.setdefault(name, []).append(document.id)
    names = sorted(name for name, pages in by_heading.items() if len(set(pages)) == 1)
    lot = random.Random(7)
    for name in lot.sample(names, min(len(names), OF_EACH)):
        form = lot.choice(("how to {}", "what is {}", "{} how", "{} options"))
        yield form.format(name), by_heading[name]
    for _ in range(min(len(names), OF_EACH)):
        one, other = lot.sample(names, 2)
        form = lot.choice(("{} vs {}", "{} versus {}", "{} or {}", "difference between {} and {}"))
        yield form.format(one, other), by_heading[one] + by_heading[other]


def asked_of(collection: Collection, *, is_site: bool) -> Collection:
    """The collection with all queries: its own, and those that it does not answer; nonsense of sites alone."""
    scope = min(document.scope for document in collection.documents)
    grades = dict(collection.grades)
    added: list[Query] = []
    for number, (text, targets) in enumerate(paraphrases(collection.name)):
        added.append(Query(f"p{number}", text, PARAPHRASE, scope=scope))
        grades[f"p{number}"] = dict.fromkeys(targets, 1)
    for number, (text, targets) in enumerate(short_questions(collection) if is_site else ()):
        added.append(Query(f"s{number}", text, SHORT, scope=scope))
        grades[f"s{number}"] = dict.fromkeys(targets, 1)
    for kind, file in OFF_TOPIC_FILES.items():
        added += [Query(f"{kind} {number}", text, kind, scope=scope) for number, text in enumerate(off_topic(file))]
    if is_site:
        made = (one for seed in SEEDS for one in nonsense(seed, OF_EACH))
        added += [Query(f"n{n}", text, f"{NONSENSE}: {kind}", scope=scope) for n, (kind, text) in enumerate(made)]
    judged = [replace(query, kind="true") for query in collection.queries if collection.grades.get(query.id)]
    return replace(collection, queries=(*judged, *added), grades=grades)


def _expanded(line: str) -> Iterator[str]:
    parts = [part.split("|") for part in re.split(r"[{}]", line)]
    return ("".join(choice) for choice in itertools.product(*parts))
