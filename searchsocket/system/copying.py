"""Link files, or copy them if the file system has no hard links."""

import os
import shutil
from pathlib import Path


def link_file(source: Path, target: Path) -> None:
    """Hard-link a file that never changes; copy it if the file system has no hard links.

    Raises:
        OSError: The disk is full or not writable.
    """
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
