"""A new build asks for one run."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph

from searchsocket.pipeline.watching.whole import SILENCE_S
from searchsocket.project.project import open_project
from searchsocket.project.scopes import sanitise_scope
from searchsocket.quality.gate import gate_digest
from searchsocket_assets import builds
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import BRANCH_TAG, BUILD_TAG, PARTITION_TAG, PROJECT_TAG, REFUSED_TAG
from searchsocket_assets.site import NAME, DagsterSite, ProjectTraits
from tests.pipeline.watching.builders import prerender, write_slowly
from tests.sources.git_repository import commit, git

pytestmark = pytest.mark.dagster

Tick = Callable[[], list[dg.RunRequest]]
LONG_AGO_S = 1000.0


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the sensor's clock."""
    offset = [LONG_AGO_S]  # so that what the test wrote has settled
    real, real_ns = time.time, time.time_ns

    class Clock:
        monotonic = staticmethod(time.monotonic)
        time = staticmethod(lambda: real() + offset[0])
        time_ns = staticmethod(lambda: real_ns() + int(offset[0] * 1e9))

    monkeypatch.setattr(builds, "time", Clock)

    def move(seconds: float) -> None:
        offset[0] += seconds

    return move


@pytest.fixture
def tick(site: Path, instance: dg.DagsterInstance, later: object) -> Tick:
    """One look; the cursor is kept between them, as a daemon does."""
    (sensor,) = [entry for entry in build_definitions(str(site)).sensors or () if entry.name == "new_builds"]
    cursor: list[str | None] = [None]

    def look() -> list[dg.RunRequest]:
        tick_result: Any = sensor(dg.build_sensor_context(instance=instance, cursor=cursor[0]))
        cursor[0] = tick_result.cursor
        return list(tick_result.run_requests or [])

    return look


@pytest.fixture
def end(instance: dg.DagsterInstance) -> Callable[..., str]:
    """Return a function that records the run of a request, with success or failure, and returns its id."""
    job = dg.JobDefinition(name="index_site", graph_def=dg.GraphDefinition("index_site"))

    def make(request: dg.RunRequest, *, well: bool) -> str:
        run = instance.create_run_for_job(job, tags={**request.tags, PARTITION_TAG: str(request.partition_key)})
        if well:
            for event in ("start", "success"):
                kind = getattr(dg.DagsterEventType, f"RUN_{event.upper()}")
                instance.report_dagster_event(dg.DagsterEvent(kind.value, "index_site", message=event), run.run_id)
        else:
            instance.report_run_failed(run)
        return run.run_id

    return make


def test_a_new_build_asks_for_one_run_and_an_unchanged_one_for_none(
    site: Path, tick: Tick, end: Callable[..., str]
) -> None:
    (request,) = tick()
    assert request.partition_key == "main"
    assert request.tags[BRANCH_TAG] == "main"
    assert [again.run_key for again in tick()] == [request.run_key], "a tick that overlaps asks for the same run"
    end(request, well=True)
    assert tick() == tick() == []
    (site / "build/new.html").write_text("<title>New</title><p>new</p>")
    (another,) = tick()
    assert another.run_key != request.run_key
    assert another.tags[BUILD_TAG] != request.tags[BUILD_TAG]


def test_a_build_that_is_being_written_is_left_alone(site: Path, tick: Tick, later: Callable[[float], None]) -> None:
    later(-LONG_AGO_S)
    assert tick() == []
    later(6.0)
    assert len(tick()) == 1
    for page in sorted((site / "build").rglob("*.html")):
        page.unlink()
    later(LONG_AGO_S)
    assert tick() == [], "an emptied folder is no build"


def test_a_build_that_lacks_pages_is_left_alone_however_still_it_lies(
    site: Path, tick: Tick, later: Callable[[float], None]
) -> None:
    """The builder of a busy machine pauses: what it made already is not in the build yet."""
    later(-LONG_AGO_S)
    pages = {"index.html": "<title>Home</title><p>one</p>", "late.html": "<title>Late</title><p>two</p>"}
    for _ in prerender(site, pages):
        pass
    later(60.0)
    assert tick() == []
    for _ in write_slowly(site / "build", pages):
        pass
    later(60.0)
    assert len(tick()) == 1


def test_a_build_of_fewer_pages_than_are_live_waits_for_the_others(
    site: Path, tick: Tick, later: Callable[[float], None], run_graph: RunGraph
) -> None:
    later(-LONG_AGO_S)
    assert run_graph("main").success
    min((site / "build").rglob("*.html")).unlink()
    later(SILENCE_S - 1)
    assert tick() == []
    later(2)
    assert len(tick()) == 1


def test_a_build_whose_run_failed_is_tried_again_after_a_pause(
    tick: Tick, end: Callable[..., str], later: Callable[[float], None]
) -> None:
    later(-LONG_AGO_S + 10)
    keys = []
    for pause_s in (60.0, 240.0):
        (request,) = tick()
        keys.append(request.run_key)
        end(request, well=False)
        assert tick() == []
        later(pause_s)
    (request,) = tick()
    assert len({*keys, request.run_key}) == 3, "Dagster runs no key twice"


def test_a_build_that_the_gate_refused_waits_until_something_changes(
    site: Path, tick: Tick, end: Callable[..., str], later: Callable[[float], None]
) -> None:
    (request,) = tick()
    refused = {**request.tags, REFUSED_TAG: gate_digest(open_project(site, os.environ))}
    end(dg.RunRequest(partition_key=request.partition_key, tags=refused), well=False)
    later(1e6)
    assert tick() == []
    (site / "golden-queries.toml").write_text('[[query]]\nquery = "boat"\nmust_not = "/nowhere"\n')
    assert len(tick()) == 1


def test_each_branch_is_watched_by_its_commit(
    site: Path, tick: Tick, end: Callable[..., str], instance: dg.DagsterInstance
) -> None:
    """And a branch that went back to an old commit is indexed again."""
    (site / "searchsocket.toml").write_text('[source]\nmode = "git-branch"\n')
    git(site, "init", "-q", "-b", "main")
    first = commit(site, {"docs/a.md": "# A\n"})
    git(site, "branch", "feature/a")
    feature = sanitise_scope("feature/a")
    instance.add_dynamic_partitions(NAME, ["main", feature])
    requests = tick()
    assert [(request.partition_key, request.tags[BUILD_TAG]) for request in requests] == [
        (feature, first[:16]),
        ("main", first[:16]),
    ]
    for request in requests:
        end(request, well=True)
    assert tick() == []
    commit(site, {"docs/b.md": "# B\n"})
    (moved,) = tick()
    assert moved.partition_key == "main"
    end(moved, well=True)
    git(site, "reset", "-q", "--hard", first)
    (back,) = tick()
    assert back.tags[BUILD_TAG] == first[:16]


def test_a_run_of_somebody_else_over_a_build_is_one_of_it(
    site: Path, tick: Tick, instance: dg.DagsterInstance, run_graph: RunGraph
) -> None:
    """Of a command, or of the sensor for new branches: its queued runs are waited for."""
    job = dg.JobDefinition(name="index_site", graph_def=dg.GraphDefinition("index_site"))
    queued = instance.create_run_for_job(job, tags={PARTITION_TAG: "main", PROJECT_TAG: "harbour"})
    assert tick() == []
    instance.report_run_failed(queued)
    assert run_graph("main").success
    assert tick() == []
    (site / "build/new.html").write_text("<title>New</title><p>new</p>")
    assert len(tick()) == 1


def test_a_run_without_indexing_does_not_count_for_a_build(tick: Tick, instance: dg.DagsterInstance) -> None:
    """A plan, or a night's verification, after the build came hid it for ever."""
    for name in ("plan_scope", "verify_scope", "index_code"):
        job = dg.JobDefinition(name=name, graph_def=dg.GraphDefinition(name))
        run = instance.create_run_for_job(job, tags={PARTITION_TAG: "main", PROJECT_TAG: "harbour"})
        for event in (dg.DagsterEventType.RUN_START, dg.DagsterEventType.RUN_SUCCESS):
            instance.report_dagster_event(dg.DagsterEvent(event.value, name, message=event.value), run.run_id)
    assert len(tick()) == 1


def test_a_cursor_that_cannot_be_read_is_begun_anew(site: Path, instance: dg.DagsterInstance) -> None:
    for cursor in ("", "nonsense", "{}", json.dumps([1, []]), json.dumps({"main": "x"})):
        context = dg.build_sensor_context(instance=instance, cursor=cursor)
        tick_result = builds.new_builds(context, DagsterSite(str(site)))
        assert isinstance(tick_result, dg.SensorResult)
        assert tick_result.cursor


def test_watching_is_off_unless_the_settings_turn_it_on() -> None:
    for watches, status in ((False, "STOPPED"), (True, "RUNNING")):
        sensors = build_definitions(traits=ProjectTraits(watches_builds=watches)).sensors or ()
        (sensor,) = [entry for entry in sensors if entry.name == "new_builds"]
        assert sensor.default_status.value == status  # type: ignore[union-attr]
    assert os.environ.get("SEARCHSOCKET__BRANCHES__WATCH") is None
