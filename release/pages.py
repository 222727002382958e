"""Make the documentation ready for a host of static files, with search without a server: `make pages`."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from examples.site_archive import SITE, STAMP, unpack

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "searchsocket"  # of the export, in the site
DIALOG = """\
<script type="module" src="{base}/searchsocket/components.js"></script>
<searchsocket-dialog static style="position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem">
</searchsocket-dialog>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="", help="path of the site on its host, such as /searchsocket")
    parser.add_argument("--out", type=Path, default=ROOT / "dist/pages", help="folder of the site; emptied first")
    options = parser.parse_args()
    make_pages(options.out, options.base.rstrip("/"))


def make_pages(out: Path, base: str) -> None:
    """Write the site: pages at `base` with the dialog, and the index that it reads.

    Args:
        base: Path prefix, such as /searchsocket; "" at the root of a host.
    """
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(unpack(), out, ignore=shutil.ignore_patterns(STAMP, "golden-queries*"))
    for path in out.rglob("*.html"):
        html = re.sub(r'(\s(?:href|src)=")/(?!/)', rf"\g<1>{base}/", path.read_text(encoding="utf-8"))
        path.write_text(html.replace("</body>", DIALOG.format(base=base) + "</body>"), encoding="utf-8")
    project = out.with_name(f"{out.name}-project")  # its state is no part of the site
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir(parents=True)
    shutil.copy(SITE / "package.json", project)
    settings = {
        "SEARCHSOCKET__SOURCE__STATIC_OUTPUT_DIR": str(out.resolve()),
        "SEARCHSOCKET__SOURCE__BASE_PATH": base,
        "SEARCHSOCKET__SCOPE__MODE": "fixed",
    }
    for command in (["index", "--only", "site", "--quiet"], ["export", str((out / FOLDER).resolve())]):
        program = [str(Path(sys.executable).with_name("searchsocket")), *command]
        subprocess.run(program, cwd=project, env={**os.environ, **settings}, check=True)
    shutil.rmtree(project)


if __name__ == "__main__":
    main()
