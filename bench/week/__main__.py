"""Run the week: `python -m bench.week [--site SITE.tar.xz] [--out FOLDER]`; minutes, mostly waiting for sensors."""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from bench.week.dagster_ui import DagsterUi
from bench.week.days import Week
from bench.week.ledger import Ledger
from bench.week.pictures import camera
from bench.week.provider import MODEL, Provider
from bench.week.site import Site

SITE = Path(os.environ.get("SEARCHSOCKET_SHARED", "../shared")) / "sites" / "sveltepress-docs.tar.xz"
SETTINGS = """[project]
id = "sveltepress"
[source]
static_output_dir = "builds/{{scope}}"
[embeddings]
provider = "openai"
model = "{model}"
dimensions = 256
base_url = "{address}"
api_key_env = ""
[costs.budget]
run_usd = 0.0008
[branches]
discover = true
watch = true
settle_s = 1
exclude = ["wip/*"]
[golden]
min_recall = 1.0
[dagster]
owners = ["team:docs", "ann@example.com"]
"""
GOLDEN = """[[query]]
query = "PWA service worker"
expect = "/guide/default-theme/pwa"
k = 3

[[query]]
query = "configure the navbar"
expect = "/guide/default-theme/navbar"
scope = ["main", "release-*"]
k = 3
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=SITE)
    parser.add_argument("--out", type=Path, default=Path("week"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="week-", ignore_cleanup_errors=True) as folder:
        work, provider = Path(folder), Provider(GOLDEN)
        settings = SETTINGS.format(model=MODEL, address=provider.address)
        files = {
            "searchsocket.toml": settings,
            "golden-queries.toml": GOLDEN,
            ".gitignore": ".searchsocket/\nbuilds/\n",
        }
        site = Site(work, options.site, files)
        # Commands of this process and Dagster's, which they start, share it.
        os.environ.update({"SEARCHSOCKET_CACHE": str(work / "cache"), "GIT_CONFIG_GLOBAL": os.devnull})
        ui = DagsterUi(site.root, {})
        try:
            ledger = Ledger(ui, provider)
            with camera(ui.address, options.out) as pictures:
                week = Week(site, ui, ledger, pictures)
                try:
                    for day in (week.monday, week.tuesday, week.wednesday, week.thursday, week.friday, week.saturday):
                        day()
                    week.sunday()
                finally:
                    (options.out / "ledger.md").write_text(ledger.markdown() + "\n", encoding="utf-8")
            print(ledger.markdown(), *pictures.errors, sep="\n")
            return 1 if ledger.wrong or pictures.errors else 0
        finally:
            ui.kill()
            provider.server.shutdown()
            shutil.copy(work / "dagster.log", options.out)


if __name__ == "__main__":
    sys.exit(main())
