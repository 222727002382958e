"""The handle in real SvelteKit 2 and 3 sites, put there by `searchsocket init`, on Node 22, before a real service."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from filelock import FileLock

from search_api.app import create_app
from searchsocket.project.project import open_project
from tests.api_client import ENVIRON, KEY, make_project
from tests.kit.built_site import BuiltSite, build_site, running_site
from tests.kit.recorder import Recorder, recording
from tests.kit.visitor import Leaving, ask, code_of, send_without_end
from tests.running_service import listening

LIMIT = 5
TOML = f"[mcp]\nenable = true\n[api.rate_limit]\nmax = {LIMIT}\nwindow_ms = 3_600_000\n"


@dataclass(frozen=True)
class Running:
    site: BuiltSite
    port: int
    recorder: Recorder


@pytest.fixture(scope="module", params=["2", "3"], ids=["kit 2", "kit 3"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A built site, before a service that knows its key, and before one that keeps what it is asked."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / f"kit-{request.param}"  # one build a run
    with FileLock(f"{shared}.lock"):
        site = build_site(request.param, shared)
    project = make_project(tmp_path_factory.mktemp("service") / "project")
    toml = project.root / "searchsocket.toml"
    toml.write_text(toml.read_text().replace("[api.rateLimit]\nmax = 0\n", TOML))
    app = create_app(open_project(project.root, {}), environ=ENVIRON, host="127.0.0.1")
    with listening(app) as service, recording() as recorder:
        environ = ENVIRON | {"SEARCHSOCKET_URL": f"http://127.0.0.1:{service}", "RECORDER": recorder.url}
        with running_site(site, environ) as port:
            yield Running(site, port, recorder)


def test_init_asks_the_site_itself(running: Running) -> None:
    site_output = running.site.said
    assert site_output["site"]["askedVite"] is True
    assert site_output["site"]["adapter"] == "@sveltejs/adapter-node"
    assert site_output["site"]["version"].split(".")[0] in running.site.root.name
    assert (site_output["byHand"], site_output["notUnderstood"], site_output["site"]["hasServer"]) == ([], [], True)


def test_search_is_answered_at_the_sites_own_address(running: Running) -> None:
    """As a stranger is answered, although the site has the key; all else is the site's."""
    port = running.port
    for body in (None, {"q": "battery"}):
        status, headers, text = ask(port, "/api/search" + ("?q=battery" if body is None else ""), body=body)
        assert (status, headers["content-type"]) == (200, "application/json"), text
        assert '"results":[{' in text
        assert "src/routes" not in text
    assert ask(port, "/api/search?q=battery&scope=secret-branch")[0] == 403
    assert ask(port, "/", accept="text/html")[1]["x-site"] == "its own hook"
    files = [*(running.site.root / "build/client").rglob("*.js")]
    assert files
    assert not [path for path in files if b"SEARCHSOCKET" in path.read_bytes()]


def test_each_visitor_is_counted_by_his_own_address(running: Running) -> None:
    answers = [ask(running.port, "/api/search?q=battery", address="127.0.1.1") for _ in range(LIMIT + 1)]
    assert [status for status, _, _ in answers] == [200] * LIMIT + [429]
    assert code_of(answers[-1][2]) == "RATE_LIMITED"
    assert ask(running.port, "/api/search?q=battery", address="127.0.1.2")[0] == 200


def test_without_a_key_the_address_goes_with_the_request_and_nothing_else_of_the_visitor(running: Running) -> None:
    before = len(running.recorder.requests)
    _, headers, _ = ask(
        running.port, "/kept/deep?a=%C3%B8", body={"q": "tide"}, address="127.0.1.3",
        cookie="secret=1", x_forwarded_for="6.6.6.6",
    )  # fmt: skip
    (request,) = running.recorder.requests[before:]
    assert (request["method"], request["path"], request["body"]) == ("POST", "/kept/deep?a=%C3%B8", '{"q": "tide"}')
    assert request["headers"]["x-forwarded-for"] == "127.0.1.3"
    assert not {"cookie", "authorization", "x-searchsocket-visitor"} & set(request["headers"])
    assert "set-cookie" not in headers


def test_agents_reach_mcp_with_a_key_of_their_own_and_pages_as_markdown(running: Running) -> None:
    port, address = running.port, "127.0.1.4"
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    accept = "application/json, text/event-stream"
    assert ask(port, "/mcp", body=hello, address=address, accept=accept)[0] == 401
    status, _, text = ask(port, "/mcp", body=hello, address=address, accept=accept, authorization=f"Bearer {KEY}")
    assert (status, '"serverInfo"' in text) == (200, True), text
    status, headers, text = ask(port, "/llms.txt", address=address)
    assert "/docs/install.md" in text
    assert ask(port, "/llms.txt", address=address, if_none_match=headers["etag"])[0] == 304
    expected = {"accept": "text/markdown, text/html;q=0.5"}
    status, headers, text = ask(port, "/docs/install", address=address, **expected)
    assert headers["content-type"] == "text/markdown; charset=utf-8"
    assert ask(port, "/docs/install.md", address=address)[2] == text
    assert "<h1>Fjord" in ask(port, "/", address=address, accept="text/html")[2]
    for page in ("docs/install", "about"):  # rendered when it is asked for, and by the build
        html = ask(port, f"/{page}", address=address, accept="text/html")[2]
        assert f'<link rel="alternate external" type="text/markdown" href="/{page}.md">' in html


def test_a_failed_answer_is_an_error_with_a_code(running: Running) -> None:
    """A body is not read to its end, a service that waits or is away is named to nobody."""
    before = len(running.recorder.requests)
    answer, accepted_bytes = send_without_end(running.port, "/kept", 50_000_000)
    assert b" 413 " in answer.split(b"\r\n")[0]
    assert b'"INVALID_REQUEST"' in answer
    assert accepted_bytes < 50_000_000
    assert len(running.recorder.requests) == before
    for path, status, code in (("/late/wait", 504, "TIMED_OUT"), ("/away", 503, "UNREACHABLE")):
        result, _, text = ask(running.port, path)
        assert (result, code_of(text)) == (status, code)
        assert not re.search(r"127\.0\.0\.1|localhost", text)
    assert ask(running.port, "/kept", body={}, method="PUT")[0] == 405
    assert running.recorder.arrived.acquire(timeout=60)
    assert running.recorder.left.acquire(timeout=60), "the time limit ends the work of the service"


@pytest.mark.parametrize("abruptly", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_closed_connection_ends_the_work_of_the_service(running: Running, method: str, abruptly: bool) -> None:
    recorder = running.recorder
    visitor = Leaving(running.port, method, "/kept/wait")
    assert recorder.arrived.acquire(timeout=60)
    assert not recorder.left.acquire(blocking=False)
    visitor.leave(abruptly=abruptly)
    assert recorder.left.acquire(timeout=60), "the service works on for nobody"
    assert ask(running.port, "/kept", body={"q": "tide"})[0] == 200
