"""The files of the word indexes are decided by the records: no luck, no load and no history is in them."""

import json
import multiprocessing
import multiprocessing.synchronize
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import EmbeddingModelMismatch, IndexCorrupt
from searchsocket.stores.local import LocalStore
from searchsocket.stores.words import segments as word_segments
from searchsocket.stores.words.documents import WordRow
from searchsocket.testing.store.samples import INFO, MAIN, fill, ids, random_units, record
from searchsocket.types import Record
from tests.memory_store.words import WordsOfRecords

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COUNT = 300


def made(number: int, text: str = "zebra") -> Record:
    return record(f"k{number:03}", f"/{number // 3}", f"{text} {number % 7} " * (number % 5 + 1), ordinal=number)


def store_in(root: Path) -> LocalStore:
    return LocalStore(root, "shop", clock=lambda: NOW)


def live(root: Path) -> Path:
    folder = root / "main"
    return folder / (folder / "CURRENT").read_text().splitlines()[0]


def files_of(generation: Path) -> dict[str, bytes]:
    paths = (path for path in generation.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(generation)): path.read_bytes() for path in paths}


def publish_twice(root: Path) -> None:
    store = store_in(root)
    fill(store, [made(number) for number in range(COUNT)], random_units(COUNT))
    store.delete_by_ids(["k007", "k100"], MAIN)
    fill(store, [made(number, "giraffe") for number in range(20, 25)], random_units(5))


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


@pytest.mark.parametrize("a_share", [word_segments.RECORDS_A_SHARE, 40])
def test_the_same_input_gives_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, a_share: int) -> None:
    """Names, number and bytes: of the first build, and of an edited one, on an idle and on a busy machine."""
    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", a_share)
    publish_twice(tmp_path / "one")
    with busy_machine():
        publish_twice(tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


@pytest.mark.parametrize("fails", ["", "dies", "raises"])
def test_several_processes_write_the_files_that_one_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """Also if one of them dies after it wrote a part, or fails with an error that cannot be sent."""
    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", 150)
    source = FailingSource([made(number) for number in range(COUNT)], fails)
    for name, workers in (("one", 0), ("two", 2)):
        (tmp_path / name).mkdir()
        word_segments.write_words(tmp_path / name, source, None, workers)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    assert len(list((tmp_path / "two" / "words").glob("*.docs"))) == 2


class FailingSource:
    """Records that only the process that made it can read to the end."""

    def __init__(self, records: list[Record], fails: str) -> None:
        words = WordsOfRecords(records)
        self._pages = {page[0].sort: page for page in words.pages(words.touched())}
        self._owner, self._fails = os.getpid(), fails

    def count(self) -> int:
        return sum(map(len, self._pages.values()))

    def touched(self) -> list[bytes]:
        return list(self._pages)

    def pages(self, paths: Collection[bytes]) -> Iterator[list[WordRow]]:
        fails = self._fails if os.getpid() != self._owner and min(self._pages) in paths else ""
        for number, path in enumerate(sorted(paths)):
            if number == 5 and fails == "dies":
                os._exit(1)
            if number == 5 and fails == "raises":
                raise EmbeddingModelMismatch("main", "one model", "another model")  # cannot be sent
            yield self._pages[path]


def test_words_after_edits_are_those_of_a_new_index(tmp_path: Path) -> None:
    """But for the numbers of records, which are given once."""
    store = store_in(tmp_path / "edited")
    fill(store, [made(number) for number in range(COUNT)], random_units(COUNT))
    fill(store, [made(7, "giraffe")], random_units(1))
    fill(store, [made(7)], random_units(1))
    other = store_in(tmp_path / "fresh")
    fill(other, [made(number) for number in range(COUNT)], random_units(COUNT))
    for part in ("words", "pages"):
        edited, fresh = (files_of(live(tmp_path / name) / part) for name in ("edited", "fresh"))
        assert {name for name in edited if not name.endswith(".edits")} == fresh.keys()
        same = {name for name in edited if edited[name] == fresh.get(name)}
        assert {name.rpartition(".")[2] for name in edited.keys() - same} <= {"fast", "docs", "edits", "idx", "term"}


def test_a_small_change_writes_one_segment_and_links_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work follows the change: the cost does not grow with the site."""
    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", 40)
    store = store_in(tmp_path)
    fill(store, [made(number) for number in range(COUNT)], random_units(COUNT))
    reader = fill(store, [made(7, "giraffe")], random_units(1))
    for part in ("words", "pages"):
        segments = json.loads((live(tmp_path) / part / "meta.json").read_bytes())["segments"]
        assert len(segments) == 8
        files = list((live(tmp_path) / part).glob("*.idx"))
        assert sum(path.stat().st_nlink == 1 for path in files) == 1
    assert ids(reader.words.search("giraffe", top_k=9)) == ["k007"]
    assert len(reader.words.search("zebra", top_k=999)) == COUNT - 1
    assert store.verify(MAIN) == []


@pytest.mark.parametrize("act", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x")])
def test_damaged_documents_of_edited_pages_are_named(tmp_path: Path, act: Callable[[Path], object]) -> None:
    publish_twice(tmp_path)
    (path,) = (live(tmp_path) / "words").glob("*.edits")
    act(path)
    assert path.name in "".join(store_in(tmp_path).verify(MAIN))
    with pytest.raises(IndexCorrupt, match=path.name):
        store_in(tmp_path).reader(MAIN)


def test_more_records_are_more_segments_and_fewer_are_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", 100)
    store = store_in(tmp_path)
    counts = []
    fill(store, [made(number) for number in range(90)], random_units(90))
    for number in range(90, 110):
        fill(store, [made(number)], random_units(1))
        counts.append(len(list((live(tmp_path) / "words").glob("*.idx"))))
    assert counts == [1] * 10 + [2] * 10
    store.delete_by_ids([made(number).id for number in range(20)], MAIN)
    store.publish(MAIN, INFO)
    assert len(list((live(tmp_path) / "words").glob("*.idx"))) == 1
    assert len(store.reader(MAIN).words.search("zebra", top_k=999)) == 90


@pytest.mark.parametrize("a_share", [word_segments.RECORDS_A_SHARE, 40])
def test_one_segment_is_in_memory_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, a_share: int) -> None:
    """Its writer holds all that it says until it ends: two at once take the memory of both."""
    write, are_open, most = word_segments._segments, 0, 0

    @contextmanager
    def counted(*args: Any) -> Iterator[Any]:
        nonlocal are_open, most
        with write(*args) as writer:
            are_open += 1
            most = max(most, are_open)
            yield writer
        are_open -= 1

    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", a_share)
    monkeypatch.setattr(word_segments, "_segments", counted)
    publish_twice(tmp_path)
    assert most == 1


def test_words_are_whole_where_files_cannot_be_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr("os.link", refuse)
    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", 40)
    publish_twice(tmp_path / "index")
    shutil.rmtree(tmp_path / "index" / "main" / min((tmp_path / "index" / "main").glob("2*")).name)  # the one before
    store = store_in(tmp_path / "index")
    assert len(store.reader(MAIN).words.search("giraffe", top_k=99)) == 5
    assert store.verify(MAIN) == []
