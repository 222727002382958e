"""Every address of a result opens: `python -m bench.addresses NAME=BUILD [NAME=BUILD ...]`.

Each built site is served by nginx, by an object store with exact keys, and by `python -m http.server`. On each host,
the site is crawled; the pages of its build are read once. Chromium then opens the address of every page and of every
heading with an anchor. Expected: status 200 without a redirect, and the anchor exists. Where a site links to `/page`
for `page.html`, only nginx opens its links: on the other hosts, a crawl finds few pages, and the build is not opened.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bench.addresses.hosts import HOSTS
from bench.addresses.opened import open_addresses, site_addresses
from searchsocket.project.settings.model import Settings
from tests.chromium import CHROMIUM


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.addresses", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("builds", nargs="+", metavar="NAME=BUILD", help="a folder of HTML files")
    parser.add_argument("--pages", type=int, default=200, help="maximum to open per site and host (default 200)")
    parser.add_argument("--base", default="", help="base path in the sites' own links")
    arguments = parser.parse_args()
    print("| site | source | host | pages | opened | anchors | problems | crawl |")
    print("|" + " --- |" * 8)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000)
        for name, _, folder in (build.partition("=") for build in arguments.builds):
            for line in measure(browser, name, Path(folder), arguments.pages, arguments.base):
                print(line, flush=True)
        browser.close()


def measure(browser: Browser, name: str, folder: Path, most: int, base: str) -> Iterator[str]:
    """Yield a row per source and host."""
    for host, serve in HOSTS.items():
        with tempfile.TemporaryDirectory() as root:
            served = folder
            if base:
                served = Path(root, "host")
                Path(served, base.strip("/")).parent.mkdir(parents=True)
                Path(served, base.strip("/")).symlink_to(folder.resolve(), target_is_directory=True)
            with serve(served) as origin:
                crawl = {"mode": "crawl", "crawl": {"base_url": origin + base, "max_pages": 2 * most}}
                build = {"mode": "static-output", "static_output_dir": str(folder), "base_path": base}
                for source in (crawl, build):
                    settings = Settings.model_validate({"source": source})
                    site = site_addresses(Path(root), settings, Path(root, "fetched"), most)
                    form = site.report.url_form
                    if form and form.flat == "clean" and host != "nginx":
                        continue
                    opened = open_addresses(browser, origin, site.fragments)
                    skipped = Counter(site.report.skipped.values())
                    notes = [f"{number} {reason}" for reason, number in skipped.most_common(3)]
                    notes += [f"{len(site.report.failed)} failed"] if site.report.failed else []
                    problems = "; ".join(opened.problems[:3]) or "none"
                    if opened.problems:
                        problems = f"{len(opened.problems)}: {problems}"
                    yield (
                        f"| {name} | {source['mode']} | {host} | {site.report.expected or len(site.fragments)} | "
                        f"{opened.pages} | {opened.anchors} | {problems} | {', '.join(notes)} |"
                    )


if __name__ == "__main__":
    main()
