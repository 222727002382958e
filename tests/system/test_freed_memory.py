"""Memory that was freed goes back to the system, so that a run never holds what two of its steps took."""

import subprocess
import sys
from unittest.mock import patch

import pytest

from searchsocket.system.this_process import return_freed_memory

PROGRAM = """
import ctypes
from pathlib import Path
from searchsocket.system.this_process import return_freed_memory

def held():
    return int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0]) // 1024

if not hasattr(ctypes.CDLL(None), "malloc_trim"):
    raise SystemExit("another C library")
blocks = [bytearray(4000) for _ in range(20_000)]
taken, last = held(), blocks[-1]
del blocks
freed = held()
return_freed_memory()
print(taken, freed, held())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_freed_memory_returns_to_the_system() -> None:
    """The last block is still held, and glibc alone gives back only what lies above it."""
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    if "another C library" in result.stderr:
        pytest.skip("glibc alone keeps what was freed")
    used_bytes, freed, after = map(int, result.stdout.split())
    assert freed > used_bytes - 10
    assert after < used_bytes - 60


BLOCKS = """
import ctypes
from pathlib import Path
from searchsocket.system.this_process import return_freed_memory

def held():
    return int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0]) // 1024

if not hasattr(ctypes.CDLL(None), "mallopt"):
    raise SystemExit("another C library")
return_freed_memory()
before, stays = held(), []
for _ in range(3):  # glibc learns from the first
    blocks = [bytearray(1_000_000) for _ in range(60)]
    for block in blocks:
        block[::1000] = b"x" * 1000
    stays += blocks[::10]
    taken = held()
    del blocks, block
print(before, taken, held())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_large_blocks_go_back_by_themselves() -> None:
    """Some between them are still held."""
    result = subprocess.run([sys.executable, "-c", BLOCKS], capture_output=True, text=True, check=False)
    if "another C library" in result.stderr:
        pytest.skip("glibc alone keeps what was freed")
    before, used_bytes, after = map(int, result.stdout.split())
    assert used_bytes > before + 50
    assert after < before + 30


@pytest.mark.parametrize("error", [OSError("no library"), TypeError("no name"), AttributeError("malloc_trim")])
def test_a_c_library_without_trim_is_ignored(error: Exception) -> None:
    with patch("searchsocket.system.this_process.ctypes.CDLL", side_effect=error):
        return_freed_memory()
