"""Words of the main content that a browser shows and the mirror lacks: `python -m bench.reading BUILD [BUILD ...]`.

Chromium opens each page without its scripts, opens `details`, tabs and accordions, and returns the `innerText` of the
main content. A word counts once for each time that it is there. Words of parts that are the theme's (`open.js` lists
them) may be missing and are counted apart. Sentences of navigation (`nav`, and header and footer
outside the main content) that are in the mirror, but not in the main content, are counted too.
"""

import argparse
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Page as Tab

from searchsocket.content.html.extract import extract_html
from searchsocket.content.html.site_wide import SAMPLE, common_links, without_navigation
from searchsocket.content.markdown.lines import plain_text
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from tests.chromium import open_chromium

OPEN = Path(__file__).with_name("open.js").read_text(encoding="utf-8")
_WORD = re.compile(r"[^\W_]+(?:_[^\W_]+)*")
_NOT_CONTENT = frozenset({"404.html", "200.html", "search.html", "genindex.html"})
_LONG_LINE = 5  # words; a shorter line of navigation may be a heading as well


class Reading(NamedTuple):
    """One page as a browser shows it, and as the mirror contains it."""

    url: str
    shown: str
    parts: str  # of it, those of the theme
    mirror: str
    navigation: tuple[str, ...]


class Difference(NamedTuple):
    """Words of one page that only the browser shows, and sentences of navigation in the mirror."""

    words: int
    missing: Counter[str]
    theme: int  # words of the theme's parts among the missing ones
    navigation: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reading", description=__doc__)
    parser.add_argument("builds", nargs="+", type=Path, metavar="BUILD", help="a folder of HTML files")
    parser.add_argument("--pages", type=int, default=20, help="per folder, evenly drawn (default 20)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N missing words of each folder")
    arguments = parser.parse_args()
    print("| site | pages | words | of the theme | others in the mirror | sentences of navigation |")
    print("|---|---|---|---|---|---|")
    with open_chromium() as browser:
        context = browser.new_context(java_script_enabled=False)
        tab = context.new_page()
        for build in arguments.builds:
            readings = list(read_site(tab, build, arguments.pages))
            differences = {reading.url: compare(reading) for reading in readings}
            words = sum(each.words for each in differences.values())
            missing = sum((each.missing for each in differences.values()), Counter[str]())
            lines = [line for each in differences.values() for line in each.navigation]
            theme = sum(each.theme for each in differences.values())
            share = 1 - missing.total() / max(words - theme, 1)
            row = (name_of(build), len(readings), f"{words:,}", f"{theme:,}", f"{share:.2%}", len(lines))
            print(f"| {' | '.join(map(str, row))} |", flush=True)
            if arguments.show:
                show(differences, missing, lines, arguments.show)


def show(differences: dict[str, Difference], missing: Counter[str], lines: list[str], count: int) -> None:
    print("  ", ", ".join(f"{word} {times}" for word, times in missing.most_common(count)), file=sys.stderr)
    worst = sorted(differences, key=lambda url: -differences[url].missing.total())[:3]
    print("  ", {url: differences[url].missing.most_common(8) for url in worst}, file=sys.stderr)
    print("  ", lines[:5], file=sys.stderr)


def name_of(build: Path) -> str:
    parts = [part for part in build.resolve().parts if part not in {"build", "dist", "html", "public", "site", "_site"}]
    return "/".join(parts[-2:])


def read_site(tab: Tab, build: Path, limit: int) -> Iterator[Reading]:
    """Read a sample of the pages in the browser and by extraction."""
    files = sorted(
        file
        for file in build.rglob("*.html")
        if file.is_file() and not file.is_symlink() and file.name not in _NOT_CONTENT
    )
    pages = {file: extracted_page(build, file) for file in files[:: max(1, len(files) // max(limit, SAMPLE))]}
    pages = {file: page for file, page in pages.items() if not page.skip}
    common = common_links((page.language, page.body) for page in list(pages.values())[:SAMPLE])
    with served(build) as address:
        for file in list(pages)[:: max(1, len(pages) // limit)][:limit]:
            page = pages[file]
            tab.goto(f"{address}/{file.relative_to(build).as_posix()}", wait_until="load", timeout=60_000)
            shown: dict[str, Any] = tab.evaluate(OPEN, page.main)
            mirror = plain_text(without_navigation(page.body, common.get(page.language, ())))
            yield Reading(
                str(file.relative_to(build)), shown["main"], shown["parts"], mirror, tuple(shown["navigation"])
            )


def extracted_page(build: Path, file: Path) -> ExtractedPage:
    path = f"/{file.relative_to(build).as_posix()}"
    page = RawPage(path.removesuffix(".html"), path, path, "")
    return extract_html(file.read_bytes(), page, ExtractSettings(), TransformSettings())


def compare(reading: Reading) -> Difference:
    """Compare the words of a page, each as often as it is there."""
    shown, mirror = words_of(reading.shown), words_of(reading.mirror)
    missing = shown - mirror
    theme = (missing & words_of(reading.parts)).total()
    content, text = squeezed(reading.shown), squeezed(reading.mirror)
    sentences = dict.fromkeys(squeezed(line) for line in reading.navigation)
    long = [line for line in sentences if len(line.split()) >= _LONG_LINE]
    return Difference(
        shown.total(),
        missing - words_of(reading.parts),
        theme,
        [line for line in long if line in text and line not in content],
    )


def words_of(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in _WORD.findall(text.replace("\u200b", "").replace("\xad", "")))


def squeezed(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine, without a log."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def handle_one_request(self) -> None:
            with suppress(ConnectionError):  # the browser left the page
                super().handle_one_request()

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


if __name__ == "__main__":
    main()
