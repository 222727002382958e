"""The example package that reads an OpenAPI description, over this project's own description."""

import importlib.util
import json
from pathlib import Path

import pytest

from search_api.app import create_app
from searchsocket.extensions.records.record import read_record
from searchsocket.project.project import Project
from tests.processes import command

EXAMPLE = Path(__file__).parents[2] / "examples" / "openapi" / "searchsocket_openapi.py"


@pytest.fixture
def description(project: Project, tmp_path: Path) -> Path:
    """A project's folder with the description."""
    folder = tmp_path / "api"
    folder.mkdir()
    document = create_app(project, environ={}).openapi()
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def test_each_operation_is_a_page_that_queries_meet(description: Path) -> None:
    spec = importlib.util.spec_from_file_location("searchsocket_openapi", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    records = [*module.records(description, "main")]
    document = json.loads((description / "openapi.json").read_text())
    assert len(records) == sum(len(item) for item in document["paths"].values())
    lines = [json.dumps(record) for record in records]
    assert len({read_record(line).url for line in lines}) == len(records)

    (description / "records").mkdir()
    (description / "records" / "api.jsonl").write_text("\n".join(lines))
    (description / "searchsocket.toml").write_text(
        '[project]\nid = "api"\n[source]\nmode = "records"\n[source.records]\nfiles = ["records/*.jsonl"]\n'
        '[facets]\nmethod = "string"\n'
    )
    summary = command(description, "index")
    assert summary["pages"]["indexed"] == len(records)
    answer = command(description, "search", "related pages", "--filter", "method=GET")
    assert answer["results"][0]["source"]["file"] == "records/api.jsonl"
    assert "related" in answer["results"][0]["title"]
    again = command(description, "index")
    assert again["embeddings"]["created"] == again["records"]["upserted"] == 0
    shorter = lines[:-1]
    (description / "records" / "api.jsonl").write_text("\n".join(["", *reversed(shorter)]))
    moved = command(description, "index")
    assert (moved["embeddings"]["created"], moved["records"]["upserted"]) == (0, 0)
    assert moved["records"]["deleted"] > 0
