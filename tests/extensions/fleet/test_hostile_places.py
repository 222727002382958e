"""Data of an object store is verified before use, and the live generation stays live."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from search_site import MAIN

from searchsocket.errors import (
    ArtifactInvalid,
    ArtifactsUnavailable,
    NewerRelease,
    ProjectMismatch,
    SearchSocketError,
)
from searchsocket.extensions.fleet.documents import blob_name, description_name, pointer_name
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects, read
from tests.extensions.fleet.machines import Indexer, Piece, Reader

Change = Callable[[dict[str, Any]], object]
ENTRY = {"sha256": hashlib.sha256(b"evil").hexdigest(), "bytes": 4}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Both machines and the place between them, in one folder; and the generation that the reader answers from."""
    root = tmp_path_factory.mktemp("machines")
    objects = open_objects((root / "objects").as_uri())
    indexer = Indexer(root / "indexer", objects)
    indexer.publish_and_push()
    name = Reader(root / "reader", objects).pull().generation
    indexer.publish_and_push([Piece("/new", "More about ropes.")])
    return root, name


@pytest.fixture
def live(machines: tuple[Path, str], tmp_path: Path) -> str:
    """The generation that the reader answers from, while a newer one is there to be pulled."""
    root, name = machines
    shutil.copytree(root, tmp_path, dirs_exist_ok=True)
    return name


def pointer(objects: Objects) -> dict[str, Any]:
    return dict(json.loads(read(objects, pointer_name("main"), 10_000)))


def described(objects: Objects) -> tuple[str, dict[str, Any]]:
    live = pointer(objects)
    name = description_name("main", live["generation"], live["description"])
    return name, json.loads(read(objects, name, 1_000_000))


def change_pointer(objects: Objects, change: Change) -> None:
    document = pointer(objects)
    change(document)
    objects.put(pointer_name("main"), json.dumps(document).encode())


def change_description(objects: Objects, change: Change) -> None:
    """With the digest of what it says then, as one who may write everything would."""
    _, document = described(objects)
    change(document)
    data = json.dumps(document).encode()
    digest = hashlib.sha256(data).hexdigest()
    objects.put(blob_name(ENTRY["sha256"]), b"evil")  # type: ignore[arg-type]
    objects.put(description_name("main", document["generation"], digest), data)
    change_pointer(objects, lambda live: live.update(description=digest))


def finished(reader: Reader) -> list[str]:
    return [name for name in reader.generations() if not name.startswith(".building")]


def refused(reader: Reader, live: str, kind: type[SearchSocketError], match: str, max_bytes: int = 10**9) -> None:
    before = finished(reader)
    with pytest.raises(kind, match=match):
        reader.pull(max_bytes=max_bytes)
    assert reader.holds()[0].name == live  # type: ignore[attr-defined]
    assert finished(reader) == before
    assert [path for path in reader.root.rglob("*") if path.name.startswith(".tmp")] == []


POINTERS: dict[str, tuple[Change, type[SearchSocketError], str]] = {
    "a newer format": (lambda d: d.update(format=2), NewerRelease, "format 2, this one reads 1"),
    "no format": (lambda d: d.update(format=0), ArtifactInvalid, "format"),
    "another project": (lambda d: d.update(projectId="other"), ProjectMismatch, "other"),
    "another scope": (lambda d: d.update(scope="other"), ArtifactInvalid, "another scope"),
    "a path for a generation": (lambda d: d.update(generation="../../etc"), ArtifactInvalid, "generation"),
    "a path for a digest": (lambda d: d.update(description="../../secret"), ArtifactInvalid, "description"),
    "a key that nobody knows": (lambda d: d.update(run="rm -rf"), NewerRelease, "field run"),
    "no generation": (lambda d: d.pop("generation"), ArtifactInvalid, "generation"),
    "a description that is not there": (lambda d: d.update(description="0" * 64), ArtifactsUnavailable, "there is no"),
    "an older name for the content": (
        lambda d: d.update(generation="20200101T000000Z-abcdef"), ArtifactsUnavailable, "there is no",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", POINTERS)
def test_a_pointer_is_checked(live: str, reader: Reader, objects: Objects, case: str) -> None:
    change, kind, match = POINTERS[case]
    change_pointer(objects, change)
    refused(reader, live, kind, match)


NAMES = (
    "../../outside", "/etc/passwd", "a/../../b", "words/./x", "..", "", "a//b", "back\\slash", "new\nline", "a/b/c/d/e",
    "nul\0", "ümlaut", "x" * 300,
)  # fmt: skip
DESCRIPTIONS: dict[str, tuple[Change, type[SearchSocketError], str]] = {
    **{
        f"the name {name[:20]!r}": (lambda d, name=name: d["files"].update({name: ENTRY}), ArtifactInvalid, "files")
        for name in NAMES
    },
    "a file below a file": (
        lambda d: d["files"].update({"bodies.db/x": ENTRY}), ArtifactInvalid, "is below another file",
    ),
    "a file that no generation has": (
        lambda d: d["files"].update({"words/extra.so": ENTRY}), ArtifactInvalid, "does not match its description",
    ),
    "a file for another": (
        lambda d: d["files"].update({"bodies.db": ENTRY}), ArtifactInvalid, "does not match its description",
    ),
    "a file too few": (lambda d: d["files"].pop("facts.npz.zst"), ArtifactInvalid, "does not match its description"),
    "no manifest": (lambda d: d["files"].pop("manifest.json"), ArtifactInvalid, "manifest"),
    "no files": (lambda d: d["files"].clear(), ArtifactInvalid, "files"),
    "a size below zero": (
        lambda d: d["files"]["bodies.db"].update(bytes=-1), ArtifactInvalid, "bodies.db.bytes",
    ),
    "a size beyond the limit": (
        lambda d: d["files"]["bodies.db"].update(bytes=10**15), ArtifactInvalid, "artifacts.max_mb",
    ),
    "a size that the manifest does not say": (
        lambda d: d["files"]["bodies.db"].update(bytes=10), ArtifactInvalid, "does not match its description",
    ),
    "too small a size of the manifest": (
        lambda d: d["files"]["manifest.json"].update(bytes=10), ArtifactInvalid, "longer than 10 bytes",
    ),
    "too large a size of the manifest": (
        lambda d: d["files"]["manifest.json"].update(bytes=10**6), ArtifactsUnavailable, "is incomplete",
    ),
    "a manifest beyond the limit": (
        lambda d: d["files"]["manifest.json"].update(bytes=10**7), ArtifactInvalid, "of a valid size",
    ),
    "a digest that is none": (
        lambda d: d["files"]["bodies.db"].update(sha256="../../x"), ArtifactInvalid, "bodies.db.sha256",
    ),
    "another project": (lambda d: d.update(projectId="other"), ProjectMismatch, "other"),
    "a newer format": (lambda d: d.update(format=9), NewerRelease, "format 9"),
}  # fmt: skip


@pytest.mark.parametrize("case", DESCRIPTIONS)
def test_a_description_is_checked(live: str, reader: Reader, objects: Objects, case: str) -> None:
    change, kind, match = DESCRIPTIONS[case]
    change_description(objects, change)
    refused(reader, live, kind, match)
    assert not any(path.name in ("outside", "extra.so", "passwd") for path in reader.root.parent.rglob("*"))


def test_a_description_that_was_changed_in_place_is_refused(live: str, reader: Reader, objects: Objects) -> None:
    name, document = described(objects)
    document["files"].pop("facts.npz.zst")
    objects.put(name, json.dumps(document).encode())
    refused(reader, live, ArtifactInvalid, "differs from the pushed file")


@pytest.mark.parametrize("file", ["edited_bodies.db", "manifest.json", "rows/000000.npy"])
def test_a_file_whose_bytes_are_others_is_refused_and_the_next_push_mends_it(
    live: str, indexer: Indexer, reader: Reader, objects: Objects, file: str
) -> None:
    _, document = described(objects)
    entry = document["files"][file]
    objects.put(blob_name(entry["sha256"]), b"x" * entry["bytes"])
    refused(reader, live, ArtifactInvalid, "its checksum")
    objects.put(blob_name(entry["sha256"]), b"x" * (entry["bytes"] + 1))
    refused(reader, live, ArtifactInvalid, "longer than")
    objects.put(blob_name(entry["sha256"]), b"x")
    refused(reader, live, ArtifactsUnavailable, "is incomplete")
    objects.delete([blob_name(entry["sha256"])])
    refused(reader, live, ArtifactsUnavailable, "there is no blobs/")
    indexer.push()
    assert reader.pull().is_new


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"format": "1"}'])
def test_a_document_that_is_none_is_refused(live: str, reader: Reader, objects: Objects, data: bytes) -> None:
    objects.put(pointer_name("main"), data)
    refused(reader, live, ArtifactInvalid, "cannot be used")


def test_an_endless_document_is_refused(live: str, reader: Reader, objects: Objects) -> None:
    objects.put(pointer_name("main"), b" " * 5_000_000)
    refused(reader, live, ArtifactInvalid, "larger than")


def test_a_generation_beyond_the_limit_is_refused_before_anything_is_fetched(
    live: str, reader: Reader, objects: Objects
) -> None:
    refused(reader, live, ArtifactInvalid, r"artifacts\.max_mb", max_bytes=1000)


def test_a_generation_of_another_scope_is_refused_though_every_digest_is_right(
    live: str, indexer: Indexer, reader: Reader, objects: Objects
) -> None:
    """Copied from one scope's description to another scope: a secret branch would be what strangers search."""
    from search_site import PROJECT

    from searchsocket.types import Scope

    indexer.publish_and_push([Piece("/secret", "A secret page.")], Scope(PROJECT, "secret"))
    live_secret = json.loads(read(objects, pointer_name("secret"), 10_000))
    secret = description_name("secret", live_secret["generation"], live_secret["description"])
    document = json.loads(read(objects, secret, 1_000_000))
    document["scope"] = MAIN.name
    data = json.dumps(document).encode()
    digest = hashlib.sha256(data).hexdigest()
    objects.put(description_name("main", document["generation"], digest), data)
    change_pointer(objects, lambda d: d.update(generation=document["generation"], description=digest))
    refused(reader, live, ArtifactInvalid, "does not match its description")
