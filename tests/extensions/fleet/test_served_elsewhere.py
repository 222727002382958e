"""One machine indexes, another with an empty disk answers the same: real processes, and nothing but an address."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from bench.relevance.example_site import SITE, example_site
from tests.file_server import file_server
from tests.processes import answer, command, served
from tests.site_queries import queries

CONFIGURATION = """
[project]
id = "handbook"
[ranking]
synonyms = [["undoing", "rollback"], ["mdx", "markdown"]]
candidate_k = 30
[ranking.weights]
depth = 0.2
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the indexer's project and what it pushed."""
    shop = tmp_path_factory.mktemp("shop")
    shutil.copytree(SITE / "build", shop / "indexer" / "build")
    (shop / "indexer" / "searchsocket.toml").write_text(CONFIGURATION)
    command(shop / "indexer", "index", SEARCHSOCKET__ARTIFACTS__URL=(shop / "objects").as_uri())
    return shop


@pytest.fixture(scope="module")
def indexer(shop: Path) -> Iterator[httpx.Client]:
    with served(shop / "indexer") as client:
        yield client


@pytest.mark.parametrize("scheme", [pytest.param("file", marks=pytest.mark.long), "http"])
def test_the_address_alone_gives_equal_answers(shop: Path, indexer: httpx.Client, scheme: str) -> None:
    """Results, pages near a page, and bodies, for every page and dozens of queries."""
    empty = shop / f"reader-{scheme}"
    empty.mkdir()
    with file_server(shop / "objects") as url:
        address = url if scheme == "http" else (shop / "objects").as_uri()
        with served(empty, "--artifacts", address) as reader:
            query_sample = queries()
            assert len(query_sample) > 60
            for query in query_sample:
                expected = answer(indexer, "/api/search", q=query, topK=10)
                assert expected[0] == 200
                assert answer(reader, "/api/search", q=query, topK=10) == expected, query
            for document in example_site().documents:
                for path, asked_for in (("/api/pages" + document.id, {}), ("/api/related", {"url": document.id})):
                    expected = answer(indexer, path, **asked_for)
                    assert expected[0] == 200, expected
                    assert answer(reader, path, **asked_for) == expected, document.id
            assert answer(reader, "/api/health") == answer(indexer, "/api/health")
    assert not (empty / "searchsocket.toml").exists()


def urls(client: httpx.Client, query: str) -> list[str]:
    """The pages of the first five results."""
    return [hit["url"] for hit in answer(client, "/api/search", q=query, topK=5)[1]["results"]]


def test_settings_of_the_serving_machine_count_before_those_that_came(shop: Path, indexer: httpx.Client) -> None:
    reader = shop / "reader-own-settings"
    reader.mkdir()
    (reader / "searchsocket.toml").write_text("[ranking]\nsynonyms = []\n")
    with served(reader, SEARCHSOCKET__ARTIFACTS__URL=(shop / "objects").as_uri()) as client:
        assert urls(client, "undoing") != urls(indexer, "undoing")
        assert urls(client, "rollback") == urls(indexer, "rollback")


def test_another_project_is_refused(shop: Path) -> None:
    reader = shop / "reader-other-project"
    reader.mkdir()
    (reader / "searchsocket.toml").write_text('[project]\nid = "blog"\n')
    error = command(reader, "artifacts", "pull", "--url", (shop / "objects").as_uri(), status=2)
    assert error["error"]["code"] == "PROJECT_MISMATCH"


def test_a_dead_object_store_stops_no_reader_that_was_there_before(shop: Path) -> None:
    """It answers after a restart, too; one that never was there says what is missing."""
    reader = shop / "reader-restarted"
    reader.mkdir()
    with file_server(shop / "objects") as url:
        fetched = command(reader, "artifacts", "pull", "--url", url)
    assert (fetched["project"], fetched["scope"]) == ("handbook", "main")
    with served(reader, "--artifacts", url) as client:
        status, result = answer(client, "/api/search", q="rollback")
        assert (status, result["meta"]["generation"]) == (200, fetched["generation"])
        health = answer(client, "/api/health")[1]
        assert health["ready"]
        assert "cannot be downloaded" in health["scopes"][0]["degraded"]
    new = shop / "reader-too-late"
    new.mkdir()
    error = command(new, "artifacts", "pull", "--url", url, status=5)
    assert error["error"]["code"] == "ARTIFACTS_UNAVAILABLE"


def test_a_service_turns_to_a_new_generation_and_back(tmp_path: Path) -> None:
    """While it answers, and without a restart."""
    from small_site import write_page, write_site

    root = write_site(tmp_path / "indexer")
    environ = {"SEARCHSOCKET__ARTIFACTS__URL": (tmp_path / "objects").as_uri()}
    first = command(root, "index", **environ)["generation"]
    reader = tmp_path / "reader"
    reader.mkdir()
    with served(reader, SEARCHSOCKET__ARTIFACTS__POLL_SECONDS="1", **environ) as client:

        def wait_for(generation: str) -> str:
            while (live := answer(client, "/api/search", q="bowline"))[1]["meta"]["generation"] != generation:
                assert live[0] == 200
            return str(live[1]["results"][0]["snippet"])

        assert "bowline" in wait_for(first)
        write_page(root, "docs/ropes", "Ropes", "A bowline was here before the hitch.")
        second = command(root, "index", **environ)["generation"]
        assert "before the hitch" in wait_for(second)
        command(root, "rollback", **environ)
        assert "without slipping" in wait_for(first)


def test_a_run_that_cannot_push_fails_with_the_index_live_and_the_next_one_sends_it(tmp_path: Path) -> None:
    """Also when nothing changed; else a deployment would look done that nobody sees."""
    from small_site import write_site

    root = write_site(tmp_path / "indexer")
    (tmp_path / "objects").write_text("a file where the folder should be")
    environ = {"SEARCHSOCKET__ARTIFACTS__URL": (tmp_path / "objects").as_uri()}
    error = command(root, "index", status=5, **environ)["error"]
    assert error["code"] == "ARTIFACTS_UNAVAILABLE"
    assert "is live on this machine" in error["message"]
    assert command(root, "search", "bowline")["results"][0]["url"] == "/docs/ropes"
    (tmp_path / "objects").unlink()
    again = command(root, "index", **environ)
    assert again["records"] == {"upserted": 0, "deleted": 0}
    listed = command(root, "artifacts", "list", **environ)["generations"]
    assert [(item["generation"], item["live"]) for item in listed] == [(again["generation"], True)]
