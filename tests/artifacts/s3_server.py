"""A server that speaks the protocol of S3, in an environment of its own: `make .venv-s3/.ready` fetches it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_PYTHON = Path(__file__).parents[2] / ".venv-s3" / "bin" / "python"
MISSING = "" if _PYTHON.parents[1].joinpath(".ready").exists() else "no S3 server: `make .venv-s3/.ready` fetches one"
BUCKET = "s3://artifacts"
SECRET = "opensesame-1234567890-opensesame"
# It ends with whoever holds the other end of its input.
_SERVE = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://%s:%s" % server.get_host_and_port(), flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class S3:
    """A server that runs."""

    environ: dict[str, str]  # of whoever uses the bucket
    end: Callable[[], None]


@contextmanager
def s3_server() -> Iterator[S3]:
    """One with an empty bucket."""
    command = [str(_PYTHON), "-c", _SERVE]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, env={"PATH": os.defpath}, **pipes) as process:  # type: ignore[call-overload]
        try:
            url = process.stdout.readline().strip()
            httpx.put(f"{url}/{BUCKET.removeprefix('s3://')}", timeout=60).raise_for_status()
            keys = {"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}
            yield S3(keys | {"AWS_ENDPOINT_URL": url}, process.kill)
        finally:
            process.kill()
