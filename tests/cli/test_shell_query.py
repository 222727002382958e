"""`searchsocket search` opens the index in its own process."""

import json
import os
import subprocess
import sys
from pathlib import Path

from runner_types import RunCli

INDEXING = {"lxml", "dagster", "fastapi", "httpx", "pathspec", "rich"}


def test_a_query_loads_no_module_of_indexing_or_serving(indexed: Path) -> None:
    """Bar: 0.4 s of CPU, of which numpy and pydantic take half."""
    program = (
        "import sys; from searchsocket.cli.main import cli\n"
        "cli(['search', 'mooring rope', '--json'], standalone_mode=False)\n"
        f"print(sorted({INDEXING!r} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=indexed, capture_output=True, text=True, check=True)
    answer, loaded = result.stdout.splitlines()
    assert json.loads(answer)["results"][0]["title"] == "Ropes"
    assert loaded == "[]"


def test_a_query_writes_nothing_but_the_last_searches(indexed: Path, run: RunCli) -> None:
    state = indexed / ".searchsocket"
    before = {path.name for path in state.iterdir()}
    assert run("search", "rope", project=indexed).exit_code == 0
    assert {path.name for path in state.iterdir()} - before <= {"searched.jsonl"}


def test_a_damaged_file_is_found(indexed: Path, run: RunCli) -> None:
    """Also with its size and its time of modification as they were."""
    assert run("search", "rope", project=indexed).exit_code == 0
    (vectors,) = indexed.glob(".searchsocket/index/main/*/packs/*.f32")
    times, data = vectors.stat(), bytearray(vectors.read_bytes())
    data[len(data) // 2] ^= 1
    new = vectors.with_name("new")
    new.write_bytes(data)
    new.replace(vectors)
    os.utime(vectors, ns=(times.st_atime_ns, times.st_mtime_ns))
    damaged = run("search", "rope", "--json", project=indexed)
    assert json.loads(damaged.stdout)["error"]["code"] == "INDEX_CORRUPT"
