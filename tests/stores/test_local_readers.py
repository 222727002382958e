"""Readers of the embedded index: threads and processes that search while others publish (spec 12.4)."""

import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from searchsocket.project.settings.model import VectorSettings
from searchsocket.search.candidates import find_candidates
from searchsocket.stores import make_store
from searchsocket.stores.local import numbering, reader
from searchsocket.stores.local.catalogue import facts, snapshot
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.local.vectors import parts
from searchsocket.stores.words import bm25, pack_words
from searchsocket.testing.store.samples import EAST, INFO, MAIN, everything, fill, ids, random_units, record


def publish_numbers(store: LocalStore, generations: int, first: int = 0) -> None:
    """Publish generations whose every record tells the generation's number."""
    for number in range(first, first + generations):
        text = f"zebra number{number}"
        fill(store, [record(f"k{n}", f"/{n}", text) for n in range(20)], random_units(20, number))


def numbers_in_answer(store: LocalStore) -> set[str]:
    """The numbers in one answer by vector, by words and by page: one, unless generations mixed."""
    reader = store.reader(MAIN)
    hits = ids(reader.vectors.nearest(EAST, top_k=99)) + ids(reader.words.search("zebra", top_k=99))
    assert len(hits) == 40
    texts = {item.chunk.body.text for item in [*reader.catalogue.records(hits), *reader.catalogue.page_records("/3")]}
    assert ids(reader.words.search(next(iter(texts)), top_k=1)) == ["k0"]
    return texts


def test_threads_read_whole_generations_while_another_publishes(tmp_path: Path) -> None:
    """No query fails or mixes generations, also while old ones are removed under the readers."""
    store = LocalStore(tmp_path, "shop")
    publish_numbers(store, 1)
    finish = threading.Event()
    condition = threading.Condition()
    generations: list[set[str]] = [set(), set(), set()]
    errors: list[BaseException] = []

    def read(own: LocalStore, numbers: set[str]) -> None:
        try:
            while not finish.is_set():
                (number,) = numbers_in_answer(own)
                with condition:
                    numbers.add(number)
                    condition.notify_all()
        except Exception as error:  # noqa: BLE001  (told to the main thread)
            with condition:
                errors.append(error)
                condition.notify_all()

    stores = store, store, LocalStore(tmp_path, "shop")
    threads = [threading.Thread(target=read, args=pair) for pair in zip(stores, generations, strict=True)]
    for thread in threads:
        thread.start()
    try:
        for first in range(0, 9, 3):  # three in a row, so that old ones are removed under whoever opens them
            publish_numbers(store, 3, first)
            last = f"zebra number{first + 2}"
            with condition:
                assert condition.wait_for(
                    lambda last=last: errors or all(last in numbers for numbers in generations), timeout=60
                )
    finally:
        finish.set()
        for thread in threads:
            thread.join()
    assert errors == []


READER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from searchsocket.stores.local import reader
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.local.catalogue import facts
from test_local_readers import numbers_in_answer
store = LocalStore(Path(sys.argv[3]), "shop")
numbers = numbers_in_answer(store)
print("ready", flush=True)
while "zebra number9" not in numbers:
    (text,) = numbers_in_answer(store)
    numbers.add(text)
print(len(numbers))
"""


@pytest.mark.parametrize(
    ("owner", "step"),
    [
        (reader, "check_sizes"),
        (reader, "check_hashes"),
        (parts, "map_matrix"),
        (reader, "read_facts"),
        (pack_words.mmap, "mmap"),
        (snapshot, "connect_records"),
    ],
)
def test_a_generation_that_is_removed_while_it_is_opened_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, step: str
) -> None:
    """Whatever library meets the missing file: the newest generation answers instead."""
    publishing = LocalStore(tmp_path, "shop")
    publish_numbers(publishing, 1)
    take = getattr(owner, step)

    def take_after_two_runs(*args: object, **options: object) -> object:
        monkeypatch.setattr(owner, step, take)
        publish_numbers(publishing, 3)
        return take(*args, **options)

    monkeypatch.setattr(owner, step, take_after_two_runs)
    assert numbers_in_answer(LocalStore(tmp_path, "shop")) == {"zebra number2"}


def test_another_process_sees_each_generation_whole_and_soon(tmp_path: Path) -> None:
    """A server picks up what another process publishes, without a restart (failure 54)."""
    publish_numbers(LocalStore(tmp_path, "shop"), 1)
    here = Path(__file__).parent
    command = [sys.executable, "-c", READER, str(here.parent), str(here), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
        publish_numbers(LocalStore(tmp_path, "shop"), 10)
        out, errors = reader.communicate(timeout=30)
    assert reader.returncode == 0, errors
    assert int(out) > 1


def test_a_reader_is_opened_once_a_generation(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, "shop")
    first = fill(store, [record("a")])
    assert store.reader(MAIN) is first
    other = LocalStore(tmp_path, "shop")
    second = fill(other, [record("b")])
    assert store.reader(MAIN).generation == second.generation
    store.rollback(MAIN)
    assert other.reader(MAIN).generation == first.generation


def test_a_generation_is_held_once_it_was_read(tmp_path: Path) -> None:
    publishing, reading = LocalStore(tmp_path, "shop"), LocalStore(tmp_path, "shop")
    publish_numbers(publishing, 1)
    assert reading.open_reader(MAIN) is None
    assert reading.reader(MAIN) is reading.open_reader(MAIN)
    fill(publishing, [record("new")])
    assert reading.open_reader(MAIN) is None
    assert reading.reader(MAIN) is reading.open_reader(MAIN)


def test_a_reader_outlives_its_files(tmp_path: Path) -> None:
    """Two publishes and a deleted scope later, an old reader still answers all there is to ask."""
    store = LocalStore(tmp_path, "shop")
    old = fill(store, [record("a", "/a", "zebra", tags=("t",)), record("b", "/b", "giraffe")])
    for n in range(3):
        fill(store, [record("a", "/a", f"other {n}")])
    store.delete_scope(MAIN)
    assert everything(old) == {"a", "b"}
    assert ids(old.words.search('"zebra"', top_k=5)) == ids(old.words.search("zebr", top_k=5)) == ["a"]
    assert old.catalogue.records(["a"])[0].chunk.body.text == "zebra"
    assert old.vectors.similarities(EAST, ["a"]) == [1.0]


def test_generations_are_named_in_the_order_of_time_even_when_the_clock_jumps(tmp_path: Path) -> None:
    clock = iter([datetime(2030, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)])
    store = LocalStore(tmp_path, "shop", clock=lambda: next(clock))
    names = [fill(store, [record("a", text=str(n))]).generation.name for n in range(3)]
    assert names == sorted(set(names))
    assert names[0].startswith("20300101T000000Z-")


def test_a_scope_beyond_the_limit_is_reported(tmp_path: Path) -> None:
    """The brute-force store says its limit before it is slow (spec 12.4, `vector.local.max_records`)."""
    settings = VectorSettings.model_validate({"local": {"max_records": 2}})
    store = make_store(settings, tmp_path / ".searchsocket", "shop")
    fill(store, [record("a"), record("b")])
    assert store.health().details == ""
    fill(store, [record("c")])
    assert store.health().ok
    assert "'main' has 3 records" in store.health().details


@pytest.mark.parametrize(("path", "expected"), [("", ".searchsocket/index"), ("elsewhere/idx", "elsewhere/idx")])
def test_the_index_lies_where_the_settings_say(tmp_path: Path, path: str, expected: str) -> None:
    settings = VectorSettings.model_validate({"local": {"path": path}})
    store = make_store(settings, tmp_path / ".searchsocket", "shop")
    assert list(tmp_path.iterdir()) == []
    fill(store, [record("a")])
    assert (tmp_path / expected / "main" / "CURRENT").exists()


def test_a_store_costs_nothing_until_it_is_used() -> None:
    """The packages that the API imports at start do not load the engines (spec 4.1)."""
    code = "import sys, searchsocket.stores; assert not {'Stemmer', 'sqlite3'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_thread_may_read_until_the_process_has_ended(tmp_path: Path) -> None:
    """It would report a damaged index otherwise."""
    fill(LocalStore(tmp_path, "shop"), [record("a")])
    code = f"""
        import atexit, pathlib
        @atexit.register  # the first to register is the last to run
        def read():
            print(reader.catalogue.records(["a"])[0].id)
        from searchsocket.stores.local.store import LocalStore
        from searchsocket.types import Scope
        reader = LocalStore(pathlib.Path({str(tmp_path)!r}), "shop").reader(Scope("shop", "main"))
        """
    result = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("a\n", "")


def test_staging_survives_into_another_process_of_the_same_run(tmp_path: Path) -> None:
    """Assets may run apart: one stages, the next publishes (spec 8.1)."""
    LocalStore(tmp_path, "shop").upsert([record("a")], EAST[np.newaxis], MAIN)
    LocalStore(tmp_path, "shop").upsert([record("b")], EAST[np.newaxis], MAIN)
    assert LocalStore(tmp_path, "shop").publish(MAIN, INFO).records == 2


def test_the_query_cache_is_bounded_and_changes_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers choose the words and the hits, so a reader keeps only so many; forgetting costs time alone."""
    records = [record(f"k{n}", f"/{n % 9}", f"zebra number{n}", title=f"T{n}", anchor=f"a{n}") for n in range(60)]
    store = LocalStore(tmp_path, "shop")
    roomy = fill(store, records, random_units(60))
    monkeypatch.setattr(facts, "_MAX_DECODED", 2)
    monkeypatch.setattr(bm25, "_MAX_CACHED", 1_000)
    monkeypatch.setattr(bm25, "_MIN_CACHED", 0)
    monkeypatch.setattr(numbering, "_MAX_HITS", 5)
    monkeypatch.setattr(snapshot, "MAX_CACHED", 5)
    narrow = LocalStore(tmp_path, "shop").reader(MAIN)
    assert isinstance(narrow, reader.LocalReader)
    for n in range(60):
        for text in (f"zebra number{n}", f"number{59 - n} number{n} zebra"):
            assert narrow.words.search(text, top_k=9) == roomy.words.search(text, top_k=9)
            assert narrow.words.search_pages(text, top_k=9) == roomy.words.search_pages(text, top_k=9)
        hits = [*ids(narrow.vectors.nearest(random_units(60)[n], top_k=7)), f"k{n}"]
        assert narrow.catalogue.readable(hits) == roomy.catalogue.readable(hits)
        assert len(narrow.catalogue._records._cache.values) <= 8
        query = random_units(60)[n], f"zebra number{n}"
        joined = [find_candidates(some, *query, top_k=9).facts for some in (narrow, roomy)]
        assert joined[0].anchor == joined[1].anchor
        assert joined[0].url == joined[1].url
        assert len(narrow.numbering._row_of.values) <= 5 + 18
        assert all(len(column._decoded.values) <= 2 for column in narrow.facts.texts.values())
        assert len(narrow.words.index._scores._cache.values) <= 2
