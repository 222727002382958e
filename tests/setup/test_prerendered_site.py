"""A site that is only files, with search put there by `searchsocket init`: its pages ask the service themselves."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Request

from search_api.app import create_app
from searchsocket.cli.main import cli
from searchsocket.project.project import open_project
from tests.api_client import ENVIRON, make_project
from tests.chromium import open_chromium
from tests.running_service import listening

PAGE = "<!doctype html><title>Fjord</title><main>Words</main><script type=module src=/searchsocket/search.js></script>"
RESULT, REFUSED = "searchsocket-dialog [role=option]", "searchsocket-dialog >> text=Search is unreachable."


@pytest.mark.ui
def test_its_pages_search_from_another_origin_without_a_key(tmp_path: Path) -> None:
    """From an origin that its configuration names; the browser lets no other one read an answer."""
    root = make_project(tmp_path / "site").root
    toml = root / "searchsocket.toml"
    toml.unlink()
    (root / "mkdocs.yml").write_text("site_name: Fjord\n")
    init(root)
    (root / "docs/index.html").write_text(PAGE)
    requests: list[Request] = []
    with files_of(root / "docs") as named, files_of(root / "docs") as unnamed:
        text = toml.read_text().replace('allow_origins = ["http://localhost:8000"', f'allow_origins = ["{named}"')
        toml.write_text(text.replace("[embeddings]\n", '[embeddings]\nprovider = "hash"\n'))
        app = create_app(open_project(root, {}), environ=ENVIRON, host="127.0.0.1")
        with listening(app) as port, open_chromium() as browser:
            init(root, "--service", f"http://127.0.0.1:{port}")
            page = browser.new_page()
            page.on("request", lambda request: requests.append(request) if f":{port}/" in request.url else None)
            for origin, outcome in ((named, RESULT), (unnamed, REFUSED)):
                page.goto(origin)
                page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
                page.keyboard.press("Control+k")
                page.keyboard.type("battery")
                page.locator(outcome).first.wait_for()
    assert requests
    assert not [request for request in requests if {"authorization", "cookie"} & set(request.headers)]


def init(root: Path, *options: str) -> None:
    result = CliRunner().invoke(cli, ["init", "--yes", "--project", str(root), *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output


@contextmanager
def files_of(folder: Path) -> Iterator[str]:
    """The origin of a web server that knows nothing but files."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
