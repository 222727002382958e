"""`python -m bench.relevance.typed_products REPOSITORIES COLLECTIONS`: names of the product, and versions, as typed.

Two sets of queries, written by hand before any result was seen, over public documentation (`docs_sites.tsv` names each
repository, its commit and its licence; only the queries are stored here):

- `typed_versions.tsv`: queries for a release, and the pages that announce it. Astro and Ionic chose nothing.
- `typed_other_names.tsv`: ways to name the product around the name of a page or section. `{}` is that name; at most 40
  names per site, chosen by a seed. The bare name is the comparison.
"""

import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.relevance.collection import Collection, Document, Query, load_named, names_of
from bench.relevance.docs_sites import load_site, products, rows
from bench.relevance.metrics import evaluate
from bench.relevance.product import Indexes, Product
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.text.words import name_of

SEED = 69
_NAMES = 40
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{2,3} (.+?)(?:\s*\{#.*)?$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w .$/()-]*[\w)]")
_GENERAL = frozenset(
    ("parameters", "returns", "example", "examples", "see also", "usage", "overview", "introduction", "notes", "note",
     "installation", "options", "reference", "syntax", "caveats", "further reading", "next steps", "api", "home",
     "troubleshooting", "when to use it", "rule details", "description")
)  # fmt: skip
TITLES = {"site_vue": "Vue.js", "site_react": "React", "site_eslint": "ESLint"}  # the collections have no home page


def versions(repositories: Path) -> Iterator[Collection]:
    """The sites with queries for their releases."""
    table = rows("typed_versions.tsv")
    for name in dict.fromkeys(row["site"] for row in table):
        own = [(str(number), row) for number, row in enumerate(table) if row["site"] == name]
        grades = {number: dict.fromkeys(row["pages"].split(), 1) for number, row in own}
        queries = tuple(Query(number, row["query"], "version") for number, row in own)
        yield replace(load_site(name, repositories), queries=queries, grades=grades)


def other_names(repositories: Path, collections: Path) -> Iterator[tuple[Collection, Collection]]:
    """The sites with bare names as queries, and with names of the product around them."""
    table = rows("typed_other_names.tsv")
    held = names_of(collections)
    for name in dict.fromkeys(row["site"] for row in table):
        if name.startswith("site_") and name not in held:
            continue
        site = load_named(collections, name) if name.startswith("site_") else load_site(name, repositories)
        title = TITLES.get(name) or products()[name]
        home = () if any(document.id == "/" for document in site.documents) else (Document("/", title, title),)
        site = replace(site, documents=(*site.documents, *home), queries=(), grades={})
        patterns = [row["typed"] for row in table if row["site"] == name]
        bare = page_names(site, title)
        yield _asked(site, bare, ["{}"]), _asked(site, bare, patterns)


def page_names(site: Collection, product: str) -> list[tuple[str, set[str]]]:
    """Titles and headings of only one page, half of each if there are enough, without digits and the product's name."""
    pages: dict[str, tuple[str, set[str]]] = {}
    for document in site.documents:
        headings = (match[1].strip("`# ") for match in _HEADING.finditer(_CODE.sub("", document.text)))
        for name in {document.title, *headings} if document.id != "/" else ():
            pages.setdefault(name_of(name), (name, set()))[1].add(document.id)
    names = [own for key, own in sorted(pages.items()) if key not in _GENERAL and _is_plain(own, product)]
    titles = {document.title for document in site.documents}
    lot = random.Random(f"{SEED} {site.name}")
    chosen: list[tuple[str, set[str]]] = []
    for is_title in (True, False):
        some = [own for own in names if (own[0] in titles) == is_title]
        lot.shuffle(some)
        chosen += some[: _NAMES // 2]
    return chosen


def _is_plain(own: tuple[str, set[str]], product: str) -> bool:
    name, pages = own
    has_product = product.lower().split()[0].removesuffix(".js") in name.lower()
    is_short = len(name.split()) <= 5 and _NAME.fullmatch(name) is not None
    return len(pages) == 1 and is_short and not has_product and not any(map(str.isdigit, name))


def _asked(site: Collection, names: Sequence[tuple[str, set[str]]], patterns: Sequence[str]) -> Collection:
    asked = [(pattern, *own) for pattern in patterns for own in names]
    queries = tuple(Query(str(n), pattern.replace("{}", name), pattern) for n, (pattern, name, _) in enumerate(asked))
    grades = {str(number): dict.fromkeys(pages, 1) for number, (_, _, pages) in enumerate(asked)}
    return replace(site, queries=queries, grades=grades)


def main() -> None:
    repositories, collections = map(Path, sys.argv[1:3])
    product = Product("product", Indexes(BuiltinEmbedder()))
    for site in versions(repositories):
        ranking = product(site)
        ranks = [_rank(ranking[query.id], site.grades[query.id]) for query in site.queries]
        first, three, nothing = ranks.count(1), sum(0 < rank <= 3 for rank in ranks), ranks.count(0)
        print(f"versions {site.name}: {first} first, {three} in three, {nothing} nowhere, of {len(ranks)}", flush=True)
    for bare, typed in other_names(repositories, collections):
        plain, qualities = evaluate(bare, product(bare))["all"], evaluate(typed, product(typed))
        print(f"names {bare.name}: bare {plain.ndcg10:.3f}, with other names {qualities.pop('all').ndcg10:.3f}")
        print(*(f"  {pattern}: {quality.ndcg10:.3f}" for pattern, quality in qualities.items()), sep="\n", flush=True)


def _rank(documents: Sequence[str], right: Mapping[str, int]) -> int:
    """The rank of the first right document, from 1; 0 if there is none."""
    return next((rank for rank, document in enumerate(documents, 1) if document in right), 0)


if __name__ == "__main__":
    main()
