"""One machine answers from the index of another, and only missing files are transferred."""

import hashlib
import json
from pathlib import Path

import pytest
from search_site import MAIN, PROJECT, Piece

from searchsocket.errors import IndexCorrupt, ProjectMismatch, ScopeNotIndexed
from searchsocket.extensions.fleet.documents import PROJECT as PROJECT_DOCUMENT
from searchsocket.extensions.fleet.documents import blob_name, pointer_name
from searchsocket.extensions.fleet.objects.base import Objects, read
from searchsocket.extensions.fleet.prune import stored_generations
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope
from tests.extensions.fleet.machines import PIECES, Indexer, Reader, index_contents

EDITED = Piece("/docs/p7", "A bowline holds a mooring rope.", "Ropes")
PREVIEW = Scope(PROJECT, "preview")


def test_the_reader_holds_what_the_indexer_published(indexer: Indexer, reader: Reader) -> None:
    indexer.publish_and_push()
    assert reader.pull().is_new
    assert reader.holds() == index_contents(indexer.root)


def test_a_second_pull_moves_nothing(indexer: Indexer, reader: Reader) -> None:
    indexer.publish_and_push()
    reader.pull()
    again = reader.pull()
    assert (again.is_new, again.fetched_bytes) == (False, 0)


def test_an_edit_moves_only_the_files_that_it_changed(indexer: Indexer, reader: Reader) -> None:
    first = indexer.publish_and_push()
    reader.pull()
    pushed = indexer.publish_and_push([EDITED])
    pulled = reader.pull()
    assert 0 < pushed.sent_files < first.files
    assert 0 < pulled.fetched_files < first.files
    assert reader.holds() == index_contents(indexer.root)


def test_a_push_of_what_is_there_sends_nothing(indexer: Indexer, objects: Objects) -> None:
    indexer.publish_and_push()

    def written() -> dict[str, object]:  # the lease is taken and released in the pointer
        return {info.name: info.modified for info in objects.list("") if info.name != pointer_name("main")}

    before = written()
    again = indexer.push()
    assert (again.sent_files, again.sent_bytes, again.is_new) == (0, 0, False)
    assert written() == before


def test_a_push_sends_again_what_was_lost_though_nothing_changed(
    indexer: Indexer, reader: Reader, objects: Objects
) -> None:
    """The next run repairs what an outage, or a careless hand, left behind."""
    indexer.publish_and_push()
    blobs = [info.name for info in objects.list("blobs/")]
    objects.delete(blobs[:3])
    objects.put(blobs[4], b"cut short")
    assert indexer.push().sent_files == 4
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)


def test_a_rollback_reaches_the_reader_and_moves_no_file(indexer: Indexer, reader: Reader) -> None:
    indexer.publish_and_push()
    reader.pull()
    before = reader.holds()
    indexer.publish_and_push([EDITED])
    reader.pull()
    indexer.site.store.rollback(MAIN)
    assert indexer.push().sent_files == 0
    assert reader.pull().fetched_files == 0
    assert reader.holds() == before


def test_scopes_share_files_and_nothing_else(indexer: Indexer, reader: Reader) -> None:
    indexer.publish_and_push()
    indexer.publish_and_push(PIECES[:3], PREVIEW)
    reader.pull(PREVIEW)
    assert reader.holds(PREVIEW) == index_contents(indexer.root, PREVIEW)
    with pytest.raises(ScopeNotIndexed):
        reader.pull(Scope(PROJECT, "other"))
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)


def test_files_of_another_scope_are_not_fetched_again(indexer: Indexer, reader: Reader) -> None:
    """Of an equal branch, only the files that hold its name are fetched."""
    indexer.publish_and_push()
    indexer.publish_and_push(PIECES, PREVIEW)
    whole = reader.pull()
    again = reader.pull(PREVIEW)
    assert reader.holds(PREVIEW) == index_contents(indexer.root, PREVIEW)
    assert 0 < again.fetched_files < whole.fetched_files
    assert again.fetched_bytes < whole.fetched_bytes / 2


def test_only_the_live_generation_and_the_one_before_stay_with_the_reader(indexer: Indexer, reader: Reader) -> None:
    names = []
    for number in range(4):
        names.append(indexer.publish_and_push([*PIECES, Piece("/new", f"edit {number}")]).generation)
        reader.pull()
    assert reader.generations() == names[-2:]


def test_readers_continue_while_the_generation_is_replaced(indexer: Indexer, reader: Reader) -> None:
    indexer.publish_and_push()
    reader.pull()
    store = LocalStore(reader.root, PROJECT)
    opened = store.reader(MAIN)
    for number in range(3):
        indexer.publish_and_push([Piece("/new", f"edit {number}")])
        reader.pull()
    assert not (reader.root / "main" / opened.generation.name).exists()
    assert opened.catalogue.page_body("/docs/p3") == "# Tides 3\n\nThe tide table number3 tells of high water.\n"
    assert [record.chunk.body.text for record in opened.catalogue.page_records("/docs/p9")] == [PIECES[9].text]
    assert store.reader(MAIN).catalogue.page_body("/new") == "# \n\nedit 2\n"


def test_a_file_that_was_damaged_in_the_cache_is_fetched_again(indexer: Indexer, reader: Reader) -> None:
    """Files that are linked into a new generation are compared byte for byte."""
    indexer.publish_and_push()
    reader.pull()
    first = reader.root / "main" / indexer.push().generation
    pack = next(path for path in sorted(first.rglob("packs/*.words")))
    indexer.publish_and_push([Piece("/docs/p7", PIECES[7].text, "Tides 7", weight=0.5)])
    pack.write_bytes(bytes(pack.stat().st_size))
    reader.pull()
    assert reader.holds() == index_contents(indexer.root)


def test_a_damaged_file_is_not_pushed(indexer: Indexer, objects: Objects) -> None:
    indexer.publish()
    (records,) = indexer.root.glob("main/*/packs/*.db")
    records.write_bytes(records.read_bytes()[:-1] + b"?")
    with pytest.raises(IndexCorrupt, match=r"packs/\w+\.db"):
        indexer.push()
    assert stored_generations(objects) == []


def test_two_projects_do_not_meet(indexer: Indexer, reader: Reader, tmp_path: Path) -> None:
    indexer.publish_and_push()
    data = json.loads(read(indexer.objects, PROJECT_DOCUMENT, 10_000))
    indexer.objects.put(PROJECT_DOCUMENT, json.dumps(data | {"projectId": "another"}).encode())
    with pytest.raises(ProjectMismatch, match="another"):
        indexer.push()
    with pytest.raises(ProjectMismatch, match="other"):
        reader.pull(Scope("other", "main"))


def test_public_scopes_stay_as_they_were_said_until_they_are_said_again(indexer: Indexer, objects: Objects) -> None:
    """A preview that pushes does not become what strangers search."""

    def public() -> object:
        return json.loads(read(objects, PROJECT_DOCUMENT, 10_000))["scopes"]

    indexer.publish()
    indexer.publish(PIECES[:3], PREVIEW)
    indexer.push(PREVIEW)
    assert public() == []
    indexer.push(PREVIEW, ["main", "v2"])
    indexer.push()
    assert public() == ["main", "v2"]


def test_nothing_of_the_indexers_machine_is_pushed(indexer: Indexer, objects: Objects, tmp_path: Path) -> None:
    """Whoever may read the artefacts learns of no path of the machine that made them."""
    indexer.publish_and_push()
    names = [info.name for info in objects.list("")]
    assert names
    for name in names:
        assert str(tmp_path).encode() not in read(objects, name, 10_000_000)


def test_a_blob_lies_under_the_digest_of_its_bytes(indexer: Indexer, objects: Objects) -> None:
    indexer.publish_and_push()
    for info in objects.list("blobs/"):
        assert blob_name(hashlib.sha256(read(objects, info.name, 10_000_000)).hexdigest()) == info.name
