"""The stamp of a file, by which a run sees that it is unchanged."""

import os
from pathlib import Path

from searchsocket.system.errors import system_error


def file_stamp(path: Path | str) -> str:
    """Size and time of a file, or of a link with its name; "" if there is none."""
    try:
        stat = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise system_error("cannot read", Path(path), error) from error
    return f"{stat.st_size}:{stat.st_mtime_ns}"
