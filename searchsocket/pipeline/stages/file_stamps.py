"""Detect changes of mirror files without reading them."""

import os
from pathlib import Path

from searchsocket.system.errors import system_error


def file_stamp(path: Path | str) -> str:
    """Size and time of a file, or of the link in its place; "" when there is none."""
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116  a Path for every page costs as much again
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise system_error("cannot read", Path(path), error) from error
    return f"{found.st_size}:{found.st_mtime_ns}"
