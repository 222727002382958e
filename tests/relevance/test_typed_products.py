"""The hand-written queries name sites that the bench can read, and the names come from a seed."""

from bench.relevance.docs_sites import products, rows
from bench.relevance.example_site import example_site
from bench.relevance.typed_products import TITLES, page_names


def test_every_query_has_a_site_and_pages() -> None:
    versions, names = rows("typed_versions.tsv"), rows("typed_other_names.tsv")
    assert {row["site"] for row in [*versions, *names]} <= {*products(), *TITLES}
    assert all(page.startswith("/") for row in versions for page in row["pages"].split())
    assert all(row["typed"].count("{}") == 1 for row in names)
    assert all("@" in row["source"] and row["licence"] for row in rows("docs_sites.tsv"))


def test_names_are_those_of_only_one_page() -> None:
    site = example_site()
    names = page_names(site, "searchsocket")
    assert names == page_names(site, "searchsocket")
    assert len(names) > 20
    assert all(len(pages) == 1 and "searchsocket" not in name.lower() for name, pages in names)
