"""Artefacts in a bucket, over the protocols of S3 and of Google as their own clients speak them."""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from uuid import uuid4

import pytest
from small_site import write_page, write_site

from searchsocket.errors import ArtifactsUnavailable
from searchsocket.extensions.fleet.documents import Pointer, Writer, pointer_name, read_document
from searchsocket.extensions.fleet.lease import ScopeLease, holding
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects
from searchsocket.types import Scope
from tests.extensions.fleet.bucket_servers import MISSING, SECRET, Buckets, bucket_server
from tests.extensions.fleet.objects_contract import WritingContract
from tests.processes import COMMAND, answer, command, environment, served

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)
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


def test_machines_that_publish_at_once_lose_no_page(buckets: Buckets) -> None:
    """The lease over the real protocols; `test_lease_fuzz.py` tries what time allows here only once."""
    url, scope = f"{buckets.url}/{uuid4().hex}", Scope("site", "main")
    contents: dict[str, set[str]] = {"": set()}
    steps: set[str] = set()

    def publish(machine: int) -> None:
        for run in range(3):
            page = f"{machine}-{run}"
            writer = Writer(host="host", pid=machine, run=page, disk=f"disk-{machine}")
            lease = ScopeLease(open_objects(url), scope, writer, clock=lambda: datetime.now(UTC), sleep=_briefly)
            with holding(lease, 60.0, lambda _: None):
                number = int(page.replace("-", ""))
                name = f"20261126T{number:06}Z-abcdef"
                contents[name] = contents[lease.pointer.generation] | {page}
                lease.check()
                lease.publish(name, f"{number:064}", "")
                steps.add(page)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(publish, range(1, 4)))
    pointer = read_document(open_objects(url), pointer_name("main"), Pointer)
    assert (len(steps), pointer.fence, pointer.lease) == (9, 9, None)
    assert contents[pointer.generation] == steps


def _briefly(_: float) -> None:
    sleep(0.02)


@pytest.mark.long
def test_of_two_processes_one_publishes_and_the_other_one_says_why_not(tmp_path: Path) -> None:
    """Separate disks, one bucket: what the loser was told is what readers get."""
    roots = [write_site(tmp_path / name) for name in ("here", "there")]
    with bucket_server("s3") as server:
        environ = {**server.environ, "SEARCHSOCKET__ARTIFACTS__URL": f"{server.url}/site"}
        first = command(roots[0], "index", **environ)
        second = command(roots[1], "index", **environ)
        assert second["generation"] == first["generation"]  # nothing to change: it continues what is published
        for root in roots:
            write_page(root, f"docs/{root.name}", root.name, f"A zebra was {root.name}.")
        ended = [
            subprocess.Popen(
                [COMMAND, "index", "--json"],
                cwd=root,
                env=environment(tmp_path / f"{root.name}-home", **environ),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for root in roots
        ]
        outputs = [process.communicate() for process in ended]
        assert sorted(process.returncode == 0 for process in ended) == [False, True], outputs
        winner = roots[[process.returncode for process in ended].index(0)]
        (message,) = (output for process, output in zip(ended, outputs, strict=True) if process.returncode)
        assert "SCOPE_LOCKED" in str(message) or "PUBLISHED_ELSEWHERE" in str(message), message
        reader = tmp_path / "reader"
        reader.mkdir()
        pulled = command(reader, "artifacts", "pull", **environ)
        assert pulled["generation"] == json.loads(outputs[roots.index(winner)][0])["generation"]
        loser = next(root for root in roots if root != winner)
        assert "PUBLISHED_ELSEWHERE" in json.dumps(command(loser, "index", status=4, **environ))


@pytest.mark.parametrize("scheme", ["s3", pytest.param("gs", marks=pytest.mark.long)])
def test_an_empty_disk_answers_turns_to_what_is_new_and_goes_on_without_the_bucket(scheme: str, tmp_path: Path) -> None:
    root, reader = write_site(tmp_path / "indexer"), tmp_path / "reader"
    reader.mkdir()
    with bucket_server(scheme) as server:
        environ = {**server.environ, "SEARCHSOCKET__ARTIFACTS__URL": f"{server.url}/site"}
        first = command(root, "index", **environ)["generation"]
        with served(reader, SEARCHSOCKET__ARTIFACTS__POLL_SECONDS="1", **environ) as client:
            status, result = answer(client, "/api/search", q="bowline")
            assert (status, result["meta"]["generation"]) == (200, first)
            assert "bowline" in result["results"][0]["snippet"]
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
