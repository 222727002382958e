"""Dagster's `dagster dev` as a child process that ends with its parent.

`python -m searchsocket_assets.run.dev ARGUMENTS` is the child, which runs Dagster's command line in its process.
"""

import os
import runpy
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import searchsocket_assets


def workspace_file() -> Path:
    """Return the path of `workspace.yaml`: in an installed package, else at the top of the checkout.

    Raises:
        FileNotFoundError: Neither exists, because the package was built without it.
    """
    package = Path(searchsocket_assets.__file__).parent
    for path in (package / "workspace.yaml", package.parent / "workspace.yaml"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{package / 'workspace.yaml'} does not exist; install searchsocket again")


def start(
    workspace: str, host: str, port: int, environ: Mapping[str, str], locks: Sequence[int]
) -> "subprocess.Popen[bytes]":
    """Start Dagster's user interface and daemon over one workspace, in a new session.

    Args:
        locks: Descriptors of open files that the child inherits.
    """
    # `-m` puts the current folder before the library; Dagster starts further processes in the same way.
    environ = {**environ, "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", __spec__.name, "dev", "-w", workspace, "-h", host, "-p", str(port)]
    inherited = {} if sys.platform == "win32" else {"pass_fds": locks}
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]  # noqa: S603  no shell
        command, stdin=subprocess.PIPE, env=environ, start_new_session=True, **inherited
    )


def _end_with_owner() -> None:
    """Stop Dagster in order when the other end of standard input closes."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_with_owner, daemon=True).start()
    # `dg dev` does the same, but needs packages that a site does not use otherwise.
    warnings.filterwarnings("ignore", ".*is superseded")
    sys.argv[0] = "dagster"
    runpy.run_module("dagster", run_name="__main__")
