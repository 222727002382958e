"""The file of pages' texts in the embedded index: linked where nothing changed, small after much did, found damaged."""

from pathlib import Path

import pytest
from contract.store.page_bodies import body
from contract.store.samples import EAST, INFO, MAIN, everything, fill, ids, record
from older_index import make_older

from searchsocket.errors import IndexCorrupt, PageTextsMissing
from searchsocket.stores.local import LocalStore


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path, "shop")


def live(root: Path) -> Path:
    return root / "main" / (root / "main" / "CURRENT").read_text().splitlines()[0]


def test_texts_that_did_not_change_are_linked(tmp_path: Path, store: LocalStore) -> None:
    store.put_bodies([body(f"/{number}") for number in range(9)], MAIN)
    fill(store, [record(f"k{number}", f"/{number}") for number in range(9)])
    assert (live(tmp_path) / "bodies.db").stat().st_nlink == 1
    fill(store, [record("k3", "/3", "changed")])
    assert (live(tmp_path) / "bodies.db").stat().st_nlink == 2
    before = (live(tmp_path) / "bodies.db").read_bytes()
    previous = live(tmp_path)
    store.put_bodies([body("/3", "changed")], MAIN)
    store.publish(MAIN, INFO)
    assert (previous / "bodies.db").read_bytes() == before


def test_the_file_shrinks_with_the_site(tmp_path: Path, store: LocalStore) -> None:
    urls = [f"/{number}" for number in range(200)]
    store.put_bodies([body(url, "".join(map(chr, range(40, 9000)))) for url in urls], MAIN)
    fill(store, [record(url, url) for url in urls])
    size = (live(tmp_path) / "bodies.db").stat().st_size
    store.delete_by_ids(urls[20:], MAIN)
    store.publish(MAIN, INFO)
    assert (live(tmp_path) / "bodies.db").stat().st_size < size / 5


def test_a_wrong_byte_is_found(tmp_path: Path, store: LocalStore) -> None:
    store.put_bodies([body("/a")], MAIN)
    fill(store, [record("a", "/a")])
    path = live(tmp_path) / "bodies.db"
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    again = LocalStore(tmp_path, "shop")
    assert "bodies.db" in "".join(again.verify(MAIN))
    with pytest.raises(IndexCorrupt, match=r"bodies\.db"):
        again.reader(MAIN)


def test_an_index_of_an_older_version_answers_until_it_is_brought_up_to_date(tmp_path: Path, store: LocalStore) -> None:
    """Nothing is embedded again: records and vectors are taken over, words are written anew, texts are added."""
    fill(store, [record("a", "/a", "zebra"), record("b", "/b", "zebra zebra")])
    make_older(tmp_path)
    store = LocalStore(tmp_path, "shop")
    assert store.verify(MAIN) == []
    reader = store.reader(MAIN)
    assert ids(reader.words.search("zebra", top_k=9)) == ["b", "a"]
    with pytest.raises(PageTextsMissing, match="searchsocket index --scope main"):
        reader.catalogue.page_body("/a")
    assert reader.catalogue.page_body("/nothing") is None
    assert list(store.body_digests(MAIN)) == []
    older = store.generation(MAIN)
    store.put_bodies([body("/a"), body("/b")], MAIN)
    assert store.publish(MAIN, INFO) != older
    assert store.reader(MAIN).catalogue.page_body("/a") == body("/a").text
    assert everything(store.reader(MAIN)) == {"a", "b"}
    assert store.publish(MAIN, INFO) == store.generation(MAIN)
    assert store.verify(MAIN) == []
    store.rollback(MAIN)
    assert store.generation(MAIN) == older


@pytest.mark.parametrize("is_changed", [False, True])
def test_words_of_an_older_version_are_written_anew(tmp_path: Path, store: LocalStore, is_changed: bool) -> None:
    fill(store, [record(f"k{number}", f"/{number}", "zebra") for number in range(20)])
    older = make_older(tmp_path)
    store = LocalStore(tmp_path, "shop")
    if is_changed:
        store.upsert([record("k3", "/3", "giraffe")], EAST.reshape(1, -1), MAIN)
    store.publish(MAIN, INFO)
    assert live(tmp_path) != older
    assert all(path.stat().st_nlink == 1 for path in (live(tmp_path) / "words").iterdir())
    assert len(store.reader(MAIN).words.search("zebra", top_k=99)) == 20 - is_changed
