"""`dagster dev`, with a lock on its home that the daemon holds as well: two daemons would start queued runs twice.

Started as `python -m searchsocket_assets.run.dev FD OPTIONS`. A child of `dagster dev` gets no open file but those that
it is given, and a daemon outlives a `dagster dev` that was killed.
"""

import sys
from collections.abc import Sequence
from typing import Any

from dagster._cli import dev, main
from dagster_shared.ipc import open_ipc_subprocess


def run(lock: int, options: Sequence[str]) -> None:
    """Run `dagster dev` until it is told to stop."""

    def open_with_lock(parts: Sequence[str], *, pass_fds: Sequence[int] = (), **others: Any) -> Any:
        return open_ipc_subprocess(parts, pass_fds=[*pass_fds, lock], **others)

    dev.open_ipc_subprocess = open_with_lock  # type: ignore[attr-defined]
    sys.argv = ["dagster", "dev", *options]
    main()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    run(int(sys.argv[1]), sys.argv[2:])
