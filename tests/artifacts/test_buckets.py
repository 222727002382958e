"""Artefacts in a bucket, over the protocols of S3 and of Google as their own clients speak them."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from small_site import write_page, write_site

from searchsocket.errors import ArtifactsUnavailable
from searchsocket.stores.artifacts.objects import open_objects
from searchsocket.stores.artifacts.objects.base import Objects
from tests.artifacts.bucket_servers import MISSING, SECRET, Buckets, bucket_server
from tests.artifacts.processes import answer, command, served
from tests.contract.objects import WritingContract

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
SCHEMES = ("s3", "gs")


@pytest.fixture(scope="module", params=SCHEMES)
def running(request: pytest.FixtureRequest) -> Iterator[Buckets]:
    with bucket_server(request.param) as server:
        yield server


@pytest.fixture
def buckets(running: Buckets, monkeypatch: pytest.MonkeyPatch) -> Buckets:
    for name, value in running.environ.items():
        monkeypatch.setenv(name, value)
    return running


class TestBuckets(WritingContract):
    @pytest.fixture
    def objects(self, buckets: Buckets) -> Objects:
        return open_objects(f"{buckets.url}/{uuid4().hex}")


def test_a_bucket_that_is_not_there_is_told_without_the_key(buckets: Buckets) -> None:
    url = buckets.url.partition(":")[0] + "://nobodys/prefix"
    with pytest.raises(ArtifactsUnavailable) as away:
        open_objects(url).put("a", b"")
    assert url in str(away.value)
    assert SECRET not in f"{away.value} {away.value.__cause__!r}"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_empty_disk_answers_turns_to_what_is_new_and_goes_on_without_the_bucket(scheme: str, tmp_path: Path) -> None:
    root, reader = write_site(tmp_path / "indexer"), tmp_path / "reader"
    reader.mkdir()
    with bucket_server(scheme) as server:
        environ = {**server.environ, "SEARCHSOCKET__ARTIFACTS__URL": f"{server.url}/site"}
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
            if scheme == "gs":
                return  # its client tries again for half a minute before it says that nobody is there
            server.end()
            while not (health := answer(client, "/api/health")[1])["scopes"][0].get("degraded"):
                assert health["ready"]
            assert "cannot be downloaded" in health["scopes"][0]["degraded"]
            assert answer(client, "/api/search", q="bowline")[1]["meta"]["generation"] == second
            assert SECRET not in client.get("/openapi.json").text + str(health)
