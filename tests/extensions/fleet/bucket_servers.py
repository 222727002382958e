"""Servers that speak the protocols of S3 and of Google's buckets: `make .venv-buckets/.ready` fetches them."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_PYTHON = Path(__file__).parents[3] / ".venv-buckets" / "bin" / "python"
_IS_THERE = _PYTHON.parents[1].joinpath(".ready").exists()
MISSING = "" if _IS_THERE else "no servers of buckets: `make .venv-buckets/.ready` fetches them"
SECRET = "opensesame-1234567890-opensesame"
BUCKET = "artifacts"
# Each ends with whoever holds the other end of its input.
_S3 = """
import sys
from threading import RLock
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer
one_write, put = RLock(), S3Response.put_object
def put_object(self):
    # moto looks at the condition and writes in two steps.
    with one_write:
        return put(self)
S3Response.put_object = put_object
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://%s:%s" % server.get_host_and_port(), flush=True)
sys.stdin.read()
"""
_GOOGLE = f"""
import sys
from functools import partial
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from threading import RLock, Thread
from gcp_storage_emulator.exceptions import NotFound
from gcp_storage_emulator.handlers import objects
from gcp_storage_emulator.server import HANDLERS, RequestHandler, create_server
one_write = RLock()
def insert(request, response, storage, *args, **kwargs):
    # The emulator ignores preconditions.
    with one_write:
        if expected := request.query.get("ifGenerationMatch"):
            try:
                stored = storage.get_file_obj(request.params["bucket_name"], request.query["name"][0])["generation"]
            except NotFound:
                stored = "0"
            if stored != expected[0]:
                response.status = HTTPStatus.PRECONDITION_FAILED
                return
        plain_insert(request, response, storage, *args, **kwargs)
plain_insert = objects.insert
for _, methods in HANDLERS:
    if methods.get("POST") is plain_insert:
        methods["POST"] = insert
storage = create_server("127.0.0.1", 0, in_memory=True, default_bucket={BUCKET!r})._storage
server = ThreadingHTTPServer(("127.0.0.1", 0), partial(RequestHandler, storage))
Thread(target=server.serve_forever, daemon=True).start()
print("http://%s:%s" % server.server_address, flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class Buckets:
    """A server that runs."""

    url: str  # of an empty bucket
    environ: Mapping[str, str]  # of whoever uses it
    end: Callable[[], None]


@contextmanager
def bucket_server(scheme: str) -> Iterator[Buckets]:
    """Args: scheme: `s3` or `gs`."""
    command = [str(_PYTHON), "-c", _S3 if scheme == "s3" else _GOOGLE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, env={"PATH": os.defpath}, **pipes) as process:  # type: ignore[call-overload]
        try:
            address = process.stdout.readline().strip()
            yield Buckets(f"{scheme}://{BUCKET}", _ENVIRONS[scheme](address), process.kill)
        finally:
            process.kill()


def _of_s3(address: str) -> dict[str, str]:
    httpx.put(f"{address}/{BUCKET}", timeout=60).raise_for_status()
    keys = {"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}
    return keys | {"AWS_ENDPOINT_URL": address}


def _of_google(address: str) -> dict[str, str]:
    """The client asks such a server without a key; of which kind a bucket is, it would ask Google itself."""
    return {"STORAGE_EMULATOR_HOST": address, "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}


_ENVIRONS: Mapping[str, Callable[[str], dict[str, str]]] = {"s3": _of_s3, "gs": _of_google}
