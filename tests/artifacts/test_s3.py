"""Artefacts in a bucket, over the protocol of S3 as its own clients speak it."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from small_site import write_page, write_site

from searchsocket.artifacts.objects import open_objects
from searchsocket.artifacts.objects.base import Objects
from searchsocket.errors import ArtifactsUnavailable
from tests.artifacts.processes import answer, command, served
from tests.artifacts.s3_server import BUCKET, MISSING, SECRET, s3_server
from tests.contract.objects import WritingContract

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]


@pytest.fixture(scope="module")
def environ() -> Iterator[dict[str, str]]:
    with s3_server() as server:
        yield server.environ


class TestS3(WritingContract):
    @pytest.fixture
    def objects(self, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Objects:
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        return open_objects(f"{BUCKET}/{uuid4().hex}")


def test_a_bucket_that_is_not_there_is_told_without_the_key(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ArtifactsUnavailable) as away:
        open_objects("s3://nobodys/prefix").put("a", b"")
    assert "s3://nobodys/prefix" in str(away.value)
    assert SECRET not in f"{away.value} {away.value.__cause__!r}"


def test_an_empty_disk_with_keys_answers_turns_to_what_is_new_and_goes_on_without_the_bucket(tmp_path: Path) -> None:
    root, reader = write_site(tmp_path / "indexer"), tmp_path / "reader"
    reader.mkdir()
    with s3_server() as server:
        environ = server.environ | {"SEARCHSOCKET__ARTIFACTS__URL": f"{BUCKET}/site"}
        first = command(root, "index", **environ)["generation"]
        with served(reader, SEARCHSOCKET__ARTIFACTS__POLL_SECONDS="1", **environ) as client:
            status, found = answer(client, "/api/search", q="bowline")
            assert (status, found["meta"]["generation"]) == (200, first)
            assert "bowline" in found["results"][0]["snippet"]
            assert answer(client, "/api/search", q="xylophone zeppelin")[1]["results"] == []
            for path in ("/api/pages/docs/ropes", "/api/related?url=/docs/ropes", "/api/health"):
                assert client.get(path).status_code == 200, path
            write_page(root, "docs/ropes", "Ropes", "A bowline was here before the hitch.")
            second = command(root, "index", **environ)["generation"]
            while (live := answer(client, "/api/search", q="bowline"))[1]["meta"]["generation"] != second:
                assert live[0] == 200
            assert "before the hitch" in live[1]["results"][0]["snippet"]
            server.end()
            while not (health := answer(client, "/api/health")[1])["scopes"][0].get("degraded"):
                assert health["ready"]
            assert "cannot be fetched" in health["scopes"][0]["degraded"]
            assert answer(client, "/api/search", q="bowline")[1]["meta"]["generation"] == second
            assert SECRET not in client.get("/openapi.json").text + str(health)
