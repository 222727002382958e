"""The time that visitors wait for `<searchsocket-dialog>`: `python -m bench.dialog`.

Golden queries of the bundled documentation are typed key by key into the dialog, in Chromium, over a service on the
same machine. The time of a key is from its event to the frame that shows changed results, by the clock of the page.
Keys that change no result (the first letter, spaces) are counted but have no time. Each key waits for the one before.
"""

import argparse
import functools
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from examples.site_archive import unpack
from searchsocket.quality.golden import read_golden

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/docs-site"
SETTLE_MS = 400  # after which a key that changed nothing is given up
WATCH = """() => {
  window.keyMs = null;
  let pressed = 0;
  const dialog = document.querySelector('searchsocket-dialog');
  addEventListener('keydown', () => { pressed = performance.now(); window.keyMs = null; }, true);
  new MutationObserver(() => requestAnimationFrame(() => {
    const channel = new MessageChannel();  // runs behind the frame's own work
    channel.port1.onmessage = () => { window.keyMs ??= performance.now() - pressed; };
    channel.port2.postMessage(0);
  })).observe(dialog.shadowRoot.getElementById('list'), {childList: true, subtree: true, characterData: true});
}"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.dialog", description=__doc__)
    parser.add_argument("--queries", type=int, default=12, help="number of golden queries to type")
    arguments = parser.parse_args()
    questions = read_golden(EXAMPLE / "golden-queries.tsv")
    queries = [question.query for question in questions][:: max(len(questions) // arguments.queries, 1)]
    with tempfile.TemporaryDirectory(prefix="searchsocket-bench-") as folder:
        times = measured(Path(folder), queries[: arguments.queries])
    changed = sorted(time for time in times if time is not None)
    p95 = changed[int(len(changed) * 0.95)]
    print(f"{len(times)} keys, {len(changed)} changed what is shown")
    print(
        f"key to painted results: p50 {statistics.median(changed):.0f} ms, p95 {p95:.0f} ms, most {changed[-1]:.0f} ms"
    )


def measured(folder: Path, queries: list[str]) -> list[float | None]:
    """The milliseconds of each key; None where it changed nothing."""
    site, page = folder / "site", folder / "page"
    unpack()
    left_out = shutil.ignore_patterns("node_modules", ".*", "searchsocket.toml")
    shutil.copytree(EXAMPLE, site, ignore=left_out)
    shutil.copytree(ROOT / "clients/js/dist", page)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(page)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = f"http://127.0.0.1:{server.server_port}"
    (site / "searchsocket.toml").write_text(f'[api.cors]\nallow_origins = ["{own}"]\n[api.rate_limit]\nmax = 0\n')
    command = [str(Path(sys.executable).with_name("searchsocket"))]
    subprocess.run([*command, "index", "--quiet"], cwd=site, check=True)
    service = subprocess.Popen([*command, "serve", "--port", "0"], cwd=site, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout
        address = next(word for word in service.stdout.readline().split() if word.startswith("http"))
        (page / "index.html").write_text(
            '<!doctype html><html lang="en"><script type="module" src="components.js"></script>'
            f'<body><searchsocket-dialog endpoint="{address}api/search"></searchsocket-dialog>'
        )
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            opened = browser.new_page()
            opened.goto(own)
            opened.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
            opened.evaluate(WATCH)
            return [time for query in queries for time in typed(opened, query)]
    finally:
        service.terminate()
        service.wait()
        server.shutdown()


def typed(page: Page, query: str) -> list[float | None]:
    """The milliseconds of each key of a query, typed into the open dialog."""
    page.keyboard.press("Control+k")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.wait_for_timeout(SETTLE_MS)
    times: list[float | None] = []
    for key in query:
        page.keyboard.press("Space" if key == " " else key)
        page.wait_for_timeout(SETTLE_MS)
        times.append(page.evaluate("() => window.keyMs"))
    page.keyboard.press("Escape")
    return times


if __name__ == "__main__":
    main()
