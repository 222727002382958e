"""`searchsocket dagster`: Dagster's UI and daemon for this project's runs."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click

from searchsocket.cli.options import WholeNumber, load_project, project_option
from searchsocket.errors import AlreadyRunning
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import HOME_VARIABLE, dagster_home
from searchsocket.system.bound import stop_group
from searchsocket_assets.run.dev import start, workspace_file
from searchsocket_assets.run.home import prepare_home, refuse_odd_home

DEFAULT_PORT = 3000
_LOCK = "searchsocket-dagster.lock"


@click.command()
@project_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to bind; the UI has no login, so keep it on this machine.",
)
@click.option("--port", type=WholeNumber(1, 65535), default=DEFAULT_PORT, show_default=True)
def dagster(root: Path, host: str, port: int) -> None:
    """Open Dagster's UI for this project.

    It shows Dagster's runs and those of `searchsocket index`.

    \b
    Example:
      searchsocket dagster --port 3000
    """
    project = load_project(root)
    home = dagster_home(project, os.environ)
    refuse_odd_home(home)
    make_private_folders(project)
    prepare_home(home)
    if not (home / "history").is_dir():  # Dagster's own processes would race with a first run for its databases
        from searchsocket_assets.run.instance import open_instance

        with open_instance(home):
            pass
    address = f"http://{host}:{port}"
    locks = []
    if sys.platform != "win32":  # Windows cannot pass open files to another program
        locks.append(_lock(home, address))
        from searchsocket_assets.run.history import fail_dead_runs

        if buried := fail_dead_runs(home):
            click.echo(f"ended {len(buried)} runs without a process; Dagster retries them", err=True)
    environ = {**os.environ, HOME_VARIABLE: str(home), "SEARCHSOCKET_PROJECT": str(project.root)}
    received: list[int] = []
    children: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _: object) -> None:
        received.append(number)
        for child in children:
            if child.poll() is None:
                child.terminate()

    # A shell starts background jobs with Ctrl-C ignored. A child would inherit that, and Dagster would then ignore
    # SIGTERM too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
    child = start(str(workspace_file()), host, port, environ, locks)
    children.append(child)
    if received:
        child.terminate()
    click.echo(f"Dagster at {address}   (Ctrl-C stops)\n{HOME_VARIABLE}={home}")
    status = child.wait()
    stop_group(child)  # a killed child leaves its services running
    raise SystemExit(0 if received else status)


def _lock(home: Path, address: str) -> int:
    """Lock the home for Dagster's processes, which inherit the file descriptor; the end of the last one unlocks it.

    Raises:
        AlreadyRunning: Dagster's processes are running.
    """
    import fcntl

    path = home / _LOCK
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AlreadyRunning(str(home), path.read_text(encoding="utf-8"), _holders(path)) from None
    os.ftruncate(lock, 0)
    os.write(lock, address.encode())
    os.set_inheritable(lock, True)
    return lock


def _holders(path: Path) -> list[int]:
    """Return the processes that have the file open; empty if the system does not report them."""
    holders = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # just ended, or of another user
            if int(process.name) != os.getpid() and any(path.samefile(file) for file in (process / "fd").iterdir()):
                holders.append(int(process.name))
    return sorted(holders)
