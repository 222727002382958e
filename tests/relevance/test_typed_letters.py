"""Titles that are typed letter by letter stay among the results, on the server and in an export."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bench.relevance.collection import Collection, Document, load_named, names_of
from bench.relevance.example_site import example_site
from bench.relevance.product import Indexes
from bench.relevance.typed_letters import (
    Faults,
    beginnings,
    of_export,
    of_server,
    titles_of,
    typed_letters,
    with_beginnings,
)
from searchsocket.models.embedders.builtin import BuiltinEmbedder

COLLECTIONS = Path(os.environ.get("SEARCHSOCKET_RELEVANCE", Path(__file__).parents[3] / "shared" / "relevance"))
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine: apt-get install nodejs")
WHOLE_WORD = "search"  # begins "searchsocket ask", and more than five other titles have it as a word
# Of all titles, the shares that may leave the first five for one letter: many titles begin alike, and behind the name
# of a product the rest of a title may be the name of another page.
SHARE_ON_SERVER, SHARE_IN_EXPORT = 1 / 200, 1 / 100


@pytest.fixture(scope="module")
def indexes() -> Indexes:
    return Indexes(BuiltinEmbedder())


def sites() -> Iterator[Collection]:
    if not COLLECTIONS.is_dir():
        pytest.skip(f"no collections in {COLLECTIONS}")
    for name in names_of(COLLECTIONS):
        if name.startswith("site_"):
            yield load_named(COLLECTIONS, name)


def share_that_leaves(faults: Sequence[Faults]) -> float:
    assert sum(fault.titles for fault in faults) > 500
    assert [fault.vanished for fault in faults] == [()] * len(faults)
    return sum(len(fault.left) for fault in faults) / sum(fault.titles for fault in faults)


def test_a_fault_is_a_list_that_vanishes_or_a_title_that_leaves() -> None:
    pages = [Document("/ab", "ab c", ""), Document("/x", "xy", "")]
    assert list(beginnings("ab c")) == ["ab", "ab c"]
    faults = typed_letters(pages, {"ab": ["/ab"], "ab c": ["/x"], "xy": ["/x"]})
    assert (faults.vanished, faults.left) == ((), (("ab c", "ab c"),))
    assert typed_letters(pages, {"ab": ["/x"], "ab c": [], "xy": []}).vanished == ("ab c",)


def test_titles_stay_while_they_are_typed(indexes: Indexes) -> None:
    site = example_site()
    titles = titles_of(site)[::3]
    faults = typed_letters(titles, of_server(with_beginnings(site, titles), indexes))
    assert faults.titles > 30
    assert (faults.vanished, faults.left) == ((), ())


@pytest.mark.long
@needs_node
def test_titles_stay_while_they_are_typed_in_an_export(indexes: Indexes, tmp_path: Path) -> None:
    site = example_site()
    titles = titles_of(site)[::3]  # all take 40 s; the other sites are tested too
    faults = typed_letters(titles, of_export(with_beginnings(site, titles), indexes, tmp_path))
    failures = [(title, query) for title, query in faults.left if query != WHOLE_WORD]
    assert (faults.vanished, failures) == ((), [])


@pytest.mark.long
def test_titles_of_other_sites_stay(indexes: Indexes) -> None:
    faults = [
        typed_letters(titles, of_server(with_beginnings(site, titles), indexes))
        for site in sites()
        for titles in [titles_of(site)]
    ]
    assert share_that_leaves(faults) < SHARE_ON_SERVER


@pytest.mark.long
@needs_node
def test_titles_of_other_sites_stay_in_an_export(indexes: Indexes, tmp_path: Path) -> None:
    faults = [
        typed_letters(titles, of_export(with_beginnings(site, titles), indexes, tmp_path))
        for site in sites()
        for titles in [titles_of(site)]
    ]
    assert share_that_leaves(faults) < SHARE_IN_EXPORT
