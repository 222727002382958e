"""`python -m bench.static_export EXPORT --pagefind BUNDLE`: bytes and time for a visitor, compared with other tools.

EXPORT is a folder of `searchsocket export`; BUNDLE is one of `pagefind --output-path BUNDLE` over the same site;
MiniSearch gets the sections of the export with title and headings (`npm ci` in bench/relevance/npm_peers). Each tool
has a page that runs two queries, one after the other, in Chromium as a phone, until it has five results. Scripts and
JSON are sent with gzip, other files as they are. Memory is that of the process and of scripts, workers included, beyond
an empty page. `--queries` has the two queries, with a comma between them.
"""

import argparse
import gzip
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

HERE = Path(__file__).parent
MINISEARCH = HERE.parent / "relevance/npm_peers/node_modules/minisearch/dist/es/index.js"
RESULTS = 5
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "chromium")
# Bytes per second and seconds of delay, as the developer tools of Chromium have them; here the server applies them,
# since theirs leave workers out.
LINES: Mapping[str, tuple[float, float]] = {"no limit": (0, 0), "fast 3G": (180_000, 0.56), "slow 3G": (50_000, 2.0)}
HEADS = ("first query kB", "second kB", *(f"s, {line}" for line in LINES), "process MB", "scripts MB", "on disk MB")
BLANK = "blank"  # a page without search
ARGUMENTS = ["--no-sandbox"]
_PIECE = 4_096
PHONE, PHONE_SLOWDOWN = "Moto G4", 4  # a device of Playwright, and how much slower its processor is
# Without it a page may not measure its memory.
ISOLATION = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
PAGES = {
    "searchsocket": """
import "/searchsocket/components.js";
const dialog = document.body.appendChild(document.createElement("searchsocket-dialog"));
dialog.setAttribute("static", "/searchsocket/");
dialog.setAttribute("max-results", "5");
window.ask = (q) => new Promise((resolve) => {
  const found = ({ detail }) => detail.q === q && resolve(detail.results.map(({ url }) => url));
  dialog.addEventListener("searchsocket-results", found);
  dialog.search(q);
});""",
    "Pagefind": """
window.ask = async (q) => {
  const pagefind = await import("/pagefind/pagefind.js");
  const { results } = await pagefind.search(q);
  return (await Promise.all(results.slice(0, 5).map((result) => result.data()))).map(({ url }) => url);
};""",
    "MiniSearch": """
let index;
window.ask = async (q) => {
  const { default: MiniSearch } = await import("/minisearch.js");
  const options = { fields: ["title", "headings", "text"], storeFields: ["title"] };
  index ??= await MiniSearch.loadJSONAsync(await (await fetch("/minisearch.json")).text(), options);
  const found = index.search(q, { prefix: true, fuzzy: 0.2, boost: { title: 4, headings: 2 } });
  return found.slice(0, 5).map(({ id }) => id);
};""",
}


class Phone(NamedTuple):
    """A browser that looks like a phone to pages."""

    browser: Browser
    device: Mapping[str, Any]

    def new_context(self) -> BrowserContext:
        return self.browser.new_context(**self.device)


class Server:
    """A plain file server that counts the bytes of bodies."""

    def __init__(self, root: Path) -> None:
        self.sent = 0
        self.line = "no limit"
        self.turn = threading.Lock()  # one line for all connections
        server = self

        class Handler(SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = Path(self.translate_path(self.path))
                if not path.is_file():
                    self.send_error(404)
                    return
                body = path.read_bytes()
                self.send_response(200)
                if path.suffix in (".js", ".json", ".html"):
                    body = gzip.compress(body)
                    self.send_header("Content-Encoding", "gzip")
                server.sent += len(body) if path.suffix != ".html" else 0
                self.send_header("Content-Type", self.guess_type(str(path)))
                self.send_header("Content-Length", str(len(body)))
                for name, value in ISOLATION.items():
                    self.send_header(name, value)
                self.end_headers()
                rate, delay = LINES[server.line]
                time.sleep(delay)
                for start in range(0, len(body), _PIECE):
                    piece = body[start : start + _PIECE]
                    with server.turn:
                        time.sleep(len(piece) / rate if rate else 0)
                        self.wfile.write(piece)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    parser.add_argument("--pagefind", type=Path)
    parser.add_argument("--queries", default="create index,vacuum analyze")
    options = parser.parse_args()
    queries = options.queries.split(",")
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        root = Path(work)
        folders = assembled(root, options.export, options.pagefind)
        server = Server(root)
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        browser = Phone(started, playwright.devices[PHONE])
        print(f"| | {' | '.join(HEADS)} |\n|---{'|---' * len(HEADS)}|")
        for name, size in folders.items():
            first, second = bytes_of(browser, server, name, queries)
            seconds = [seconds_of(browser, server, name, queries[0], line) for line in LINES]
            process, scripts = memory_of(browser, server, name, queries)
            cells = [f"{first / 1e3:.0f}", f"{second / 1e3:.0f}", *(f"{one:.1f}" for one in seconds)]
            print(f"| {name} | {' | '.join(cells)} | {process:.0f} | {scripts:.1f} | {size / 1e6:.1f} |", flush=True)
        started.close()


def assembled(root: Path, export: Path, pagefind: Path | None) -> dict[str, int]:
    """Put the tools below one folder; returns the bytes of each index on disk."""
    (root / "searchsocket").symlink_to(export.resolve())
    sizes = {"searchsocket": sum(path.stat().st_size for path in export.glob("*-*.*"))}
    if pagefind:
        (root / "pagefind").symlink_to(pagefind.resolve())
        sizes["Pagefind"] = sum(path.stat().st_size for path in pagefind.rglob("*") if path.is_file())
    if MINISEARCH.is_file():
        shutil.copy(MINISEARCH, root / "minisearch.js")
        subprocess.run(["node", HERE / "minisearch.mjs", export, root / "minisearch.json"], check=True)
        sizes["MiniSearch"] = (root / "minisearch.json").stat().st_size
    for name in sizes:
        (root / f"{name}.html").write_text(f'<!doctype html><body><script type="module">{PAGES[name]}</script>')
    (root / f"{BLANK}.html").write_text("<!doctype html><script>window.ask = () => []</script>")
    return sizes


@contextmanager
def opened(browser: Phone, server: Server, name: str, line: str = "no limit") -> Iterator[Page]:
    server.line = line
    context = browser.new_context()
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": PHONE_SLOWDOWN})
    page.set_default_timeout(120_000)
    page.goto(f"{server.address}/{name}.html", wait_until="commit")
    page.wait_for_function("() => window.ask")
    yield page
    context.close()


def bytes_of(browser: Phone, server: Server, name: str, queries: list[str]) -> tuple[int, int]:
    """Bytes until the results of the first query, with all scripts, and of the second."""
    server.sent = 0
    with opened(browser, server, name) as page:
        results = page.evaluate("(q) => ask(q)", queries[0])
        assert len(results) == RESULTS, results
        first = server.sent
        page.evaluate("(q) => ask(q)", queries[1])
        return first, server.sent - first


def seconds_of(browser: Phone, server: Server, name: str, query: str, line: str) -> float:
    """Seconds from opening the page to its results."""
    started = time.perf_counter()
    with opened(browser, server, name, line) as page:
        page.evaluate("(q) => ask(q)", query)
        return time.perf_counter() - started


def memory_of(browser: Phone, server: Server, name: str, queries: list[str]) -> tuple[float, float]:
    """MB beyond an empty page: of the page's process, and of its scripts."""

    def memory(name: str) -> tuple[int, int]:
        own = Phone(browser.browser.browser_type.launch(executable_path=CHROMIUM, args=ARGUMENTS), browser.device)
        with opened(own, server, name) as page:
            for query in queries if name != BLANK else ():
                page.evaluate("(q) => ask(q)", query)
            processes = own.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
            renderers = [one["id"] for one in processes if one["type"] == "renderer"]
            resident = max(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 for pid in renderers)
            # It collects garbage first.
            scripts = page.evaluate("async () => (await performance.measureUserAgentSpecificMemory()).bytes")
        own.browser.close()
        return resident, scripts

    (resident, scripts), empty = memory(name), memory(BLANK)
    return (resident - empty[0]) / 1e6, (scripts - empty[1]) / 1e6


if __name__ == "__main__":
    main()
