"""Two machines with disks of their own that index one scope into one object store."""

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from small_site import write_site

from searchsocket.errors import (
    ArtifactsUnavailable,
    LeaseLost,
    ProjectMismatch,
    PublishedElsewhere,
    ScopeLocked,
)
from searchsocket.extensions.fleet import run_lease as run_lease_module
from searchsocket.extensions.fleet.documents import pointer_name
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects, read
from searchsocket.extensions.fleet.run_lease import run_lease
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.rollback import roll_back
from searchsocket.pipeline.run.stage import exclusive
from tests.extensions.fleet.checkout import Machine


@pytest.fixture(params=["local", pytest.param("milvus", marks=pytest.mark.long)])
def environ(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    return {
        "SEARCHSOCKET__ARTIFACTS__URL": (tmp_path / "objects").as_uri(),
        "SEARCHSOCKET_CACHE": str(tmp_path / "cache"),
        "SEARCHSOCKET__VECTOR__PROVIDER": request.param,
        "MILVUS_URI": str(tmp_path / "lite.db"),
    }


@pytest.fixture
def here(tmp_path: Path, environ: dict[str, str]) -> Machine:
    return Machine(write_site(tmp_path / "here"), environ)


@pytest.fixture
def there(tmp_path: Path, environ: dict[str, str]) -> Machine:
    return Machine(write_site(tmp_path / "there"), environ)


def pointer(machine: Machine) -> dict[str, object]:
    return dict(json.loads(read(objects_of(machine), pointer_name("main"), 10_000)))


def objects_of(machine: Machine) -> Objects:
    return open_objects(machine.environ["SEARCHSOCKET__ARTIFACTS__URL"])


def urls(machine: Machine) -> set[str]:
    """Pages of the live generation of a machine, whose records and vectors are all there."""
    store = machine.run().backends.store
    assert store.verify(machine.scope) == []
    return {url for url, _ in store.body_digests(machine.scope)}


def test_the_page_of_the_other_machine_is_not_lost_without_an_error(here: Machine, there: Machine) -> None:
    """And the other machine goes on as if nothing had been."""
    here.index()
    there.write("docs/zebra", "A zebra crossed the harbour.")
    published = there.index()
    assert "generation_adopted" in there.events  # so its rows continue those of the first machine
    here.write("docs/okapi", "An okapi watched.")
    with pytest.raises(PublishedElsewhere) as lost:
        here.index()
    words = str(lost.value)
    for part in (published, "run there-1", "process ", "--adopt", datetime.now(UTC).strftime("%Y-%m-%dT")):
        assert part in words
    assert pointer(here)["generation"] == published
    assert "/docs/zebra" in urls(there)
    assert there.index() == published  # nothing to do, nothing broken


def test_with_adopt_the_source_here_decides(here: Machine, there: Machine) -> None:
    here.index()
    there.write("docs/zebra", "A zebra crossed the harbour.")
    there.index()
    here.write("docs/okapi", "An okapi watched.")
    generation = here.index(adopt=True)
    assert pointer(here)["generation"] == generation
    assert urls(here) & {"/docs/zebra", "/docs/okapi"} == {"/docs/okapi"}
    with pytest.raises(PublishedElsewhere):
        roll_back(there.project, there.scope, there.environ)


def test_a_run_keeps_others_out_and_says_who_it_is(here: Machine, there: Machine) -> None:
    with exclusive(here.run()):
        with pytest.raises(ScopeLocked, match=r"process \d+ on .+, run here-1, whose lease ends at 20"):
            there.index()
        here.index()
    there.index()


def test_an_overtaken_run_switches_nothing(here: Machine, there: Machine) -> None:
    """It slept through the end of its lease, and another machine published meanwhile."""
    first = here.index()
    here.write("docs/okapi", "An okapi watched.")
    there.write("docs/zebra", "A zebra crossed the harbour.")
    published = []

    def sleep(run: ScopeRun, _: object) -> None:
        expire(here)
        published.append(there.index(adopt=True))

    with pytest.raises(PublishedElsewhere, match="run there-1"):
        here.index(judge=sleep)  # type: ignore[arg-type]
    assert pointer(here)["generation"] == published[0]
    assert here.run().backends.store.generation(here.scope).name == first  # type: ignore[union-attr]
    assert "/docs/zebra" in urls(there)


def test_a_run_that_was_overtaken_by_one_that_is_still_at_work_ends_too(here: Machine, there: Machine) -> None:
    def sleep(run: ScopeRun, _: object) -> None:
        expire(here)
        other = exclusive(there.run())
        other.__enter__()
        others.append(other)

    others: list[object] = []
    with pytest.raises(LeaseLost, match="run there-1"):
        here.index(judge=sleep)  # type: ignore[arg-type]
    others[0].__exit__(None, None, None)  # type: ignore[attr-defined]
    there.index()


def test_a_machine_whose_source_contains_the_published_commit_continues(here: Machine, there: Machine) -> None:
    """So machines that take turns on one branch need no option; one that is behind is refused."""
    here.git("init", "-q", "-b", "main")
    here.commit()
    here.index()
    there.git("clone", "-q", str(here.root), str(there.root / "clone"))
    there.root = there.root / "clone"
    there.write("docs/zebra", "A zebra crossed the harbour.")
    there.commit()
    there.index()
    here.write("docs/okapi", "An okapi watched.")
    with pytest.raises(PublishedElsewhere):
        here.index()
    (here.root / "build/docs/okapi/index.html").unlink()
    here.git("pull", "-q", "--no-rebase", str(there.root), "main")
    here.write("docs/okapi", "An okapi watched.")
    here.commit()
    here.index()
    assert {"/docs/zebra", "/docs/okapi"} <= urls(here)
    late = Machine(there.root.parent / "late", there.environ)
    late.root.mkdir()
    late.git("clone", "-q", str(here.root), ".")
    late.git("checkout", "-q", "HEAD~1")
    with pytest.raises(PublishedElsewhere):  # an empty disk, with an older commit
        late.index()


def expire(machine: Machine) -> None:
    """As if nobody had written the pointer for five minutes."""
    path = Path(urlsplit(machine.environ["SEARCHSOCKET__ARTIFACTS__URL"]).path) / pointer_name("main")
    then = path.stat().st_mtime - 300
    os.utime(path, (then, then))


@pytest.mark.parametrize("environ", ["local"], indirect=True)
def test_a_run_of_another_project_leaves_nothing_in_the_object_store(here: Machine, there: Machine) -> None:
    here.index()
    (there.root / "package.json").write_text('{"name": "another"}')
    there.name = "preview"
    with pytest.raises(ProjectMismatch, match="another"):
        there.index()
    assert [info.name for info in objects_of(here).list("scopes/preview/")] == []


@pytest.mark.parametrize("environ", ["local"], indirect=True)
def test_while_the_object_store_is_away_a_machine_indexes_for_itself_and_pushes_later(
    here: Machine, tmp_path: Path
) -> None:
    (tmp_path / "objects").write_text("in the way")
    with pytest.raises(ArtifactsUnavailable, match="is live on this machine"):
        here.index()
    (tmp_path / "objects").unlink()
    assert here.index() == pointer(here)["generation"]


@pytest.mark.parametrize("environ", ["local"], indirect=True)
def test_a_copy_of_a_state_folder_is_another_disk(here: Machine, tmp_path: Path) -> None:
    """A restored backup or the cache of a pipeline has the same id, yet its run may be alive beside the first one."""
    here.index()
    copy = shutil.copytree(here.root, tmp_path / "copy", symlinks=True)
    assert (copy / ".searchsocket/writer.id").read_bytes() == (here.root / ".searchsocket/writer.id").read_bytes()
    other = Machine(copy, here.environ)
    with exclusive(here.run()), pytest.raises(ScopeLocked, match="run here-2"):
        other.index()


@pytest.mark.parametrize("environ", ["local"], indirect=True)
def test_a_killed_run_is_replaced_at_once_on_its_disk_even_under_another_host_name(
    here: Machine, there: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pod that is started again has its volume and another name. Machines of one name and path stay apart."""
    with run_lease(here.project, here.scope), monkeypatch.context() as patched:
        patched.setattr(run_lease_module, "_leases", {})  # as another process
        patched.setattr("socket.gethostname", lambda: "another-pod")
        with pytest.raises(ScopeLocked), run_lease(there.project, there.scope):
            pass
        with run_lease(here.project, here.scope) as lease:
            assert lease
            assert lease.pointer.fence == 2
