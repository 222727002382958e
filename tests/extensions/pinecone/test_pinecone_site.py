"""A whole site with its vectors in Pinecone: moved there, answered from there, also on a machine with an empty disk."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.relevance.example_site import SITE
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service
from tests.processes import answer, command, served
from tests.site_queries import queries

KEY = "pcsk_opensesame-1234567890"


@dataclass(frozen=True)
class Moved:
    """A project that was moved to Pinecone."""

    service: Service
    folder: Path
    reading: dict[str, str]  # the environment of whoever reads the index
    writing: dict[str, str]

    def index(self, **more: str) -> tuple[dict[str, Any], dict[str, int]]:
        """What a run says, and the rows that the service counted while it went."""
        self.service.rows.clear()
        summary = command(self.folder, "index", **self.writing, **more)
        return summary, {verb: rows for verb, rows in self.service.rows.items() if rows}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example site, indexed with its vectors in the folder."""
    shop = tmp_path_factory.mktemp("shop")
    shutil.copytree(SITE / "build", shop / "local" / "build")
    (shop / "local" / "searchsocket.toml").write_text('[project]\nid = "handbook"\n')
    command(shop / "local", "index", SEARCHSOCKET_CACHE=str(shop / "cache"))
    return shop


@pytest.fixture(scope="module", params=["documents", pytest.param("legacy", marks=pytest.mark.long)])
def moved(request: pytest.FixtureRequest, shop: Path) -> Iterator[Moved]:
    """The same project in another folder, with its vectors in Pinecone and pushed."""
    folder = shop / request.param
    shutil.copytree(shop / "local", folder)
    with running(Service(key=KEY, max_lag=3)) as service:
        if request.param == "legacy":
            service.add_legacy("handbook", 256)
        reading = {
            "SEARCHSOCKET__VECTOR__PROVIDER": "pinecone",
            "PINECONE_API_KEY": KEY,
            "PINECONE_CONTROLLER_HOST": service.base_url,
            "SEARCHSOCKET__ARTIFACTS__URL": (shop / f"{request.param}-objects").as_uri(),
        }
        writing = {"SEARCHSOCKET_CACHE": str(shop / "cache")}
        moved = Moved(service, folder, reading, reading | writing)
        summary, written = moved.index()
        assert summary["embeddings"]["created"] == 0, summary
        assert written == {"upsert": summary["records"]["upserted"] + 1}
        assert not list((folder / ".searchsocket").rglob("*/packs/*.f32"))
        yield moved


@pytest.fixture(scope="module")
def local(shop: Path) -> Iterator[httpx.Client]:
    with served(shop / "local") as client:
        yield client


@pytest.mark.long
def test_an_empty_disk_with_a_key_answers_as_the_local_store(moved: Moved, shop: Path, local: httpx.Client) -> None:
    empty = shop / f"empty-{moved.folder.name}"
    empty.mkdir()
    asked = queries() if moved.folder.name == "documents" else queries()[::4]
    with served(empty, **moved.reading) as remote:
        for number, query in enumerate(asked):
            narrower = [{}, {"pathPrefix": "/docs/recipes"}, {"tag": "guide"}][number % 3]
            wanted, found = (answer(side, "/api/search", q=query, topK=10, **narrower) for side in (local, remote))
            assert (wanted[0], found[0]) == (200, 200), (wanted, found)
            assert _without_name(found[1]["results"]) == _without_name(wanted[1]["results"]), query
        for path in ("/api/related", "/api/pages"):
            wanted, found = (answer(side, path, url="/docs/recipes/milvus") for side in (local, remote))
            assert (wanted[0], _without_name(found[1])) == (200, _without_name(wanted[1]))
    written = [path for path in empty.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert written == []


# Of documents, `test_pinecone_commands` tests it.
@pytest.mark.parametrize("moved", [pytest.param("legacy", marks=pytest.mark.long)], indirect=True)
def test_a_run_writes_what_changed(moved: Moved, shop: Path) -> None:
    """Rows that the service counted: records that begin, records that end, and the marks around them."""
    assert moved.index()[1] == {}
    page = moved.folder / "build" / "docs" / "recipes" / "milvus.html"
    page.write_text(page.read_text().replace("outgrow", "have outgrown"))
    summary, written = moved.index()
    assert summary["records"]["upserted"] == 1
    assert written == {"upsert": 1 + 2, "update": 1}
    summary, written = moved.index(SEARCHSOCKET__SCOPE__FIXED="preview")
    assert summary["embeddings"]["created"] == 0
    assert written == {"upsert": summary["records"]["upserted"] + 1}
    shutil.copy(shop / "local" / "build" / "docs" / "recipes" / "milvus.html", page)
    assert moved.index()[1] == {"upsert": 1 + 2, "update": 1}


@pytest.mark.parametrize("moved", ["documents"], indirect=True)
def test_a_key_that_is_refused_is_said_so_and_never_told(moved: Moved) -> None:
    wrong = moved.writing | {"PINECONE_API_KEY": "pcsk_wrong-0987654321"}
    said = command(
        moved.folder, "search", "install", status=1, **wrong, SEARCHSOCKET__SEARCH__ON_BACKEND_FAILURE="error"
    )
    assert said["error"]["code"] == "VECTOR_BACKEND_REFUSED"
    assert "PINECONE_API_KEY" in said["error"]["message"]
    by_words = command(moved.folder, "search", "install", **wrong)
    assert by_words["results"]
    refused = command(moved.folder, "index", "--force", status=1, **wrong)
    texts = [
        str(said),
        str(by_words),
        str(refused),
        *(path.read_text("latin-1") for path in moved.folder.rglob("*") if path.is_file()),
    ]
    assert not any("opensesame" in text or "pcsk_wrong" in text for text in texts)


@pytest.mark.parametrize("moved", ["documents"], indirect=True)
def test_the_key_is_asked_for(moved: Moved) -> None:
    without = {name: value for name, value in moved.writing.items() if name != "PINECONE_API_KEY"}
    said = command(moved.folder, "search", "x", status=3, **without)
    assert said["error"]["code"] == "CONFIG_MISSING"
    assert "PINECONE_API_KEY" in said["error"]["message"]


def _without_name(value: Any) -> Any:
    """Two projects publish two generations."""
    if isinstance(value, dict):
        return {key: _without_name(inner) for key, inner in value.items() if key not in ("generation", "publishedAt")}
    return [_without_name(inner) for inner in value] if isinstance(value, list) else value
