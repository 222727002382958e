"""The cost of a service until its first answer, by store, with an empty folder, an address and credentials."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.small_site import write_site

_COMMAND = str(Path(sys.executable).with_name("searchsocket"))


@dataclass(frozen=True, slots=True)
class Start:
    ready_cpu_s: float
    answered_cpu_s: float  # with the first query, which loads the client and connects
    answered_mb: float


def measure(folder: Path, environ: Mapping[str, str]) -> Start:
    """Index a small site with its vectors there, push it, and serve it from an empty folder.

    Args:
        environ: Says which store, where it is and by what key.
    """
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "SEARCHSOCKET_CACHE": str(folder / "cache"),
        "SEARCHSOCKET__ARTIFACTS__URL": (folder / "objects").as_uri(),
        **environ,
    }
    site, empty = write_site(folder / "site"), folder / "empty"
    empty.mkdir()
    subprocess.run([_COMMAND, "index"], cwd=site, env=environ, check=True, stdout=subprocess.DEVNULL)
    reading = {key: value for key, value in environ.items() if key != "SEARCHSOCKET__VECTOR__PROVIDER"}
    with subprocess.Popen(
        [_COMMAND, "serve", "--port", "0"], cwd=empty, env=reading, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert address
            ready = _cpu_s(process.pid)
            answer = httpx.get(f"{address[0]}/api/search", params={"q": "bowline"}, timeout=120).json()
            assert answer["results"], answer
            assert not answer["meta"]["notes"], answer
            return Start(ready, _cpu_s(process.pid), resident_mb(process.pid))
        finally:
            process.terminate()


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    memory = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert memory
    return int(memory[1]) / 1024
