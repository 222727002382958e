"""The embedding cache (spec 10.3): it never lies, and survives damage, crowds and full disks."""

import multiprocessing
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from searchsocket.content.chunking.records import content_hash
from searchsocket.errors import BadVectors, StateUnavailable
from searchsocket.events import Event
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.types import Vectors

M = "model-a"


def keys(count: int, first: int = 0) -> list[str]:
    return [content_hash(str(n)) for n in range(first, first + count)]


def vectors(count: int, dimensions: int = 4, first: int = 0) -> Vectors:
    rows = np.random.default_rng(first).normal(size=(count, dimensions))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "embeddings.db"


@pytest.fixture
def cache(path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(path) as opened:
        yield opened


def filled(path: Path, count: int = 3) -> list[str]:
    with EmbeddingCache(path) as cache:
        cache.put(keys(count), vectors(count), [5] * count, M)
    return keys(count)


def sql(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as db:
        db.execute(statement, values)
    db.close()


def test_vectors_come_back_bit_by_bit_in_any_order(path: Path) -> None:
    stored_keys, rows = keys(1200), vectors(1200)
    with EmbeddingCache(path) as cache:
        cache.put(stored_keys, rows, range(1200), M)
    with EmbeddingCache(path) as cache:
        assert np.array_equal(cache.get(stored_keys[::-1], M), rows[::-1])
        assert np.array_equal(cache.get([stored_keys[3]] * 2, M), rows[[3, 3]])
        (model,) = cache.models()
        assert (model.model_id, model.dimensions, model.texts, model.tokens) == (M, 4, 1200, sum(range(1200)))


def test_missing_names_each_hash_once_in_order(cache: EmbeddingCache) -> None:
    cache.put(keys(1), vectors(1), [1], M)
    expected = keys(1500)
    assert cache.missing(iter([*expected, *expected]), M) == expected[1:]
    assert cache.missing([], M) == []


def test_models_never_mix(cache: EmbeddingCache) -> None:
    cache.put(keys(1), vectors(1), [1], M)
    assert cache.missing(keys(1), "model-b") == keys(1)
    cache.put(keys(1), vectors(1, 6), [1], "model-b")
    assert cache.get(keys(1), "model-b").shape == (1, 6)
    assert cache.get(keys(1), M).shape == (1, 4)


def test_a_vector_once_stored_is_never_replaced(cache: EmbeddingCache) -> None:
    cache.put(keys(1), vectors(1), [1], M)
    cache.put(keys(2), vectors(2, first=9), [1, 1], M)
    assert np.array_equal(cache.get(keys(1), M), vectors(1))


def test_getting_what_is_not_there_is_an_error(cache: EmbeddingCache) -> None:
    with pytest.raises(StateUnavailable, match=keys(1)[0]):
        cache.get(keys(1), M)
    assert cache.get([], M).shape == (0, 0)


@pytest.mark.parametrize(
    "bad", [np.zeros((2, 4)), np.full((2, 4), np.nan), np.full((2, 4), 3.0), vectors(3), vectors(2, 5), vectors(2)[0]]
)
def test_bad_vectors_are_refused_whole(cache: EmbeddingCache, bad: Vectors) -> None:
    """Failures 41 and 43; nothing of the batch is stored."""
    cache.put(keys(1, first=50), vectors(1), [1], M)
    with pytest.raises(BadVectors):
        cache.put(keys(2), bad.astype(np.float32), [1, 1], M)
    assert cache.missing(keys(2), M) == keys(2)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vectors SET vector = zeroblob(16) WHERE rowid = 2",
        "UPDATE vectors SET vector = x'00' WHERE rowid = 2",
        "UPDATE vectors SET vector = 'text' WHERE rowid = 2",
        "UPDATE vectors SET checksum = checksum + 1 WHERE rowid = 2",
        "UPDATE vectors SET tokens = 'many' WHERE rowid = 2",
    ],
)
def test_a_damaged_row_is_named_counts_as_missing_and_is_replaced(path: Path, statement: str) -> None:
    chunks = filled(path)
    sql(path, statement)
    events: list[Event] = []
    with EmbeddingCache(path, on_event=events.append) as cache:
        assert cache.missing(chunks, M) == [chunks[1]]
        assert cache.missing(chunks, M) == [chunks[1]]
        assert len(cache.warnings) == len(events) == 1
        assert chunks[1] in cache.warnings[0]
        with pytest.raises(StateUnavailable):
            cache.get(chunks, M)
        cache.put([chunks[1]], vectors(1, first=7), [5], M)
        assert np.array_equal(cache.get([chunks[1]], M), vectors(1, first=7))
        assert cache.missing(chunks, M) == []


@pytest.mark.parametrize("damage", ["noise", "truncated", "other tables", "other file"])
def test_a_damaged_file_is_set_aside_and_made_anew(path: Path, damage: str) -> None:
    chunks = filled(path, 500)
    match damage:
        case "noise":
            path.write_bytes(b"\x00garbage" * 1000)
        case "truncated":
            path.write_bytes(path.read_bytes()[:4096])
        case "other tables":
            sql(path, "DROP TABLE vectors")
        case _:
            path.write_text("not a database at all, just some words that are long enough to be read\n" * 20)
    damaged_bytes = path.read_bytes()
    with EmbeddingCache(path) as cache:
        assert len(cache.warnings) == 1
        assert cache.missing(chunks, M) == chunks
        cache.put(chunks[:1], vectors(1), [1], M)
    assert path.with_name("embeddings.db.corrupt-1").read_bytes()[:50] == damaged_bytes[:50]
    with EmbeddingCache(path) as cache:
        assert cache.warnings == []
        assert cache.missing(chunks[:1], M) == []


def test_damage_deep_inside_is_an_error_now_and_a_new_file_next_time(path: Path) -> None:
    chunks = filled(path, 2000)
    data = bytearray(path.read_bytes())
    data[8 * 4096 : -4 * 4096] = b"\xff" * (len(data) - 12 * 4096)
    path.write_bytes(bytes(data))
    with suppress(StateUnavailable), EmbeddingCache(path) as cache:
        cache.missing(chunks, M)
    with EmbeddingCache(path) as cache:
        assert cache.missing(chunks, M) == chunks
    assert path.with_name("embeddings.db.corrupt-1").exists()


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    filled(path)
    sql(path, "PRAGMA user_version = 99")
    with pytest.raises(StateUnavailable, match="newer"):
        EmbeddingCache(path)
    assert not path.with_name("embeddings.db.corrupt-1").exists()


def test_reading_only_writes_nothing(path: Path) -> None:
    """Failure 25: a dry run changed the state."""
    with EmbeddingCache(path, read_only=True) as cache:
        assert cache.missing(keys(2), M) == keys(2)
    assert not path.parent.exists()
    chunks = filled(path)
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.parent.iterdir()}
    with EmbeddingCache(path, read_only=True) as cache:
        assert cache.missing(keys(4), M) == keys(1, first=3)
        assert cache.get(chunks, M).shape == (3, 4)
        with pytest.raises(StateUnavailable, match="open read-only"):
            cache.put(keys(1), vectors(1), [1], M)
    assert {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in path.parent.iterdir()} == before


def test_reading_only_takes_a_damaged_file_as_empty_and_says_so(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    with EmbeddingCache(path, read_only=True) as cache:
        assert cache.missing(keys(1), M) == keys(1)
        assert cache.warnings
    assert [file.name for file in path.parent.iterdir()] == ["embeddings.db"]


def test_reading_only_sees_what_a_writer_at_work_has_committed(path: Path, cache: EmbeddingCache) -> None:
    cache.put(keys(2), vectors(2), [1, 1], M)
    with EmbeddingCache(path, read_only=True) as reader:
        assert reader.missing(keys(3), M) == keys(1, first=2)


def test_a_full_disk_is_said_and_leaves_the_cache_whole(path: Path) -> None:
    chunks = filled(path)
    with EmbeddingCache(path) as cache:
        pages = cache._table._db.execute("PRAGMA page_count").fetchone()[0]
        cache._table._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StateUnavailable, match="full"):
            cache.put(keys(2000, first=100), vectors(2000), [1] * 2000, M)
        assert cache.missing(chunks, M) == []
        cache._table._db.execute("PRAGMA max_page_count = 100000")
        cache.put(keys(10, first=100), vectors(10), [1] * 10, M)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StateUnavailable, match="embeddings.db"):
        EmbeddingCache(tmp_path / "file" / "embeddings.db")


def _write(path: Path, first: int) -> None:
    with EmbeddingCache(path) as cache:
        for at in range(first, first + 100, 25):
            cache.put(keys(25, at), vectors(25, first=at), [1] * 25, M)


def test_several_processes_write_at_once(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(path, first)) for first in (0, 50)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    with EmbeddingCache(path) as cache:
        assert cache.missing(keys(150), M) == []
        assert np.array_equal(cache.get(keys(25, 50), M), vectors(25, first=50))


def test_an_import_adds_only_what_is_missing(path: Path, tmp_path: Path) -> None:
    chunks = filled(path, 600)
    with EmbeddingCache(tmp_path / "clone" / "embeddings.db") as clone:
        clone.put(keys(10), vectors(10, first=3), [1] * 10, M)
        assert clone.import_from(path) == (590, 0)
        assert clone.import_from(path) == (0, 0)
        assert clone.missing(chunks, M) == []
        assert np.array_equal(clone.get(chunks[:10], M), vectors(10, first=3))
        assert np.array_equal(clone.get(chunks[10:], M), vectors(600)[10:])


def test_only_sound_vectors_are_imported(path: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    filled(foreign, 5)
    zero = bytes(16)
    key = bytes.fromhex(keys(5)[0])
    sql(foreign, "UPDATE vectors SET vector = ?, checksum = ? WHERE rowid = 1", zero, zlib.crc32(zero, zlib.crc32(key)))
    sql(foreign, "UPDATE vectors SET checksum = 1 WHERE rowid = 2")
    sql(foreign, "UPDATE vectors SET vector = zeroblob(50000000) WHERE rowid = 3")
    with EmbeddingCache(path) as cache:
        assert cache.import_from(foreign) == (2, 3)
        assert cache.missing(keys(5), M) == keys(3)


def test_an_import_of_other_dimensions_is_refused(path: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    filled(foreign, 5)
    with EmbeddingCache(path) as cache:
        cache.put(keys(1, 90), vectors(1, 8), [1], M)
        assert cache.import_from(foreign) == (0, 5)


def test_a_trap_is_not_imported(path: Path, tmp_path: Path) -> None:
    """A view in place of a table could run for ever."""
    trap, noise = tmp_path / "trap.db", tmp_path / "noise.db"
    filled(trap)
    sql(trap, "DROP TABLE vectors")
    sql(trap, "CREATE VIEW vectors AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n")
    noise.write_bytes(b"noise" * 1000)
    with EmbeddingCache(path) as cache:
        for foreign in (trap, noise, tmp_path / "absent.db"):
            with pytest.raises(StateUnavailable, match=foreign.name):
                cache.import_from(foreign)
        assert cache.models() == []
