"""The search dialog shows the answers of a service, with the script that the service serves."""

from collections.abc import Callable

import pytest
from api_client import ENVIRON
from chat_server import ChatServer
from playwright.sync_api import expect

from search_api.app import create_app
from searchsocket.project.project import Project
from tests.chromium import open_chromium
from tests.clients.stage import DIST, POLICY
from tests.extensions.answers.conftest import NOW, Reader
from tests.running_service import listening

PAGE = """<!doctype html><html lang=de><title>Site</title><script type=module src=/dist/components.js></script>
<script type=module src=/api/answer/dialog.js></script><searchsocket-dialog answers></searchsocket-dialog>"""


def test_the_script_comes_with_its_labels(reader: Reader) -> None:
    api = reader.api
    script, labels = (api.get(f"/api/answer/{name}") for name in ("dialog.js", "labels/de.js"))
    assert script.text == (DIST / "answers.js").read_text()
    assert labels.headers["content-type"].startswith("text/javascript")
    etag = {"if-none-match": script.headers["etag"]}
    assert api.get("/api/answer/dialog.js", headers=etag).status_code == 304
    for name in ("components.js", "labels/../answers.js", "labels/xx.js"):
        assert api.get(f"/api/answer/{name}").status_code == 404


@pytest.mark.ui
def test_a_visitor_asks_the_service(configured_robot: Callable[..., Project], server: ChatServer) -> None:
    server.says("The battery lasts nine hours [1]. The battery lasts ten years [1]. Charge it in the dock [1].")
    app = create_app(configured_robot(), environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW)
    with listening(app) as port, open_chromium() as browser:
        page = browser.new_page()
        page.route("**/dist/**", lambda route: route.fulfill(path=DIST / route.request.url.partition("/dist/")[2]))
        headers = {"content-security-policy": POLICY}
        page.route("**/site", lambda route: route.fulfill(body=PAGE, content_type="text/html", headers=headers))
        page.goto(f"http://127.0.0.1:{port}/site")
        page.keyboard.press("Control+k")
        page.keyboard.type("charging battery?")
        page.get_by_text("Fragen: charging battery?").click()
        view = page.locator("[part=answer]")
        expect(view.get_by_text("1 Satz ohne Beleg wurde weggelassen.")).to_be_visible()
        expect(view.locator("article")).to_contain_text("The battery lasts nine hours.1 Charge it in the dock.1")
        expect(view.locator("[part=source]")).to_have_text("Battery › Charging")
