"""Processes that are killed, disks that are full, and several machines at once: nobody sees half a generation."""

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from search_site import MAIN, PROJECT, Piece

from bench.crashes.crash import in_process
from searchsocket.extensions.fleet.documents import blob_name
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects
from searchsocket.extensions.fleet.prune import description_of, stored_generations
from searchsocket.stores.local.store import LocalStore
from tests.extensions.fleet import dying
from tests.extensions.fleet.machines import PIECES, Indexer, Reader, index_contents

NEVER = 10**9


@pytest.fixture
def place(tmp_path: Path, indexer: Indexer, reader: Reader) -> Path:
    """The reader is at a first generation; a second one is published, not pushed."""
    indexer.publish_and_push()
    reader.pull()
    indexer.publish([Piece("/new", "More about ropes.")])
    return tmp_path / "objects"


def drawn(labels: list[str]) -> list[int]:
    """The first and the last step of each sort, and some between."""
    sorts = [(label.split()[0], ".tmp" in label, Path(label).suffix) for label in labels]
    first = {sort: number for number, sort in reversed(list(enumerate(sorts)))}
    last = {sort: number for number, sort in enumerate(sorts)}
    return sorted({*first.values(), *last.values(), *range(0, len(labels), 15)})


def before_each_step(step: str, root: Path, place: Path, copied: Path, tmp_path: Path) -> Any:
    """Die before each of the drawn steps, with a fresh copy of the folder that is written to."""
    saved = shutil.copytree(copied, tmp_path / "saved")
    labels = in_process(dying.run, step, root, place, NEVER, answers=True)
    assert len(labels) > 20
    for number in drawn(labels):
        shutil.rmtree(copied)
        shutil.copytree(saved, copied)
        in_process(dying.run, step, root, place, number, answers=True, dies=True)
        yield labels[number]


def test_a_killed_push_is_invisible_and_the_next_one_completes_it(
    place: Path, indexer: Indexer, reader: Reader, tmp_path: Path
) -> None:
    old, new = reader.holds(), index_contents(indexer.root)
    for fell in before_each_step("push", indexer.root, place, place, tmp_path):
        reader.pull()
        assert reader.holds() in (old, new), fell
        push_report = indexer.push()
        assert push_report.sent_files < push_report.files, fell
        reader.pull()
        assert reader.holds() == new, fell
        shutil.rmtree(reader.root)


@pytest.mark.long
def test_a_killed_pull_leaves_the_old_generation_and_the_next_one_completes_it(
    place: Path, indexer: Indexer, reader: Reader, tmp_path: Path
) -> None:
    indexer.push()
    old, new = reader.holds(), index_contents(indexer.root)
    expected = 0
    for fell in before_each_step("pull", reader.root, place, reader.root, tmp_path):
        assert reader.holds() in (old, new), fell
        expected = max(expected, reader.pull().fetched_files)
        assert reader.holds() == new, fell
        assert len(reader.generations()) == 2, fell
        assert [path for path in reader.root.rglob(".*") if path.name.startswith((".tmp", ".building"))] == [], fell
    assert expected > 3


def test_files_of_a_killed_pull_are_not_fetched_again(place: Path, indexer: Indexer, tmp_path: Path) -> None:
    root = tmp_path / "empty"
    labels = in_process(dying.run, "pull", root, place, NEVER, answers=True)
    shutil.rmtree(root)
    fetched = [number for number, label in enumerate(labels) if label.startswith("fsync .tmp")]
    late = fetched[len(fetched) // 2]
    in_process(dying.run, "pull", root, place, late, answers=True, dies=True)
    assert not (root / "main" / "CURRENT").exists()
    again = Reader(root, indexer.objects).pull()
    whole = Reader(tmp_path / "whole", indexer.objects).pull()
    assert 0 < again.fetched_files < whole.fetched_files
    assert LocalStore(root, PROJECT).verify(MAIN) == []


@pytest.mark.parametrize("limit", [50, 3_000, 20_000])
def test_a_full_disk_is_an_error_and_the_old_generation_stays(
    place: Path, indexer: Indexer, reader: Reader, limit: int
) -> None:
    indexer.push()
    old = reader.holds()
    message = in_process(dying.pull_with_little_room, reader.root, place, limit, answers=True)
    assert str(reader.root) in message
    assert reader.holds() == old
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)


def test_two_machines_push_the_same_scope_and_readers_see_one_whole(objects: Objects, tmp_path: Path) -> None:
    """The last pointer wins, and neither loses a file; a pull meanwhile has one of the generations, whole."""
    machines = [Indexer(tmp_path / name, objects) for name in ("one", "two")]
    machines[0].publish_and_push()
    published: dict[str, object] = {}
    lock = threading.Lock()
    finish = threading.Event()
    failures: list[Exception] = []

    def push(machine: Indexer) -> None:
        try:
            for number in range(5):
                machine.publish([*PIECES, Piece("/own", f"Edit {number} of {machine.root.name}.")])
                with lock:
                    generation = index_contents(machine.root)
                    published[generation[0].name] = generation  # type: ignore[attr-defined]
                machine.push()
        except Exception as error:  # noqa: BLE001  (told by the test)
            failures.append(error)

    def read() -> None:
        try:
            while not finish.is_set():
                reader = Reader(tmp_path / "reader", open_objects((tmp_path / "objects").as_uri()))
                reader.pull()
                with lock:
                    contents = reader.holds()
                    assert contents == published.setdefault(contents[0].name, contents)  # type: ignore[attr-defined]
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    pushing = [threading.Thread(target=push, args=(machine,)) for machine in machines]
    reading = threading.Thread(target=read)
    for thread in (*pushing, reading):
        thread.start()
    for thread in pushing:
        thread.join()
    finish.set()
    reading.join()
    assert failures == []
    generations = stored_generations(objects)
    assert len(generations) == 11
    for generation in generations:
        for entry in description_of(objects, generation).files.values():
            assert objects.size(blob_name(entry.sha256)) == entry.bytes
    reader = Reader(tmp_path / "reader", objects)
    reader.pull()
    assert [reader.holds()[0].name] == [item.name for item in generations if item.is_live]  # type: ignore[attr-defined]
