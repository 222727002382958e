"""Finding the build folder of a project (spec 8.2)."""

import os
from pathlib import Path

from searchsocket.errors import ConfigMissing

USUAL_FOLDERS = ("build", ".svelte-kit/output/prerendered/pages", "dist", "out", "public", "_site", "site")
_MAX_ENTRIES = 20_000  # looked at in one folder before it is taken to hold no HTML


def find_build(root: Path) -> Path | None:
    """The first usual build folder that holds HTML; None when there is none.

    A folder without HTML is none: `public` of many projects holds only images.
    """
    return next((root / name for name in USUAL_FOLDERS if holds_html(root / name)), None)


def configured_build(root: Path, folder: str) -> Path:
    """The build folder that the configuration names.

    Raises:
        ConfigMissing: It is not there.
    """
    path = root / folder
    if not path.is_dir():
        raise ConfigMissing(
            f"source.static_output_dir is {folder!r}, but there is no folder {path}; "
            "build the site first, or correct the setting"
        )
    return path


def holds_html(folder: Path) -> bool:
    """Whether there is an HTML file in a folder or below; hidden folders inside do not count."""
    pending = [os.fspath(folder)]
    looked_at = 0
    while pending and looked_at < _MAX_ENTRIES:
        inner: list[str] = []
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    looked_at += 1
                    if entry.name.startswith(".") or entry.name == "node_modules":
                        continue
                    if entry.name.lower().endswith((".html", ".htm")):
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(entry.path)
        except OSError:
            continue  # not there, or not ours to read: no build
        pending = [*inner, *pending]
    return False
