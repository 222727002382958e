"""The words of a pack are decided by its records: no luck, no load and no number of processes is in them."""

import multiprocessing
import multiprocessing.synchronize
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import IndexCorrupt
from searchsocket.stores.local.build import build
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.words import tables
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.stores.words.pack_words import PackWords, write_words
from searchsocket.testing.store.samples import INFO, MAIN, fill, ids, random_units, record
from searchsocket.types import Record

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COUNT = 300


def word_record(number: int, text: str = "zebra") -> Record:
    return record(f"k{number:03}", f"/{number // 3}", f"{text} {number % 7} " * (number % 5 + 1), ordinal=number)


def store_in(root: Path) -> LocalStore:
    return LocalStore(root, "shop", clock=lambda: NOW)


def live(root: Path) -> Path:
    folder = root / "main"
    return folder / (folder / "CURRENT").read_text().splitlines()[0]


def files_of(generation: Path) -> dict[str, bytes]:
    paths = (path for path in generation.rglob("*") if path.is_file() and path.name != "VERIFIED")  # it has times
    return {str(path.relative_to(generation)): path.read_bytes() for path in paths}


def publish_twice(root: Path) -> None:
    store = store_in(root)
    fill(store, [word_record(number) for number in range(COUNT)], random_units(COUNT))
    store.delete_by_ids(["k007", "k100"], MAIN)
    fill(store, [word_record(number, "giraffe") for number in range(20, 25)], random_units(5))


@contextmanager
def busy_machine() -> Iterator[None]:
    """Processes that keep every core busy, and threads of this one that take turns all the time."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    others = [context.Process(target=_spin, args=(stop,), daemon=True) for _ in range(3)]
    interval = sys.getswitchinterval()
    for other in others:
        other.start()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        for other in others:
            other.join()


def _spin(stop: multiprocessing.synchronize.Event) -> None:
    while not stop.is_set():
        pass


def test_the_same_input_gives_the_same_files(tmp_path: Path) -> None:
    """Names, number and bytes: of the first build, and of an edited one, on an idle and on a busy machine."""
    publish_twice(tmp_path / "one")
    with busy_machine():
        publish_twice(tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with far more records."""
    monkeypatch.setattr(build, "_MERGED_AT_ONCE", 3)
    monkeypatch.setattr(tables, "_ENTRIES_A_RANGE", 30)


@pytest.mark.usefixtures("small_parts")
def test_parts_do_not_change_the_file(tmp_path: Path) -> None:
    publish_twice(tmp_path / "one")
    store, vectors = store_in(tmp_path / "two"), random_units(COUNT)
    for start in range(0, COUNT, 20):
        store.upsert([word_record(number) for number in range(start, start + 20)], vectors[start : start + 20], MAIN)
    store.publish(MAIN, INFO)
    first = min((tmp_path / "one" / "main").glob("2*"))
    (mine,), (other,) = ((folder / "packs").glob("*.words") for folder in (first, live(tmp_path / "two")))
    assert mine.read_bytes() == other.read_bytes()


@pytest.mark.usefixtures("small_parts")
def test_a_small_change_writes_a_small_pack_and_links_the_other(tmp_path: Path) -> None:
    """Work follows the change: the cost does not grow with the site."""
    store = store_in(tmp_path)
    fill(store, [word_record(number) for number in range(COUNT)], random_units(COUNT))
    (before,) = (live(tmp_path) / "packs").glob("*.words")
    reader = fill(store, [word_record(7, "giraffe")], random_units(1))
    new, old_pack = sorted((live(tmp_path) / "packs").glob("*.words"), key=lambda path: path.stat().st_size)
    assert old_pack.name == before.name
    assert (old_pack.stat().st_nlink, new.stat().st_nlink) == (2, 1)
    assert new.stat().st_size < old_pack.stat().st_size / 4
    assert ids(reader.words.search("giraffe", top_k=9)) == ["k007"]
    assert len(reader.words.search("zebra", top_k=999)) == COUNT - 1
    assert store.verify(MAIN) == []


@pytest.mark.parametrize("act", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x")])
def test_damaged_words_are_named(tmp_path: Path, act: Callable[[Path], object]) -> None:
    publish_twice(tmp_path)
    path = min((live(tmp_path) / "packs").glob("*.words"))
    act(path)
    assert path.name in "".join(store_in(tmp_path).verify(MAIN))
    with pytest.raises((IndexCorrupt, FileNotFoundError), match=path.name):
        store_in(tmp_path).open(live(tmp_path))


def test_words_are_whole_where_files_cannot_be_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr("os.link", refuse)
    publish_twice(tmp_path / "index")
    shutil.rmtree(tmp_path / "index" / "main" / min((tmp_path / "index" / "main").glob("2*")).name)  # the one before
    store = store_in(tmp_path / "index")
    assert len(store.reader(MAIN).words.search("giraffe", top_k=99)) == 5
    assert store.verify(MAIN) == []


WORDS = st.lists(st.sampled_from(["zebra", "zebras", "Ørsted", "ab_cd", "x.y", "自然", "a", "the"]), max_size=6)
ROWS = st.builds(
    lambda title, text, weight: WordRow("section", weight, "/p", title, "[]", '["Up"]', title, None, "Prose", text),
    WORDS.map(" ".join),
    WORDS.map(" ".join),
    st.sampled_from([1.0, 1.0, 0.0]),
)


@given(st.lists(st.tuples(ROWS, st.integers(0, 2)), max_size=12), st.randoms())
def test_merged_words_are_those_of_all_records(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[WordRow, int]], random: object
) -> None:
    """However records are spread over packs, in whatever order these come, and with others that are left out."""
    folder = tmp_path_factory.mktemp("words")
    parts = []
    for number in range(3):
        slots = [slot for slot, (_, own) in enumerate(rows) if own == number]
        more = [row for row, own in rows if own != number][:2]
        result = words_of([*(rows[slot][0] for slot in slots), *more])
        parts.append((result, np.array([*slots, *[-1] * len(more)], np.int64)))
    random.shuffle(parts)  # type: ignore[attr-defined]
    write_words(folder / "parts", parts, len(rows))
    write_words(folder / "whole", [(words_of([row for row, _ in rows]), np.arange(len(rows)))], len(rows))
    assert (folder / "parts").read_bytes() == (folder / "whole").read_bytes()
    opened = PackWords.open(folder / "whole")
    opened.check()
    assert opened.records == len(rows)
    terms = opened.scored.terms
    names = [terms.at(number).decode() for number in range(terms.size)]
    assert names == sorted(set(names))
    assert [terms.number_of(name) for name in names] == list(range(terms.size))
    assert terms.number_of("nowhere") is None


@given(st.data())
def test_an_array_that_leads_out_of_the_file_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The file may be from another machine, with hashes that match."""
    path = tmp_path_factory.mktemp("words") / "a.words"
    row = WordRow("section", 1.0, "/p", "Zebra", "[]", "[]", "Zebra", None, "Prose", "zebra zebra giraffe")
    write_words(path, [(words_of([row, row]), np.arange(2))], 2)
    table = data.draw(st.sampled_from(["scored", "exact"]))
    sound = getattr(PackWords.open(path), table)
    name = data.draw(st.sampled_from(["pairs", "fields", "entries", "positions_from", "slots"]))
    column = np.array(getattr(sound, name))
    at = data.draw(st.integers(0, len(column) - 1))
    column[at] = column.max() + data.draw(st.integers(9, 200))
    with pytest.raises(ValueError, match="contradicts itself"):
        sound._replace(**{name: column}).check(2, 5, lambda: None)
