"""The file of pages' texts in the embedded index: linked where nothing changed, small after much did, found damaged."""

from pathlib import Path

import pytest

from searchsocket.content.chunking.records import hash_of
from searchsocket.errors import IndexCorrupt
from searchsocket.stores.local import LocalStore
from searchsocket.testing.store.samples import INFO, MAIN, body, fill, record


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path, "shop")


def live(root: Path) -> Path:
    return root / "main" / (root / "main" / "CURRENT").read_text().splitlines()[0]


def test_texts_that_did_not_change_are_linked(tmp_path: Path, store: LocalStore) -> None:
    store.stage_bodies([body(f"/{number}") for number in range(9)], MAIN)
    fill(store, [record(f"k{number}", f"/{number}") for number in range(9)])
    assert (live(tmp_path) / "bodies.db").stat().st_nlink == 1
    fill(store, [record("k3", "/3", "some text", title="Changed")])
    assert (live(tmp_path) / "bodies.db").stat().st_nlink == 2
    before = (live(tmp_path) / "bodies.db").read_bytes()
    previous = live(tmp_path)
    store.stage_bodies([body("/3", "changed")], MAIN)
    store.publish(MAIN, INFO)
    assert (previous / "bodies.db").read_bytes() == before


def test_a_text_is_packed_with_what_the_records_of_its_page_say(tmp_path: Path, store: LocalStore) -> None:
    """And packed anew where they say something else, whichever way the generation is written."""
    urls = [f"/{number}" for number in range(20)]
    texts = {url: "".join(f"Line {hash_of(f'{url}{line}')}.\n" for line in range(90)) for url in urls}
    store.stage_bodies([body(url, texts[url]) for url in urls], MAIN)
    fill(store, [record(url, url, texts[url][70:]) for url in urls])
    assert (live(tmp_path) / "bodies.db").stat().st_size < sum(map(len, texts.values())) / 2
    for changed in (urls[3:4], urls):
        fill(store, [record(url, url, f"Cut otherwise. {texts[url][700:]}") for url in changed])
        again = LocalStore(tmp_path, "shop")
        assert {url: again.reader(MAIN).catalogue.page_body(url) for url in urls} == texts
        assert again.verify(MAIN) == []


def test_the_file_shrinks_with_the_site(tmp_path: Path, store: LocalStore) -> None:
    urls = [f"/{number}" for number in range(200)]
    store.stage_bodies([body(url, "".join(map(chr, range(40, 9000)))) for url in urls], MAIN)
    fill(store, [record(url, url) for url in urls])
    size = (live(tmp_path) / "bodies.db").stat().st_size
    store.delete_by_ids(urls[20:], MAIN)
    store.publish(MAIN, INFO)
    assert (live(tmp_path) / "bodies.db").stat().st_size < size / 5


def test_a_wrong_byte_is_found(tmp_path: Path, store: LocalStore) -> None:
    store.stage_bodies([body("/a")], MAIN)
    fill(store, [record("a", "/a")])
    path = live(tmp_path) / "bodies.db"
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    again = LocalStore(tmp_path, "shop")
    assert "bodies.db" in "".join(again.verify(MAIN))
    with pytest.raises(IndexCorrupt, match=r"bodies\.db"):
        again.reader(MAIN)
