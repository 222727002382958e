"""Records that a service has in memory: read before anybody asks, and kept from one generation to the next."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from searchsocket.errors import IndexCorrupt
from searchsocket.stores.base.index_reader import ReadableRecord
from searchsocket.stores.local.catalogue import snapshot
from searchsocket.stores.local.catalogue.snapshot import Packs
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import INFO, MAIN, fill, random_units, record
from searchsocket.types import Record

RecordCounts = Callable[[], list[int]]


def records_of(count: int, text: str = "lamp") -> list[Record]:
    return [record(f"k{n}", f"/{n % 9}", f"{text} {n}") for n in range(count)]


def ids_of(records: Sequence[Record]) -> list[str]:
    return [hit.id for hit in records]


def opened(store: LocalStore) -> LocalReader:
    """The live generation as a process finds it that knows nothing."""
    reader = LocalStore(store.root, "shop").reader(MAIN)
    assert isinstance(reader, LocalReader)
    return reader


@pytest.fixture
def reads_of_packs(monkeypatch: pytest.MonkeyPatch) -> RecordCounts:
    """Return a function that lists the record counts of all reads of the packs since its last call."""
    record_counts: list[int] = []
    select = Packs.select

    def noted(self: Packs, columns: str, docs: Sequence[int]) -> dict[int, tuple[object, ...]]:
        rows = select(self, columns, docs)
        record_counts.append(len(rows))
        return rows

    def since() -> list[int]:
        results = record_counts.copy()
        record_counts.clear()
        return results

    monkeypatch.setattr(Packs, "select", noted)
    return since


def test_records_read_ahead_are_not_read_again(tmp_path: Path, reads_of_packs: RecordCounts) -> None:
    records = records_of(120)
    store = LocalStore(tmp_path, "shop")
    fill(store, records, random_units(120))
    expected = opened(store).catalogue.readable(ids_of(records))
    reader = opened(store)
    reads_of_packs()
    reader.catalogue.read_ahead()
    assert reads_of_packs() == [100, 20]
    assert reader.catalogue.readable(ids_of(records)) == expected
    assert reader.catalogue.texts(ids_of(records)) == [row.chunk.body.text for row in records]
    reader.catalogue.read_ahead()
    assert reads_of_packs() == []


def test_many_records_are_not_read_ahead(
    tmp_path: Path, reads_of_packs: RecordCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that come last would drive out the first."""
    monkeypatch.setattr(snapshot, "MAX_CACHED", 119)
    store = LocalStore(tmp_path, "shop")
    fill(store, records_of(120), random_units(120))
    reader = opened(store)
    reads_of_packs()
    reader.catalogue.read_ahead()
    assert reads_of_packs() == []


def test_texts_come_from_memory_only_where_all_are_there(tmp_path: Path) -> None:
    records = records_of(20)
    store = LocalStore(tmp_path, "shop")
    fill(store, records, random_units(20))
    reader = opened(store)
    reader.catalogue.readable(ids_of(records[:7]))
    for some in (records[:7], records[3:12], records):
        assert reader.catalogue.texts(ids_of(some)) == [row.chunk.body.text for row in some]


def test_a_new_generation_knows_what_stays(tmp_path: Path, reads_of_packs: RecordCounts) -> None:
    records = records_of(60)
    store = LocalStore(tmp_path, "shop")
    fill(store, records, random_units(60))
    service = LocalStore(tmp_path, "shop")
    service.reader(MAIN).catalogue.read_ahead()
    fill(store, [record("k3", "/3", "rope"), record("new", "/8", "sea")], random_units(2))
    catalogue = service.reader(MAIN).catalogue
    reads_of_packs()
    catalogue.readable([*ids_of(records), "new"])
    assert reads_of_packs() == [2]


@pytest.mark.parametrize("seed", range(8))
def test_no_generation_answers_with_a_record_of_another(tmp_path: Path, seed: int) -> None:
    """Small changes keep the numbers of records; large ones and other versions renumber them."""
    draw = random.Random(seed)
    store = LocalStore(tmp_path, "shop")
    service = LocalStore(tmp_path, "shop")
    there: dict[str, Record] = {}
    for step in range(12):
        names = draw.sample(range(80), draw.choice([1, 3, 70]))
        changed = [record(f"k{n}", f"/{draw.randrange(9)}", f"lamp {draw.randrange(4)}") for n in names]
        deleted_names = draw.sample(sorted(there), min(len(there), draw.choice([0, 2, 30])))
        deleted_names = [name for name in deleted_names if name not in ids_of(changed)]
        store.upsert(changed, random_units(len(changed), step), MAIN)
        store.delete_by_ids(deleted_names, MAIN)
        store.publish(MAIN, INFO)
        there = {name: one for name, one in there.items() if name not in deleted_names} | {
            hit.id: hit for hit in changed
        }
        reader = service.reader(MAIN)
        some = draw.sample(sorted(there), draw.randint(1, len(there)))
        assert records_in(reader.catalogue.readable(some)) == [there[name] for name in some]
        assert reader.catalogue.readable(some) == opened(store).catalogue.readable(some)
        assert reader.catalogue.texts(sorted(there)) == [there[name].chunk.body.text for name in sorted(there)]
        if draw.random() < 0.5:
            reader.catalogue.read_ahead()


def records_in(readable_records: Sequence[ReadableRecord]) -> list[Record]:
    return [item.record for item in readable_records]


def test_damage_is_told(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, "shop")
    fill(store, records_of(60), random_units(60))
    reader = opened(store)
    (path,) = reader.folder.glob("packs/*.db")
    data = bytearray(path.read_bytes())
    data[16_384:] = bytes(len(data) - 16_384)
    path.chmod(0o600)
    path.write_bytes(data)
    with pytest.raises(IndexCorrupt):
        reader.catalogue.read_ahead()
