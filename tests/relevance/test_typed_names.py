"""Names with a slip, and half typed, find what they were made from: over the titles of the committed collection."""

from dataclasses import replace

import pytest

from bench.relevance.collection import Collection, Query
from bench.relevance.example_site import example_site
from bench.relevance.metrics import evaluate
from bench.relevance.product import Indexes, Product
from bench.relevance.typed_names import half_typed, with_product_before, with_product_behind, with_typos
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.text.typos import within


@pytest.fixture(scope="module")
def titles() -> Collection:
    """Each title asks for its page."""
    found = example_site()
    queries = tuple(Query(one.id, one.title, "navigational") for one in found.documents)
    return replace(found, queries=queries, grades={query.id: {query.id: 1} for query in queries})


@pytest.fixture(scope="module")
def product() -> Product:
    return Product("product", Indexes(BuiltinEmbedder()))


def test_a_slip_is_one_edit_behind_the_first_letter(titles: Collection) -> None:
    slips, names = with_typos(titles), {query.id: query.text for query in titles.queries}
    assert slips.queries == with_typos(titles).queries
    assert len(slips.queries) > 20
    for query in slips.queries:
        assert query.text != names[query.id]
        assert within(query.text, names[query.id], 1)


def test_titles_with_a_slip_find_their_pages(titles: Collection, product: Product) -> None:
    slips = with_typos(titles)
    assert evaluate(slips, product(slips))["all"].mrr10 >= 0.95


def test_half_typed_titles_find_their_pages(titles: Collection, product: Product) -> None:
    begun = half_typed(titles)
    assert len(begun.queries) > 8
    assert evaluate(begun, product(begun))["all"].mrr10 >= 0.9  # `Configur` begins several


def test_titles_with_the_name_of_the_product_find_their_pages(titles: Collection, product: Product) -> None:
    for typed in (with_product_before(titles), with_product_behind(titles)):  # "searchsocket find" is a page itself
        assert len(typed.queries) > 8
        assert evaluate(typed, product(typed))["all"].mrr10 >= 0.9
