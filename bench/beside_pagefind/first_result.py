"""The bytes that a browser loads until it can show the first five results (bodies, as transferred).

Pagefind searches in the browser: it loads its script, its program, an index of the site, the part of the index with the
words of the query, and a fragment per result. Ours is a script and one answer. The server counts both. A caller of the
API without a script loads the answer alone.
"""

import gzip
import http.client
import subprocess
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

RESULTS = 5
BROWSER = "chromium"
OUR_SCRIPT = Path(__file__).parents[2] / "clients" / "js" / "dist" / "components.js"
_TIMEOUT_S = 60.0
_PAGE = """<!doctype html><script type="module">
const pagefind = await import("/pagefind.js");
const { results } = await pagefind.search(QUERY);
const shown = await Promise.all(results.slice(0, COUNT).map((result) => result.data()));
await fetch("/done?" + shown.length);
</script>"""


def pagefind_bytes(bundle: Path, query: str) -> dict[str, int]:
    """Bytes of a bundle that Chromium loads for one query, by kind of file.

    Raises:
        TimeoutError: The browser showed nothing.
    """
    counted: dict[str, int] = {}
    done = threading.Event()

    class Counting(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.split("?")[0].rsplit("/", 1)[-1]
            if name == "done":
                done.set()
            body, kind = self._body(name)
            if kind:
                counted[kind] = counted.get(kind, 0) + len(body)
            self.send_response(200)
            self.send_header("Content-Type", self.guess_type(name or "a.html"))
            if kind == "script":
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def _body(self, name: str) -> tuple[bytes, str]:
            if not name or name in ("done", "favicon.ico"):
                return _page(query), ""
            body = Path(self.translate_path(self.path)).read_bytes()
            if name.endswith(".js"):
                return gzip.compress(body), "script"
            return body, Path(name).suffix.lstrip(".").removeprefix("pf_")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Counting, directory=str(bundle)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        address = f"http://127.0.0.1:{server.server_port}/"
        options = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={profile}",
            "--remote-debugging-port=0",
        )
        nothing = subprocess.DEVNULL
        browser = subprocess.Popen([BROWSER, *options, address], stdout=nothing, stderr=nothing)
        try:
            if not done.wait(_TIMEOUT_S):
                raise TimeoutError("the browser showed no results")
        finally:
            browser.kill()
            browser.wait()
            server.shutdown()
    return counted


def our_bytes(port: int, query: str) -> dict[str, int]:
    """The web component, and the answer of a service, which sends it as it is."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    connection.request("GET", f"/api/search?q={quote(query)}&topK={RESULTS}", headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    return {"script": len(gzip.compress(OUR_SCRIPT.read_bytes())), "answer": len(body)}


def _page(query: str) -> bytes:
    return _PAGE.replace("QUERY", repr(query)).replace("COUNT", str(RESULTS)).encode()
