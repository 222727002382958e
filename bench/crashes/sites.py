"""Two versions of a generated site, and the questions that have the same answer in both."""

import os
import shutil
from pathlib import Path

from bench.indexing.generate import page_file, write_site

PAGES = 60  # above the number from which pages are extracted in worker processes
EDITED = range(10, 15)
REMOVED = range(20, 23)
ADDED = range(PAGES, PAGES + 3)
_SECTIONS = "<h2 id='s2'>"  # pages are cut here: small ones crash as well as big ones


def write_versions(folder: Path) -> None:
    """`folder/A` and `folder/B`: the same files but for pages that are edited, removed and added in B."""
    old, new = folder / "A", folder / "B"
    write_site(old, PAGES)
    for path in old.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.split(_SECTIONS)[0] + "</main></body></html>", encoding="utf-8")
    shutil.copytree(old, new, copy_function=os.link)
    for number in EDITED:
        text = (old / page_file(number)).read_text(encoding="utf-8")
        _write_new(new / page_file(number), text.replace("<p>", "<p>A sentence that was not there before. ", 1))
    for number in REMOVED:
        (new / page_file(number)).unlink()
    for number in ADDED:
        text = (old / page_file(number - PAGES)).read_text(encoding="utf-8")
        _write_new(new / page_file(number), text.replace(f"id_{number - PAGES}_", f"id_{number}_"))


def _write_new(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)  # the file may be the same inode as the other version's
    path.write_text(text, encoding="utf-8")


def questions() -> list[tuple[str, str]]:
    """(query, URL of the best result) for pages that are in both versions."""
    lasting = [number for number in range(PAGES) if number not in REMOVED]
    return [(f"id_{number}_0", f"/{page_file(number).removesuffix('.html')}") for number in lasting]


def use_version(root: Path, versions: Path, name: str) -> None:
    """Make version `name` the built site of the project in `root`; files keep their inode and time."""
    shutil.rmtree(root / "build", ignore_errors=True)
    shutil.copytree(versions / name, root / "build", copy_function=os.link)
