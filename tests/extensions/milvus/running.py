"""The server of `make milvus`, started by the first test that needs it, for all processes of a run of tests."""

import os
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

_ROOT = Path(__file__).parents[3]
_PYTHON = _ROOT / ".venv-milvus" / "bin" / "python"
TOKEN = os.environ.get("MILVUS_TEST_TOKEN", "root:Milvus")
_GIVEN = os.environ.get("MILVUS_TEST_URI", "")
_IS_THERE = bool(_GIVEN) or (_ROOT / ".venv-milvus" / ".ready").exists()
MISSING = "" if _IS_THERE else "no Milvus server: `make .venv-milvus/.ready` fetches one, MILVUS_TEST_URI names another"
NEEDS_SERVER = [pytest.mark.milvus_server, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
ENGINES = {"lite": "lite", "server": pytest.param("server", marks=NEEDS_SERVER)}


def only(engine: str) -> pytest.MarkDecorator:
    """Of tests that one of the engines is tried with."""
    return pytest.mark.parametrize("milvus", [ENGINES[engine]], indirect=True, scope="session")


def server_uri(factory: pytest.TempPathFactory) -> str:
    """Of a server that ends with the tests."""
    if _GIVEN:
        return _GIVEN
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    folder = factory.getbasetemp().parent if is_worker else factory.getbasetemp()
    with FileLock(folder / "milvus.lock"):
        address = folder / "milvus.uri"
        if not address.exists():
            address.write_text(_started(os.getppid() if is_worker else os.getpid(), folder / "milvus.log"))
    if not (uri := address.read_text()):
        pytest.skip("the Milvus server does not run here: " + (folder / "milvus.log").read_text()[-500:])
    return uri


def _started(until_end_of: int, log: Path) -> str:
    """Its address; "" where it cannot be started here."""
    command = [_PYTHON, Path(__file__).with_name("server.py"), "--until-end-of", str(until_end_of)]
    with log.open("w") as errors:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert server.stdout is not None
    line = server.stdout.readline().strip()
    if line.startswith("http://"):
        return line
    with log.open("a") as errors:
        errors.write(line + server.stdout.read())
    return ""
