"""The documentation with its search on a plain file server: `make demo` added the search to its pages.

Open the address that it prints; Ctrl-C ends it. `/page` is `page.html`, as most static hosts have it.
"""

from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BUILD = Path(__file__).parent / "docs-site" / "build"
PORT = 8182


class Handler(SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments, directory=str(BUILD))  # type: ignore[arg-type]

    def translate_path(self, path: str) -> str:
        file = super().translate_path(path)
        page = Path(f"{file.rstrip('/')}.html")
        return str(page) if page.is_file() and not Path(file).is_file() else file

    def log_message(self, *_: object) -> None:
        pass


def serve_docs() -> None:
    """Print the address, and serve until Ctrl-C; on another port if that of the demo is in use."""
    try:
        server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    except OSError:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with server:
        print(f"  http://127.0.0.1:{server.server_port}/docs", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    serve_docs()
