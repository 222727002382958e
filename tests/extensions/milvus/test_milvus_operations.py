"""Maintenance of vectors in Milvus by the commands: what is lost or somebody else's is named and written again."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from pymilvus import DataType, MilvusClient
from small_site import write_site

from searchsocket.cli.main import cli
from searchsocket.pipeline.run.checks import CHECKS, outcome_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.project.project import open_project

COLLECTION, REGISTRY = "harbour_chunks_256", "harbour_chunks_registry"
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two generations, its cache, and a Milvus Lite that holds their vectors; to be copied."""
    folder = tmp_path_factory.mktemp("published")
    write_site(folder / "harbour")
    with pytest.MonkeyPatch.context() as patch:
        run = runner(folder, patch)
        run("index")
        run("index", "--scope", "preview")
        page = next((folder / "harbour").rglob("*.html"))
        page.write_text(page.read_text().replace("</main>", "<p>The new lantern is lit at dusk.</p></main>"))
        run("index")
    return folder


@pytest.fixture
def folder(published: Path, tmp_path: Path) -> Path:
    return shutil.copytree(published, tmp_path / "copy")


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return runner(folder, monkeypatch)


@pytest.fixture
def client(folder: Path) -> Iterator[MilvusClient]:
    client = MilvusClient(str(folder / "vectors.db"))
    client.load_collection(COLLECTION)
    yield client
    client.close()


def runner(folder: Path, patch: pytest.MonkeyPatch) -> Run:
    """Runs a command over the project with Milvus Lite; what it prints as JSON."""
    patch.setenv("SEARCHSOCKET_CACHE", str(folder / "cache"))
    patch.setenv("SEARCHSOCKET__VECTOR__PROVIDER", "milvus")
    patch.setenv("MILVUS_URI", str(folder / "vectors.db"))

    def invoke(*arguments: str, status: int | None = 0, project: str = "harbour") -> Any:
        done = CliRunner().invoke(cli, [*arguments, "--json", "--project", str(folder / project)])
        assert status in (None, done.exit_code), done.output
        return json.loads(done.stdout or done.stderr.splitlines()[-1])

    return invoke


def broken(run: Run, project: str = "harbour") -> list[dict[str, str]]:
    return [line for line in run("doctor", project=project, status=None)["checks"] if not line["ok"]]


def notes(answer: Any) -> list[str]:
    return [note["code"] for note in answer["meta"]["notes"]]


def is_fixed(run: Run) -> None:
    """One `--resync`, which embeds nothing, and all is well, also after a rollback."""
    summary = run("index", "--resync")
    assert (summary["embeddings"]["created"], summary["records"]["upserted"]) == (0, 0)
    assert any("rows were written to the vector store again" in line for line in summary["warnings"])
    assert broken(run) == []
    assert notes(run("search", "lantern")) == []
    run("rollback")
    assert broken(run) == []
    assert notes(run("search", "lantern")) == []


def test_counts_there_stand_beside_those_here(run: Run) -> None:
    status = run("status")
    live = {scope["scope"]: scope for scope in status["scopes"]}
    assert status["remote"]["error"] is None
    for there in status["remote"]["scopes"]:
        here = live.pop(there["scope"])
        assert there["rows"] == there["records"] == here["records"]
        assert there["generations"][-1] == here["generation"]
    assert live == {}
    assert broken(run) == []


def test_a_collection_that_is_gone(run: Run, client: MilvusClient) -> None:
    run("clean", "--scope", "preview", "--remote", "--yes")
    client.drop_collection(COLLECTION)
    answer = run("search", "lantern")
    assert answer["results"]
    assert notes(answer) == ["VECTOR_BACKEND_UNAVAILABLE"]
    found = broken(run)
    assert any("does not exist" in line["detail"] for line in found)
    assert all("--resync --scope main" in line["fix"] for line in found)
    is_fixed(run)


def checked(folder: Path) -> CheckOutcome:
    """What Dagster's check of the vectors finds, as its page shows it."""
    project = open_project(folder / "harbour", os.environ)
    run = ScopeRun(project, project.scope_named("main"), "a run", environ=os.environ)
    return outcome_of(CHECKS["vectors_elsewhere"], run)


def test_rows_that_are_gone_spoilt_or_misdated(run: Run, folder: Path, client: MilvusClient) -> None:
    assert checked(folder).passed
    rows = client.query(COLLECTION, filter='scope == "main" and died == "~"', output_fields=["*"], limit=100)
    rows = [dict(row) for row in rows if row["record_id"]]
    client.delete(COLLECTION, filter=f'row_key == "{rows[0]["row_key"]}"')
    other = np.roll(np.asarray(rows[1]["embedding"], np.float32), 1)
    client.upsert(COLLECTION, [
        rows[1] | {"embedding": other},
        rows[2] | {"tags": ["never"]},
        rows[4] | {"born": "20000101T000000Z-aaaaaa"},  # no answer has a row from before its record was written
    ])  # fmt: skip
    records = next(each for each in run("status")["scopes"] if each["scope"] == "main")["records"]
    [line] = broken(run)
    for words in (line["detail"] + line["fix"], checked(folder).message):
        assert f"scope 'main': {records - 1} of {records} rows" in words
        assert "--resync --scope main" in words
    assert not checked(folder).passed
    is_fixed(run)
    for spoilt in ('ARRAY_CONTAINS(tags, "never")', 'born == "20000101T000000Z-aaaaaa"'):
        assert client.query(COLLECTION, filter=spoilt, output_fields=["row_key"], consistency_level="Strong") == []
    assert checked(folder).passed


def test_rows_of_a_scope_that_nobody_knows(run: Run, client: MilvusClient) -> None:
    [row] = client.query(COLLECTION, filter='scope == "main" and died == "~"', output_fields=["*"], limit=1)
    client.upsert(COLLECTION, [dict(row) | {"row_key": "e" * 64, "scope": "gone-branch"}])
    [line] = broken(run)
    assert "'gone-branch'" in line["detail"]
    assert "clean --scope gone-branch --remote" in line["fix"]
    run("clean", "--scope", "gone-branch", "--remote", "--yes")
    assert broken(run) == []


def test_a_generation_that_lost_when_its_rows_were_written_is_made_anew_without_an_embedding(
    run: Run, folder: Path
) -> None:
    """Without that, a row that has ended would count; one of an older version has no such file either."""
    live = next(each for each in run("status")["scopes"] if each["scope"] == "main")["generation"]
    [born] = folder.glob(f"harbour/.searchsocket/index/main/{live}/born.i64")
    born.unlink()
    assert any("born.i64 is missing" in line["detail"] for line in broken(run))
    assert run("index")["embeddings"]["created"] == 0
    assert broken(run) == []
    assert notes(run("search", "lantern")) == []


def test_a_collection_of_another_dimension(run: Run, client: MilvusClient) -> None:
    run("clean", "--scope", "preview", "--remote", "--yes")
    put_in_place(client, 7, ("record_id", "born", "died", "scope"))
    assert any("no field 'directories'" in line["detail"] for line in broken(run))
    is_fixed(run)


def test_a_collection_of_somebody_else_is_not_touched(run: Run, client: MilvusClient) -> None:
    put_in_place(client, 256, ("name",))
    client.insert(COLLECTION, [{"row_key": "theirs", "name": "x", "embedding": [0.0] * 256}])
    error = run("index", "--resync", status=1)["error"]
    assert (error["code"], "vector.milvus.collection" in error["message"]) == ("VECTOR_BACKEND_REFUSED", True)
    assert run("index", "--force", status=None)["error"]["code"].startswith("VECTOR_BACKEND_")
    assert [row["name"] for row in client.query(COLLECTION, filter='row_key == "theirs"', output_fields=["name"])] == [
        "x"
    ]


def put_in_place(client: MilvusClient, dimensions: int, fields: tuple[str, ...]) -> None:
    """A collection of another shape in the place of ours."""
    client.drop_collection(COLLECTION)
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("row_key", DataType.VARCHAR, max_length=64, is_primary=True)
    for name in fields:
        schema.add_field(name, DataType.VARCHAR, max_length=64)
    schema.add_field("embedding", DataType.FLOAT_VECTOR, dim=dimensions)
    index = MilvusClient.prepare_index_params()
    index.add_index("embedding", index_type="FLAT", metric_type="IP")
    client.create_collection(COLLECTION, schema=schema, index_params=index)


def test_another_project_is_refused_and_nothing_of_the_first_is_touched(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have a scope `main`, so each would delete the other's rows."""
    write_site(folder / "quay")
    (folder / "quay" / "package.json").write_text('{"name": "quay"}')
    monkeypatch.setenv("SEARCHSOCKET__VECTOR__MILVUS__COLLECTION", "harbour_chunks")
    for command in (["index"], ["index", "--resync"], ["clean", "--scope", "main", "--remote", "--yes"]):
        assert run(*command, project="quay", status=2)["error"]["code"] == "PROJECT_MISMATCH"
    refused = run("clean", "--all", "--remote", "--confirm", "quay", project="quay", status=2)
    assert refused["error"]["code"] == "PROJECT_MISMATCH"
    assert any("project 'harbour'" in line["detail"] for line in broken(run, "quay"))
    monkeypatch.delenv("SEARCHSOCKET__VECTOR__MILVUS__COLLECTION")
    assert broken(run) == []


def test_clean_leaves_what_is_elsewhere_unless_it_is_told(run: Run, client: MilvusClient) -> None:
    before = client.query(COLLECTION, filter="", output_fields=["count(*)"])[0]["count(*)"]
    run("clean", "--scope", "main", "--yes")
    assert client.query(COLLECTION, filter="", output_fields=["count(*)"])[0]["count(*)"] == before
    assert [each["rows"] is None for each in run("status")["remote"]["scopes"] if each["scope"] == "main"] == [True]
    run("clean", "--scope", "main", "--remote", "--yes")
    assert {row["scope"] for row in client.query(COLLECTION, filter='scope != ""', output_fields=["scope"])} == {
        "preview"
    }
    assert run("index")["embeddings"]["created"] == 0
    assert broken(run) == []


def test_clean_of_everything_asks_for_the_name(run: Run, client: MilvusClient) -> None:
    for arguments in (["--yes"], ["--confirm", "habour"]):
        assert run("clean", "--all", "--remote", *arguments, status=2)["error"]["code"]
    assert COLLECTION in client.list_collections()
    gone = run("clean", "--all", "--remote", "--confirm", "harbour")["deleted"]
    assert {COLLECTION, REGISTRY} <= set(gone)
    assert client.list_collections() == []
    assert run("index")["embeddings"]["created"] == 0
