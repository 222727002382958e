"""`python -m bench.relevance.typed_titles COLLECTIONS`: find pages by their titles as people type them.

Prints the share of pages found first, per form and site. Each title of only one page is a query in each form that it
has. A form that is the title of another page is left out. The second table has nDCG@10 of names of pages and sections:
bare, and with the product's name in front and behind.

The collections have no home page, whose title names the product. So each gets one, which is no query.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.relevance.collection import Collection, Document, Query, load_all
from bench.relevance.metrics import Ranking, evaluate
from bench.relevance.product import Indexes, Product
from bench.relevance.report import SITES
from bench.relevance.typed_names import NAMES, PRODUCTS
from searchsocket.models.embedders.builtin import BuiltinEmbedder

SEED = 15
HOME = "/"
# The first verbs are among those that the product leaves out in front of a name (`possible_names`), the others are not.
VERBS = ("use", "add", "create", "configure")
OTHER_VERBS = ("understand", "debug", "learn", "fix")
# How names are typed on the site of a product.
PRODUCT_FORMS = {"bare": "{name}", "product in front": "{product} {name}", "product behind": "{name} in {product}"}
_PIECES = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile(r"['’]")


def _joined(separator: str) -> Callable[[str, random.Random], str]:
    return lambda title, _: separator.join(pieces) if len(pieces := _pieces(title)) > 1 else ""


def _camel_case(title: str, _: random.Random) -> str:
    first, *others = _pieces(title) or [""]
    return first.lower() + "".join(piece[0].upper() + piece[1:].lower() for piece in others) if others else ""


def _other_number(title: str, _: random.Random) -> str:
    """The plural of the last word; the singular of a plural."""
    if not re.search(r"[a-z]{3}$", title):
        return ""
    if title.endswith("ies"):
        return title[:-3] + "y"
    if title.endswith("s") and not title.endswith(("ss", "us", "is")):
        return title[:-1]
    if title.endswith(("s", "x", "ch", "sh")):
        return title + "es"
    return title[:-1] + "ies" if re.search(r"[^aeiou]y$", title) else title + "s"


FORMS: Mapping[str, Callable[[str, random.Random], str]] = {
    "as it is": lambda title, _: title,
    "underscores": _joined("_"),
    "dots": _joined("."),
    "slashes": _joined("/"),
    "camelCase": _camel_case,
    "other number": _other_number,
    "a verb in front": lambda title, source: f"{source.choice(VERBS)} {title}",
    "another verb": lambda title, source: f"{source.choice(OTHER_VERBS)} {title}",
    "What is X?": lambda title, _: f"What is {title}?",
}


def typed_titles(collection: Collection, form: str) -> Collection:
    """Each title of only one page in that form, if it has the form; the page is the answer."""
    pages = [document for document in collection.documents if document.id != HOME]
    counts = Counter(_plain(page.title) for page in pages)
    queries = []
    for page in pages:
        text = FORMS[form](page.title, random.Random(f"{SEED} {form} {collection.name} {page.id}"))
        title = _plain(page.title)
        if text and title and counts[title] == 1 and (_plain(text) == title or _plain(text) not in counts):
            queries.append(Query(page.id, text, form, scope=page.scope))
    grades = {query.id: {query.id: 1} for query in queries}
    return replace(collection, name=f"{collection.name} {form}", queries=tuple(queries), grades=grades)


def names_with_product(collection: Collection, form: str) -> Collection:
    """Each name of a page or section that lacks the product's name, in a form of `PRODUCT_FORMS`."""
    product = PRODUCTS[collection.name]
    queries = tuple(
        replace(query, text=PRODUCT_FORMS[form].format(name=query.text, product=product), kind=form)
        for query in collection.queries
        if query.kind == NAMES and product.lower() not in query.text.lower()
    )
    return replace(collection, name=f"{collection.name} {form}", queries=queries)


def with_home(collection: Collection) -> Collection:
    """The collection with a home page that has the product's name only, unless it has a home page."""
    if any(document.id == HOME for document in collection.documents):
        return collection
    product = PRODUCTS[collection.name]
    return replace(collection, documents=(Document(HOME, product, f"# {product}"), *collection.documents))


def share_first(collection: Collection, ranking: Ranking) -> float:
    """The share of queries whose first result is a right page."""
    first = [bool(set(ranking[query.id][:1]) & set(collection.grades[query.id])) for query in collection.queries]
    return sum(first) / len(first) if first else 0.0


def main(arguments: Sequence[str]) -> None:
    product = Product("product", Indexes(BuiltinEmbedder()))
    collections = load_all(Path(arguments[0]))
    sites = [with_home(collection) for collection in collections if collection.name.startswith(SITES)]
    header = f"{' | '.join(site.name for site in sites)} |\n|---|{'---|' * len(sites)}"
    print(f"| found first | {header}")
    for form in FORMS:
        typed = [typed_titles(site, form) for site in sites]
        cells = [f"{100 * share_first(each, product(each)):.1f} % of {len(each.queries)}" for each in typed]
        print(f"| {form} | {' | '.join(cells)} |", flush=True)
    print(f"\n| nDCG@10 | {header}")
    for form in PRODUCT_FORMS:
        typed = [names_with_product(site, form) for site in sites]
        cells = [f"{evaluate(each, product(each))['all'].ndcg10:.3f} of {len(each.queries)}" for each in typed]
        print(f"| {form} | {' | '.join(cells)} |", flush=True)


def _pieces(title: str) -> list[str]:
    return _PIECES.findall(_APOSTROPHE.sub("", title))


def _plain(title: str) -> str:
    return " ".join(title.lower().split())


if __name__ == "__main__":
    main(sys.argv[1:])
