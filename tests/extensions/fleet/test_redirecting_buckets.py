"""An object store that sends its clients elsewhere, such as to the metadata service of a machine, or never answers."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from searchsocket.errors import ArtifactsUnavailable
from searchsocket.extensions.fleet.objects import bucket
from searchsocket.extensions.fleet.objects.base import read
from searchsocket.extensions.fleet.objects.bucket import BucketObjects

CREDENTIALS = {
    "s3": {
        "AWS_ACCESS_KEY_ID": "tester",
        "AWS_SECRET_ACCESS_KEY": "opensesame-1234567890",
        "AWS_DEFAULT_REGION": "us-east-1",
    },
    "gs": {"GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"},
}
ENDPOINT = {"s3": "AWS_ENDPOINT_URL", "gs": "STORAGE_EMULATOR_HOST"}


@contextmanager
def server(status: int, location: str = "") -> Iterator[tuple[str, list[str]]]:
    """A server that answers everything alike; its address, and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            paths.append(self.path)
            self.send_response(status)
            if location:
                self.send_header("Location", f"{location}/secret")
                self.send_header("x-amz-bucket-region", "evil.invalid/")
            body = b"" if location else b"secret of another host"
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_POST = answer

        def log_message(self, format: str, *arguments: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}", paths
        listening.shutdown()


@pytest.mark.parametrize("status", [301, 302, 307])
@pytest.mark.parametrize("scheme", ["s3", "gs"])
def test_a_client_does_not_follow(monkeypatch: pytest.MonkeyPatch, scheme: str, status: int) -> None:
    """Its answers would be read as ours, and a local service would get requests in our name."""
    with server(200) as (elsewhere, reached), server(status, elsewhere) as (address, requests):
        for name, value in {**CREDENTIALS[scheme], ENDPOINT[scheme]: address}.items():
            monkeypatch.setenv(name, value)
        objects = BucketObjects(f"{scheme}://artifacts", scheme)
        for work in (
            lambda: read(objects, "scopes/main.json", 10_000),
            lambda: objects.size("scopes/main.json"),
            lambda: objects.put("scopes/main.json", b"{}"),
        ):
            with pytest.raises(ArtifactsUnavailable):
                work()
        assert requests
        assert reached == []


def test_a_bucket_that_never_answers_is_an_error_after_six_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of its clients repeat a request, one inside the other: 25 times, of a minute each."""
    monkeypatch.setattr(bucket, "_TIMEOUT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for name, value in {**CREDENTIALS["s3"], ENDPOINT["s3"]: address}.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(ArtifactsUnavailable):
            read(BucketObjects("s3://artifacts", "s3"), "scopes/main.json", 10_000)
        silent.setblocking(False)
        requests = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                requests += 1
    assert 1 <= requests <= 6
