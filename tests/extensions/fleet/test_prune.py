"""Pruning removes what none of the kept generations is made of, and nothing that somebody may still want."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from search_site import MAIN, PROJECT, Piece

from searchsocket.errors import ScopeNotIndexed
from searchsocket.extensions.fleet.objects.base import Objects
from searchsocket.extensions.fleet.prune import Pruned, prune, stored_generations
from searchsocket.types import Scope
from tests.extensions.fleet.machines import PIECES, Indexer, Reader, index_contents

PREVIEW = Scope(PROJECT, "preview")
HOUR = timedelta(hours=1)


def age(place: Path, hours: float) -> None:
    """Everything that lies there becomes older by so much."""
    for path in place.rglob("*"):
        if path.is_file():
            then = path.stat().st_mtime - hours * 3600
            os.utime(path, (then, then))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest.fixture
def names(indexer: Indexer, place: Path) -> list[str]:
    """Four generations, an hour between each and the next, the last one an hour ago."""
    pushed = []
    for number in range(4):
        pushed.append(indexer.publish_and_push([*PIECES, Piece("/new", f"Edit {number}.")]).generation)
        age(place, 1)
    return pushed


def pruned(objects: Objects, keep: int, min_age: timedelta, **options: object) -> Pruned:
    return prune(objects, datetime.now(UTC), keep=keep, min_age=min_age, **options)  # type: ignore[arg-type]


def test_the_list_says_what_is_live_and_since_when_the_others_are_not(objects: Objects, names: list[str]) -> None:
    generations = stored_generations(objects)
    assert [(generation.scope, generation.name, generation.is_live) for generation in generations] == [
        ("main", name, name == names[-1]) for name in reversed(names)
    ]
    assert generations[0].replaced is None
    assert [item.replaced for item in generations[1:]] == [entry.pushed for entry in generations[:-1]]


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_the_newest_generations_stay_whole(
    indexer: Indexer, reader: Reader, objects: Objects, names: list[str], keep: int
) -> None:
    removed = pruned(objects, keep, HOUR / 2)
    assert [generation.name for generation in stored_generations(objects)] == names[: -keep - 1 : -1]
    assert sorted(entry.name for entry in removed.generations) == names[:-keep]
    assert removed.files > 0
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)
    if keep > 1:
        indexer.site.store.rollback(MAIN)
        assert indexer.push().sent_files == 0  # what a rollback leads to is there


def test_prune_removes_the_objects_that_it_counted(objects: Objects, names: list[str]) -> None:
    before = {info.name: info.bytes for info in objects.list("")}
    counted = pruned(objects, 1, HOUR / 2, dry_run=True)
    assert {info.name: info.bytes for info in objects.list("")} == before
    assert pruned(objects, 1, HOUR / 2) == counted
    after = {info.name for info in objects.list("")}
    deleted_blobs = {name: size for name, size in before.items() if name not in after and name.startswith("blobs/")}
    assert (len(deleted_blobs), sum(deleted_blobs.values())) == (counted.files, counted.bytes)
    assert pruned(objects, 1, HOUR / 2) == Pruned((), 0, 0)


def test_a_generation_that_was_live_a_moment_ago_stays_however_old_it_is(
    indexer: Indexer, reader: Reader, objects: Objects, place: Path
) -> None:
    """Somebody may have read its pointer and be pulling it now."""
    old = indexer.publish_and_push().generation
    age(place, 1000)
    indexer.publish_and_push([Piece("/new", "Just now.")])
    assert pruned(objects, 1, HOUR).generations == ()
    age(place, 2)
    assert [generation.name for generation in pruned(objects, 1, HOUR).generations] == [old]


def test_the_age_of_a_generation_begins_when_a_rollback_left_it(
    indexer: Indexer, objects: Objects, place: Path, names: list[str]
) -> None:
    indexer.site.store.rollback(MAIN)
    indexer.push()
    prune_report = pruned(objects, 1, HOUR / 2)
    assert names[-1] not in [generation.name for generation in prune_report.generations]
    assert [entry.name for entry in stored_generations(objects) if entry.is_live] == [names[-2]]


def test_files_of_a_push_that_is_under_way_stay(objects: Objects, names: list[str], place: Path) -> None:
    """They are named by nothing yet."""
    objects.put("blobs/ab/" + "ab" * 32, b"sent a moment ago")
    pruned(objects, 1, HOUR)
    assert objects.size("blobs/ab/" + "ab" * 32) is not None
    age(place, 2)
    pruned(objects, 1, HOUR)
    assert objects.size("blobs/ab/" + "ab" * 32) is None


def test_files_of_a_killed_writer_are_pruned_after_a_while(objects: Objects, names: list[str], place: Path) -> None:
    leftovers = [folder / ".tmp-0123456789ab" for folder in (place, place / "blobs", place / "scopes" / "main")]
    theirs = place / ".tmp-theirs"
    for path in [*leftovers, theirs]:
        path.write_bytes(b"half")
    pruned(objects, 4, HOUR)
    assert all(path.exists() for path in leftovers)
    age(place, 2)
    pruned(objects, 4, HOUR)
    assert not any(path.exists() for path in leftovers)
    assert theirs.exists()


def test_a_dropped_scope_goes_and_others_keep_what_they_share(
    indexer: Indexer, reader: Reader, objects: Objects, place: Path
) -> None:
    indexer.publish_and_push()
    indexer.publish_and_push(PIECES[:5], PREVIEW)
    age(place, 3)
    removed = pruned(objects, 2, HOUR, drop_scopes=["preview"])
    assert [generation.scope for generation in removed.generations] == ["preview"]
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)
    with pytest.raises(ScopeNotIndexed):
        reader.pull(PREVIEW)


def test_a_push_between_the_look_and_the_removal_loses_nothing(
    indexer: Indexer, reader: Reader, objects: Objects, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that lay there unused are wanted again at the worst moment."""
    indexer.publish_and_push()
    indexer.publish_and_push([Piece("/new", "Newer.")])
    age(place, 5)
    delete = objects.delete
    calls = []

    def push_before_the_second_removal(doomed: list[str]) -> None:
        calls.append(doomed)
        if len(calls) == 2:  # of descriptions
            indexer.site.store.rollback(MAIN)
            indexer.push()
        delete(doomed)

    monkeypatch.setattr(objects, "delete", push_before_the_second_removal)
    pruned(objects, 1, HOUR)
    monkeypatch.undo()
    assert len(calls) >= 3
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)
