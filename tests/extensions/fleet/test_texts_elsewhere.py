"""No text is paid for again that any machine with the same object store has embedded."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.pipeline.run.stages import STAGES
from tests.extensions.fleet.checkout import Machine
from tests.extensions.fleet.test_travelling_state import machine

NEW = "A zebra crossed the harbour."


def publish(folder: Path) -> str:
    """An object store in which another machine published `main`, and a branch with one more page."""
    url = (folder / "objects").as_uri()
    first = machine(folder / "first", url)
    first.index()
    feature = machine(first.root, url, "feature")
    feature.write("docs/zebra", NEW)
    feature.index()
    return url


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    publish(folder)
    return folder / "objects"


@pytest.fixture
def url(tmp_path: Path, published: Path) -> str:
    return Path(shutil.copytree(published, tmp_path / "objects")).as_uri()


def created(each: Machine) -> int:
    count: int = each.summary().to_json()["embeddings"]["created"]
    return count


def test_a_merged_branch_costs_nothing_on_an_empty_disk(tmp_path: Path, url: str) -> None:
    merged = machine(tmp_path / "merged", url)
    merged.write("docs/zebra", NEW)
    assert created(merged) == 0


def test_a_disk_that_has_another_scope(tmp_path: Path, url: str) -> None:
    """Its state is there already, so that no scope could begin from a downloaded one."""
    root = tmp_path / "disk"
    alone = machine(root, "", "alone", SEARCHSOCKET_CACHE=str(tmp_path / "old-cache"))
    alone.index()
    (root / ".searchsocket/index/alone/CURRENT").unlink()
    branch = machine(root, url, "second")
    branch.write("docs/zebra", NEW)
    branch.write("docs/tapir", "A tapir followed it.")
    assert created(branch) == 2  # the sections of its own page


def test_two_branches_that_begin_at_once(tmp_path: Path, url: str) -> None:
    """The other one is as near, and is not published yet."""
    before = machine(tmp_path / "disk", url, "a-branch")
    for name in ("site_pages", "page_mirror", "page_chunks"):
        STAGES[name](before.run())
    assert created(machine(before.root, url, "b-branch")) == 0
    assert created(before) == 0


@pytest.mark.parametrize("damage", [lambda data: b"\0" * len(data), lambda data: data[:-1]], ids=["zero", "short"])
def test_damaged_objects_are_skipped(tmp_path: Path, url: str, damage: Callable[[bytes], bytes]) -> None:
    for info in open_objects(url).list("embeddings/"):
        path = tmp_path / "objects" / info.name
        path.write_bytes(damage(path.read_bytes()))
    branch = machine(tmp_path / "branch", url, "second", SEARCHSOCKET__ARTIFACTS__STATE="false")
    assert created(branch) > 0
