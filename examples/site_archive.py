"""The built documentation site as one archive, so that the demo and the tests need no Node.

`site.tar.xz` is made from the sources by `make docs-site` and changes only with a release. `build/` is not in git: the
demo and the tests unpack it here. To unpack by hand: `python examples/site_archive.py`; `pack` makes a new archive
from `build/`.
"""

import hashlib
import io
import shutil
import sys
import tarfile
from pathlib import Path

SITE = Path(__file__).resolve().parent / "docs-site"
ARCHIVE = SITE / "site.tar.xz"
BUILD = SITE / "build"
STAMP = ".unpacked"  # holds the checksum of the archive that `build/` came from


def unpack() -> Path:
    """Make `build/` the contents of the archive, unless it is already, and return it."""
    checksum = hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()
    stamp = BUILD / STAMP
    if stamp.exists() and stamp.read_text() == checksum:
        return BUILD
    shutil.rmtree(BUILD, ignore_errors=True)
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            path = BUILD / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(member)
            assert content is not None, member.name
            path.write_bytes(content.read())
    stamp.write_text(checksum)  # last: an interrupted unpacking starts again
    return BUILD


def pack() -> None:
    """Write the archive from `build/`; the same files give the same bytes."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(BUILD.rglob("*")):
            if path.is_file() and path.name != STAMP:
                member = tarfile.TarInfo(path.relative_to(BUILD).as_posix())
                member.size = path.stat().st_size
                archive.addfile(member, io.BytesIO(path.read_bytes()))


if __name__ == "__main__":
    if sys.argv[1:] == ["pack"]:
        pack()
    unpack()
