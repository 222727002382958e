"""One browser and one service for the tests of a file; while a browser is open, its event loop is the only one."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext
from search_site import MAIN, NOW, Piece, Site, make_site

from search_api.app import create_app
from searchsocket.extensions.export.files import export_generation
from searchsocket.project.project import open_project
from searchsocket.stores.local.store import LocalStore
from tests.api_client import ENVIRON, make_project
from tests.chromium import open_chromium
from tests.clients.stage import POLICY, MakeStage, Stage
from tests.running_service import listening

EVIL = "<img src=x onerror=\"document.title='taken'\">"
PIECES = [
    Piece("/evil", f"Zebra {EVIL} in the text", title=f"Zebra {EVIL}", section=EVIL),
    *(
        Piece(f"/guide/stable/{number}", f"The okapi number {number} eats leaves.", title=f"Okapi {number}")
        for number in range(20)
    ),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the project that is searched."""
    project = make_project(tmp_path_factory.mktemp("searched") / "site")
    Site(LocalStore(project.state_dir / "index", "site")).publish(PIECES)
    return project.root


@pytest.fixture(scope="module")
def origin(root: Path) -> Iterator[str]:
    app = create_app(open_project(root, {}), environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW)
    with listening(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def make_stage(browser: Browser, origin: str) -> Iterator[MakeStage]:
    """Stages of which no script failed, and nothing was stopped by their policy."""
    problems: list[str] = []
    contexts: list[BrowserContext] = []

    def make(**options: object) -> Stage:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        stage = Stage(context, origin, {})
        context.route(f"{origin}/**", lambda route: stage.answer(route))
        context.on("weberror", lambda error: problems.append(str(error.error)))
        context.on("console", lambda message: problems.append(message.text) if "Security" in message.text else None)
        return stage

    yield make
    for context in contexts:
        context.unroute_all(behavior="ignoreErrors")  # a request may be under way whose answer nobody waits for
        context.close()
    assert not problems


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    return make_stage()


HTML = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Site</title>'
    f'<meta http-equiv="content-security-policy" content="{POLICY}">'
    '<script type="module" src="/base/searchsocket/components.js"></script>'
    "<body><searchsocket-dialog {attributes}></searchsocket-dialog><main><h1>Home</h1></main>"
)


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("static")
    site = make_site(root / "store", PIECES)
    export_generation(site.store.reader(MAIN), site.settings, root / "base" / "searchsocket")
    for name, attributes in (("own", "static"), ("named", 'static="/base/searchsocket"'), ("gone", 'static="/gone/"')):
        (root / "base" / f"{name}.html").write_text(HTML.format(attributes=f"{attributes} site='/base'"))
    return root


@pytest.fixture(scope="module")
def static_address(static_folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(static_folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/base"
    server.shutdown()
    server.server_close()
