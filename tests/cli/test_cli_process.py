"""The installed command in its own process: signals, pipes, and what it prints where."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytestmark = pytest.mark.dagster

COMMAND = Path(sys.executable).with_name("searchsocket")
# A stage that tells when it began and then waits, so that a signal finds the run under way.
STUCK = """
import signal, sys
from pathlib import Path
import searchsocket.pipeline.stages as stages
def stuck(run):
    Path({flag!r}).write_text("x")
    while True:
        signal.pause()
stages.STAGES = {{**stages.STAGES, "page_chunks": stuck}}
sys.argv = ["searchsocket", "index", "--project", {root!r}]
from searchsocket.cli.main import main
main()
"""


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    # A shell that runs tests in the background makes its children ignore SIGINT; users' terminals do not.
    code = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_cleanly(site: Path, tmp_path: Path, number: int, status: int) -> None:
    """Whoever handles it first: Dagster installs handlers of its own while steps run."""
    flag = tmp_path / "flag"
    os.mkfifo(flag)
    begun = os.open(flag, os.O_RDWR)
    process = start(sys.executable, "-c", STUCK.format(flag=str(flag), root=str(site)), cwd=tmp_path)
    assert select.select([begun], [], [], 120)[0], "the run did not begin"
    os.close(begun)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == status
    assert stdout == ""
    assert stderr.startswith("error [INTERRUPTED]: ")
    assert "Traceback" not in stderr
    again = subprocess.run([COMMAND, "index", "--json"], cwd=site, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["records"]["upserted"] > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_answers_until_it_is_told_to_stop(indexed_site: Path, number: int) -> None:
    """To be told is how a server ends, so that is no failure."""
    process = start(str(COMMAND), "serve", "--port", "0", cwd=indexed_site)
    assert process.stdout is not None
    told = process.stdout.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+", told)
    assert address, (told, process.communicate())
    with urllib.request.urlopen(f"{address[0]}/api/search?q=mooring+rope") as response:
        assert json.load(response)["results"][0]["url"] == "/docs/ropes"
    port = address[0].rpartition(":")[2]
    taken = subprocess.run(
        [COMMAND, "serve", "--port", port], cwd=indexed_site, capture_output=True, text=True, check=False
    )
    assert taken.returncode == 3
    assert re.match(r"error \[\w+\]: .*in use", taken.stderr)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, "")


def test_a_reader_that_goes_away_is_no_error(indexed_site: Path) -> None:
    """`searchsocket search ... | head -1`"""
    piped = f"{COMMAND} search tide --top-k 5 | head -1"
    done = subprocess.run(["bash", "-c", piped], cwd=indexed_site, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1. ")
    assert done.stderr == ""


def test_help_documents_the_exit_status_and_gives_an_example() -> None:
    commands = ["init", "index", "search", "serve", "status", "doctor", "rollback", "clean", "dagster"]
    for command in commands:
        done = subprocess.run([COMMAND, command, "--help"], capture_output=True, text=True, check=True)
        assert "Example:\n" in done.stdout
        assert "Exit status:" in done.stdout
        assert "--project DIR" in done.stdout
    overview = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  (\w+)  ", overview.partition("Commands:\n")[2], re.MULTILINE) == commands
