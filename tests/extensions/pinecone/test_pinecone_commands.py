"""Pinecone from the shell, from the first run to the last: what each command says, and what the service counted."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from small_site import write_page, write_site

from searchsocket.cli.main import cli
from tests.extensions.pinecone.server.rows import Row
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service

KEY = "pcsk_opensesame-1234567890"
INDEX, MAIN, PREVIEW = "harbour-256", "harbour:main", "harbour:preview"
WRITES, READS = ("upsert", "update", "delete"), ("search", "query")
Run = Callable[..., Any]


@pytest.fixture
def service() -> Iterator[Service]:
    with running(Service(key=KEY, max_lag=1)) as service:
        yield service


@pytest.fixture
def run(tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command over the small site; what it prints as JSON."""
    write_site(tmp_path)
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SEARCHSOCKET__VECTOR__PROVIDER", "pinecone")
    monkeypatch.setenv("PINECONE_API_KEY", KEY)
    monkeypatch.setenv("PINECONE_CONTROLLER_HOST", service.base_url)

    def invoke(*arguments: str, status: int | None = 0) -> Any:
        done = CliRunner().invoke(cli, [*arguments, "--json", "--project", str(tmp_path)])
        assert status in (None, done.exit_code), done.output
        assert KEY not in done.output
        return json.loads(done.stdout or done.stderr.splitlines()[-1])

    return invoke


def counted(service: Service, run: Run, *arguments: str) -> tuple[Any, dict[str, int], int, int]:
    """What a command says; by the service's own counters the rows written by verb, and requests that write and read."""
    service.rows.clear()
    service.requests.clear()
    said = run(*arguments)
    written = {verb: rows for verb, rows in service.rows.items() if rows}
    return said, written, *(sum(service.requests[verb] for verb in verbs) for verbs in (WRITES, READS))  # type: ignore[return-value]


def broken(run: Run) -> str:
    return json.dumps([line for line in run("doctor", status=None)["checks"] if not line["ok"]])


def rows(service: Service, namespace: str) -> dict[str, Row]:
    found: dict[str, Row] = service.indexes[INDEX].namespaces[namespace].searches.rows
    return found


def test_a_plan_without_the_key_reads_what_is_known_here(
    run: Run, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its numbers are those of the run that follows, and the service hears nothing of it."""
    published = run("index")
    write_page(tmp_path, "docs/ropes", "Ropes", "A clove hitch holds a fender to the rail.")
    with monkeypatch.context() as patch:
        patch.delenv("PINECONE_API_KEY")
        service.requests.clear()
        plan = run("index", "--dry-run")
        compared = run("index", "--dry-run", "--force")
    assert not service.requests
    assert any(f"its records are those of generation {published['generation']}" in each for each in plan["warnings"])
    assert plan["records"] == run("index")["records"]
    assert compared["records"] == plan["records"]


def test_a_run_writes_what_changed_and_the_commands_agree_with_the_service(
    run: Run, service: Service, tmp_path: Path
) -> None:
    cold, written, writes, _ = counted(service, run, "index")
    records = cold["records"]["upserted"]
    assert written == {"upsert": records + 1}, "the records and the mark"
    assert writes <= 3

    unchanged, written, writes, _ = counted(service, run, "index")
    assert (written, writes, unchanged["records"]["upserted"]) == ({}, 0, 0)

    write_page(tmp_path, "docs/ropes", "Ropes", "A clove hitch holds a fender to the rail.")
    edit, written, _, _ = counted(service, run, "index")
    changed = edit["records"]["upserted"]
    assert 0 < changed <= 2
    assert written == {"upsert": changed + 2, "update": changed}, "the new rows, the ends of the old, two marks"

    scope, written, _, _ = counted(service, run, "index", "--scope", "preview")
    assert (written, scope["embeddings"]["created"]) == ({"upsert": records + 1}, 0)

    found = run("search", "clove hitch")
    assert (found["results"][0]["url"], found["meta"]["notes"]) == ("/docs/ropes", [])
    status = run("status")
    there = {each["scope"]: (each["rows"], each["records"]) for each in status["remote"]["scopes"]}
    assert there == {each["scope"]: (each["records"], each["records"]) for each in status["scopes"]}
    assert set(there) == {"main", "preview"}
    assert broken(run) == "[]"

    run("clean", "--scope", "preview", "--remote", "--yes")
    assert rows(service, PREVIEW) == {}
    assert len(rows(service, MAIN)) > records, "of another scope nothing is touched"
    assert [each["scope"] for each in run("status")["remote"]["scopes"]] == ["main"]


def test_what_is_wrong_there_is_named_and_fixed_without_an_embedding(
    run: Run, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index")
    monkeypatch.setenv("PINECONE_API_KEY", "pcsk_wrong-0987654321")
    refused = broken(run)
    assert "PINECONE_API_KEY" in refused
    assert "pcsk_wrong" not in refused
    monkeypatch.setenv("PINECONE_API_KEY", KEY)
    assert broken(run) == "[]"

    def spoil(rows: dict[str, Row]) -> None:
        del rows[next(key for key, row in rows.items() if "record" in row.metadata)]

    damage(service, spoil)
    records = run("status")["scopes"][0]["records"]
    assert f"scope 'main': {records - 1} of {records} rows" in broken(run)
    resync(run)

    def replace_one(rows: dict[str, Row]) -> None:
        spoil(rows)
        row = next(row for row in rows.values() if "record" in row.metadata)
        rows["f" * 40] = Row(np.roll(row.vector, 1), row.metadata | {"record": "foreign"})

    damage(service, replace_one)
    assert broken(run) == "[]", "it counts as many rows"
    resync(run)
    assert "f" * 40 not in rows(service, MAIN)

    damage(service, lambda rows: rows.clear())
    assert "--resync" in broken(run)
    by_words = run("search", "bowline")
    assert by_words["results"]
    assert [note["code"] for note in by_words["meta"]["notes"]] == ["VECTOR_BACKEND_UNAVAILABLE"]
    resync(run)

    del service.indexes[INDEX]
    assert "--resync" in broken(run)
    resync(run)


@pytest.mark.parametrize(("dimension", "metric", "what"), [(7, "cosine", "7 dim"), (256, "euclidean", "'euclidean'")])
def test_an_index_of_another_shape_is_refused_and_named(
    run: Run, service: Service, dimension: int, metric: str, what: str
) -> None:
    held = service.add_legacy(INDEX, dimension, metric)
    error = run("index", status=1)["error"]
    assert error["code"] == "VECTOR_BACKEND_REFUSED"
    assert what in error["message"]
    assert "`vector.pinecone.index`" in error["message"]
    assert "`vector.pinecone.index`" in broken(run)
    assert (service.indexes[INDEX], held.namespaces) == (held, {})


def damage(service: Service, change: Callable[[dict[str, Row]], None]) -> None:
    """What somebody else did to the rows of the scope, seen at once."""
    held = service.indexes[INDEX].namespaces[MAIN]
    for view in (held.searches, held.fetches):
        view.catch_up()
    held.tick()
    for view in (held.searches, held.fetches):
        change(view.rows)
        view._matrix = None


def resync(run: Run) -> None:
    summary = run("index", "--resync")
    assert (summary["embeddings"]["created"], summary["records"]["upserted"]) == (0, 0)
    assert broken(run) == "[]"
    assert run("search", "bowline")["meta"]["notes"] == []
