"""Titles of the committed collection are found with a typo and half typed."""

from dataclasses import replace

import pytest

from bench.relevance.collection import Collection, Document, Query
from bench.relevance.example_site import example_site
from bench.relevance.metrics import evaluate
from bench.relevance.product import Indexes, Product
from bench.relevance.typed_names import half_typed, with_product_before, with_product_behind, with_typos
from bench.relevance.typed_titles import FORMS, names_with_product, share_first, typed_titles, with_home
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.text.typos import within


@pytest.fixture(scope="module")
def titles() -> Collection:
    """Each title asks for its page."""
    collection = example_site()
    queries = tuple(Query(document.id, document.title, "navigational") for document in collection.documents)
    return replace(collection, queries=queries, grades={query.id: {query.id: 1} for query in queries})


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


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("underscores", "Form_Inputs"),
        ("dots", "Form.Inputs"),
        ("slashes", "Form/Inputs"),
        ("camelCase", "formInputs"),
        ("other number", "Form Input"),
        ("What is X?", "What is Form Inputs?"),
    ],
)
def test_a_title_is_typed_in_each_form(form: str, expected: str) -> None:
    pages = (Document("/a", "Form Inputs", ""), Document("/b", "Slots", ""), Document("/c", "Slots", ""))
    typed = typed_titles(Collection("site", pages, (), {}), form)
    assert [query.text for query in typed.queries] == [expected]
    assert typed.grades == {"/a": {"/a": 1}}


def test_a_form_that_is_the_title_of_another_page_is_left_out() -> None:
    pages = (Document("/a", "Slots", ""), Document("/b", "Slot", ""))
    assert typed_titles(Collection("site", pages, (), {}), "other number").queries == ()


def test_a_name_gets_the_name_of_the_product_unless_it_has_it() -> None:
    queries = (Query("1", "ref()", "navigational"), Query("2", "Using Vue", "navigational"), Query("3", "how", "api"))
    site = with_home(Collection("site_vue", (), queries, {}))
    assert [page.id for page in site.documents] == ["/"]
    assert [query.text for query in names_with_product(site, "product in front").queries] == ["Vue ref()"]
    assert [query.text for query in names_with_product(site, "product behind").queries] == ["ref() in Vue"]


def test_most_titles_find_their_pages_in_every_form(titles: Collection, product: Product) -> None:
    for form in FORMS:
        every = typed_titles(titles, form)
        typed = replace(every, queries=every.queries[::3])
        assert len(typed.queries) > 20
        assert share_first(typed, product(typed)) >= 0.8, form
