"""Children that lead a group of processes end with all of it."""

import os
import select
import subprocess
import sys

import pytest

from searchsocket.system.bound import stop_group

# Starts one that is deaf to what ends itself, and says its id.
LEADER = """
import os, signal, subprocess, sys
deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"
child = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
signal.pause()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such groups")
def test_nothing_of_a_group_outlives_its_leader() -> None:
    """Dagster's code server did, where it took longer than its leader to end."""
    leader = subprocess.Popen(
        [sys.executable, "-c", LEADER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert leader.stdout is not None
    watched = os.pidfd_open(int(leader.stdout.readline()))
    try:
        stop_group(leader)
        assert leader.returncode is not None
        assert select.select([watched], [], [], 0)[0], "it goes on"
    finally:
        os.close(watched)
