"""`ranking.synonyms` over the embedded index: pages that match only by a synonym, and pages that must not match."""

from pathlib import Path

import pytest

from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import fill, ids, random_units, record
from searchsocket.text.synonyms import NO_SYNONYMS, Synonyms, make_synonyms

PAGES = {
    "removing": "Removing a scope takes its records with it.",
    "deleting": "Deleting a scope takes its records with it.",
    "cluster": "Kubernetes restarts it.",
    "signing": "Sign in before the first request.",
    "apart": "In the end there is a sign of it.",
    "japan": "これは日本語の文書です。",
}
GROUPS = [
    ["delete", "remove", "drop"],
    ["k8s", "Kubernetes"],
    ["sign in", "login"],
    ["Japanese", "日本語"],
    ["kubernetes", "orchestrator"],
]


def open_reader(folder: Path, synonyms: Synonyms) -> IndexReader:
    records = [record(name, f"/{name}", text) for name, text in PAGES.items()]
    return fill(LocalStore(folder, "shop", synonyms=synonyms), records, random_units(len(records)))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return open_reader(tmp_path_factory.mktemp("index"), make_synonyms(GROUPS))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    return open_reader(tmp_path_factory.mktemp("index"), NO_SYNONYMS)


EXPECTED_WORDS = [
    ("drop ", {"removing", "deleting"}),
    ("dropped ", {"removing", "deleting"}),  # endings make no difference
    ("k8s", {"cluster"}),
    ("orchestrators ", {"cluster"}),  # the word stands in two groups
    ("login ", {"signing"}),
    ("japanese ", {"japan"}),
]


@pytest.mark.parametrize(("typed", "expected"), EXPECTED_WORDS)
def test_a_page_with_only_the_other_word_is_found(
    reader: IndexReader, plain: IndexReader, typed: str, expected: set[str]
) -> None:
    assert set(ids(reader.words.search(typed, top_k=9))) == expected
    assert {url.strip("/") for url in ids(reader.words.search_pages(typed, top_k=9))} >= expected
    assert reader.words.evidence(typed).share == pytest.approx(1.0)
    assert ids(plain.words.search(typed, top_k=9)) == ids(plain.words.search_pages(typed, top_k=9)) == []
    assert plain.words.evidence(typed).count == 0


def test_the_word_itself_counts_more(reader: IndexReader) -> None:
    assert ids(reader.words.search("remove ", top_k=9)) == ["removing", "deleting"]
    assert ids(reader.words.search("delete ", top_k=9)) == ["deleting", "removing"]
    first, second = reader.words.search_pages("remove ", top_k=9)
    assert (first.id, second.id) == ("/removing", "/deleting")
    assert second.score == pytest.approx(first.score / 2, rel=1e-3)


def test_an_entry_of_several_words_is_typed_and_found_as_a_whole(tmp_path: Path) -> None:
    records = [record("login", "/login", "The login page."), record("other", "/other", "Nothing.")]
    reader = fill(LocalStore(tmp_path, "shop", synonyms=make_synonyms(GROUPS)), records, random_units(2))
    assert ids(reader.words.search("in a hurry, sign in ", top_k=9)) == ["login"]
    assert reader.words.evidence("sign in ").share == pytest.approx(1.0)
    assert ids(reader.words.search("a sign of it in ", top_k=9)) == []
    assert ids(reader.words.search("sign ", top_k=9)) == []


def test_typos_and_prefixes_have_no_synonyms(reader: IndexReader) -> None:
    assert ids(reader.words.search("dropp ", top_k=9)) == []
    assert ids(reader.words.search("remvoing ", top_k=9)) == ["removing"]
    assert ids(reader.words.search("remov", top_k=9))[:1] == ["removing"]
    assert ids(reader.words.search("orchestratr ", top_k=9)) == []


def test_other_queries_are_answered_as_without_synonyms(reader: IndexReader, plain: IndexReader) -> None:
    for typed in ("scope records", "restarts", "first request ", "文書", "zebra "):
        assert reader.words.search(typed, top_k=9) == plain.words.search(typed, top_k=9)
        assert reader.words.search_pages(typed, top_k=9) == plain.words.search_pages(typed, top_k=9)
        assert reader.words.evidence(typed) == plain.words.evidence(typed)
