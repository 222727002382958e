"""Files of pages' texts in the embedded index: linked where nothing changed, small after much did, found damaged."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.content.chunking.records import hash_of
from searchsocket.errors import IndexCorrupt
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import INFO, MAIN, body, fill, random_units, record


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
    """It is packed again if they change, however the generation is written."""
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


EDIT = st.dictionaries(st.integers(0, 24), st.sampled_from(["one", "two", ""]), max_size=3)  # "" = gone


@settings(max_examples=15)
@given(st.lists(EDIT, max_size=5))
def test_edited_texts_are_there_whatever_the_history(
    tmp_path_factory: pytest.TempPathFactory, edits: list[dict[int, str]]
) -> None:
    """Pages that change, come and go, some of them again and again; and the two files become one now and then."""
    root = tmp_path_factory.mktemp("index")
    store = LocalStore(root, "shop")
    texts = {f"/{number}": "zero" for number in range(0, 24, 2)}
    for edit in [dict.fromkeys(range(0, 24, 2), "zero"), *edits]:
        changed = {f"/{number}": text for number, text in edit.items() if text}
        deleted_urls = [f"/{number}" for number, text in edit.items() if not text]
        texts = {url: text for url, text in (texts | changed).items() if url not in deleted_urls}
        store.stage_bodies([body(url, text) for url, text in changed.items()], MAIN)
        store.upsert([record(url, url, text) for url, text in changed.items()], random_units(len(changed)), MAIN)
        store.delete_by_ids([record(url, url).id for url in deleted_urls], MAIN)
        store.publish(MAIN, INFO)
        catalogue = store.reader(MAIN).catalogue
        assert {url: catalogue.page_body(url) for url in texts} == texts
        assert [url for url, _ in catalogue.body_digests()] == sorted(texts)
        assert all(catalogue.page_digest(url) == "" for url in deleted_urls)
    assert store.verify(MAIN) == []


def test_an_edit_writes_its_text_alone_until_many_differ(tmp_path: Path, store: LocalStore) -> None:
    urls = [f"/{number}" for number in range(40)]
    store.stage_bodies([body(url, "".join(map(chr, range(40, 4000)))) for url in urls], MAIN)
    fill(store, [record(url, url) for url in urls])
    first, has_edits = live(tmp_path), []
    for url in urls[:7]:
        store.stage_bodies([body(url, f"changed {url}")], MAIN)
        store.publish(MAIN, INFO)
        has_edits.append((live(tmp_path) / "edited_bodies.db").exists())
        assert (live(tmp_path) / "bodies.db").stat().st_nlink == (1 if url == "/5" else 2)
    assert has_edits == [True] * 5 + [False, True], "an eighth of 40"
    assert not first.exists()
    catalogue = store.reader(MAIN).catalogue
    assert [catalogue.page_body(url) for url in urls[:7]] == [f"changed {url}" for url in urls[:7]]
    assert catalogue.page_body("/9") == "".join(map(chr, range(40, 4000)))


def test_the_file_shrinks_with_the_site(tmp_path: Path, store: LocalStore) -> None:
    urls = [f"/{number}" for number in range(200)]
    store.stage_bodies([body(url, "".join(map(chr, range(40, 9000)))) for url in urls], MAIN)
    fill(store, [record(url, url) for url in urls])
    size = (live(tmp_path) / "bodies.db").stat().st_size
    store.delete_by_ids(urls[20:], MAIN)
    store.publish(MAIN, INFO)
    assert (live(tmp_path) / "bodies.db").stat().st_size < size / 5


@pytest.mark.parametrize("name", ["bodies.db", "edited_bodies.db"])
def test_a_wrong_byte_is_found(tmp_path: Path, store: LocalStore, name: str) -> None:
    store.stage_bodies([body(f"/{number}") for number in range(9)], MAIN)
    fill(store, [record(f"{number}", f"/{number}") for number in range(9)])
    store.stage_bodies([body("/3", "changed")], MAIN)
    store.publish(MAIN, INFO)
    path = live(tmp_path) / name
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    again = LocalStore(tmp_path, "shop")
    assert f"/{name}" in "".join(again.verify(MAIN))
    with pytest.raises(IndexCorrupt, match=f"/{name}"):
        again.reader(MAIN)
