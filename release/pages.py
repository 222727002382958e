"""Make the documentation ready for a host of static files, with search without a server: `make pages`."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from examples.site_archive import STAMP, unpack

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="", help="path of the site on its host, such as /searchsocket")
    parser.add_argument("--out", type=Path, default=ROOT / "dist/pages", help="folder of the site; emptied first")
    options = parser.parse_args()
    make_pages(options.out, options.base.rstrip("/"))


def make_pages(out: Path, base: str) -> None:
    """Write the site: pages at `base` with their search.

    Args:
        base: Path prefix, such as /searchsocket; "" at the root of a host.
    """
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(unpack(), out, ignore=shutil.ignore_patterns(STAMP, "golden-queries*", "searchsocket"))
    for path in out.rglob("*.html"):
        html = re.sub(r'(\s(?:href|src)=")/(?!/)', rf"\g<1>{base}/", path.read_text(encoding="utf-8"))
        path.write_text(html, encoding="utf-8")
    subprocess.run([str(Path(sys.executable).with_name("searchsocket")), "static", str(out), "--quiet"], check=True)


if __name__ == "__main__":
    main()
