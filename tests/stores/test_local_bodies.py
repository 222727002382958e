"""The file of pages' texts in the embedded index: linked where nothing changed, small after much did, found damaged."""

from pathlib import Path

import pytest
from contract.store.page_bodies import body
from contract.store.samples import INFO, MAIN, fill, record

from searchsocket.errors import IndexCorrupt
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
