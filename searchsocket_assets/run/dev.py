"""Dagster's user interface and daemon over one workspace, with a lock on their home that the daemon holds as well.

It is what `dg dev -w` runs, without `dg` and the packages that it needs. Two daemons over one home would start queued
runs twice. Started as `python -m searchsocket_assets.run.dev WORKSPACE HOST PORT [FD]`: a child of Dagster's gets no
open file but those that it is given, and a daemon outlives a parent that was killed.
"""

import sys
from collections.abc import Sequence
from typing import Any

from dagster._cli import dev
from dagster_shared.cli import WorkspaceOpts
from dagster_shared.ipc import open_ipc_subprocess


def run(workspace: str, host: str, port: str, lock: str = "") -> None:
    """Run both until they are told to stop.

    Args:
        lock: The descriptor of an open file that they hold; "" for none.
    """

    def open_with_lock(parts: Sequence[str], *, pass_fds: Sequence[int] = (), **others: Any) -> Any:
        return open_ipc_subprocess(parts, pass_fds=[*pass_fds, int(lock)], **others)

    if lock:
        dev.open_ipc_subprocess = open_with_lock  # type: ignore[attr-defined]
    dev.dev_command_impl(
        code_server_log_level="warning",
        log_level="info",
        log_format="colored",
        port=port,
        host=host,
        use_legacy_code_server_behavior=False,
        shutdown_pipe=None,
        verbose=False,
        workspace_opts=WorkspaceOpts(workspace=[workspace]),
    )


if __name__ == "__main__":
    run(*sys.argv[1:])
