"""Names of pages as people type them: with a typo, half typed, or with the name of the product; by a seed.

The queries are the names of the collection (`navigational`), with their judgements. Only the seed is stored here.
"""

import random
import re
import string
from collections.abc import Callable, Iterable
from dataclasses import replace

from bench.relevance.collection import Collection, Query

SEED = 14
NAMES = "navigational"
_WORD = re.compile(r"[A-Za-z]{4,}")
# What the sites of the collections are about.
PRODUCTS = {"example_site": "searchsocket", "site_eslint": "ESLint", "site_react": "React", "site_vue": "Vue"}
_LAST = re.compile(r"[A-Za-z]{7,}(?=[()]*$)")


def with_typos(collection: Collection) -> Collection:
    """Each name with a letter left out, doubled, swapped or replaced in a word of four or more, never the first."""
    return _changed(collection, "slip", _typo)


def half_typed(collection: Collection) -> Collection:
    """Each name that ends in a word of seven letters or more, up to the middle of that."""
    return _changed(collection, "begun", _begun)


def with_product_before(collection: Collection) -> Collection:
    """Each name of two words or more that lacks the product's name, with that in front."""
    return _changed(
        collection, "product before", lambda name, _: _with_product(collection.name, name, "{product} {name}")
    )


def with_product_behind(collection: Collection) -> Collection:
    """The same, such as "slots in Vue"."""
    return _changed(
        collection, "product behind", lambda name, _: _with_product(collection.name, name, "{name} in {product}")
    )


def _with_product(site: str, name: str, pattern: str) -> str:
    product = PRODUCTS.get(site, "")
    is_bare = product and len(name.split()) > 1 and product.lower() not in name.lower()
    return pattern.format(name=name, product=product) if is_bare else ""


def _changed(collection: Collection, kind: str, change: Callable[[str, random.Random], str]) -> Collection:
    def changed(queries: Iterable[Query]) -> Iterable[Query]:
        for query in queries:
            text = change(query.text, random.Random(f"{SEED} {kind} {collection.name} {query.id}"))
            if text and query.kind == NAMES:
                yield replace(query, text=text, kind=kind)

    return replace(collection, name=f"{collection.name} {kind}", queries=tuple(changed(collection.queries)))


def _typo(name: str, source: random.Random) -> str:
    words = list(_WORD.finditer(name))
    if not words:
        return ""
    word = source.choice(words)
    letters, at = word[0], source.randrange(1, len(word[0]) - 1)
    left_out = letters[:at] + letters[at + 1 :]
    doubled = letters[: at + 1] + letters[at:]
    swapped = letters[:at] + letters[at + 1] + letters[at] + letters[at + 2 :]
    other = source.choice([letter for letter in string.ascii_lowercase if letter != letters[at].lower()])
    replaced = letters[:at] + other + letters[at + 1 :]
    typos = [typo for typo in (left_out, doubled, swapped, replaced) if typo != letters]
    return name[: word.start()] + source.choice(typos) + name[word.end() :]


def _begun(name: str, source: random.Random) -> str:
    word = _LAST.search(name)
    return name[: word.start() + (len(word[0]) + 1) // 2] if word else ""
