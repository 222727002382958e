"""Running time of this process, including the time before its first line of code."""

import os
import time
from contextlib import suppress
from pathlib import Path

_loaded = time.monotonic()


def process_age_s() -> float:
    """Seconds since the start of the process; if unknown, since this module was loaded."""
    with suppress(OSError, ValueError, IndexError, AttributeError):
        # The second field, the program's name, may contain anything; the start time is the 22nd.
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - _loaded
