"""The bundled site on a plain file server, with search that needs no service: `make demo` wrote its index.

Open the address that it prints; Ctrl-C ends it. `/page` is `page.html`, as most static hosts have it.
"""

from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BUILD = Path(__file__).parent / "docs-site" / "build"
PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Search without a server</title>
<script type="module" src="/searchsocket/components.js"></script>
<searchsocket-dialog static></searchsocket-dialog>
"""


class Handler(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments, directory=str(BUILD))  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if self.path != "/search":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def translate_path(self, path: str) -> str:
        file = super().translate_path(path)
        return file if Path(file).is_file() else f"{file.rstrip('/')}.html"


if __name__ == "__main__":
    with ThreadingHTTPServer(("127.0.0.1", 8182), Handler) as server:
        print("http://127.0.0.1:8182/search", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
