"""Every page and endpoint answers, with each feature switched on alone and with all of them together."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_site import write_site
from starlette.testclient import TestClient

from search_api.app import create_app
from search_api.page.docs import curl
from searchsocket.cli.main import cli
from searchsocket.project.project import open_project

KEY = "a-key-of-the-tests-0123456789"
ENVIRON = {"SEARCHSOCKET_API_KEY": KEY, "JINA_API_KEY": "jina-key"}
FEATURES = {
    "nothing": "",
    "code": "[code]\nenable = true\n",
    "mcp": "[mcp]\nenable = true\n",
    "llms": "[llms]\nenable = true\n",
    "reranking": (
        '[rerank]\nprovider = "jina"\njina.base_url = "http://127.0.0.1:1/v1"\nprice_per_million_tokens_usd = 0.1\n'
    ),
    "facets": '[facets]\naudience = "string"\n',
    "api": '[api]\naccess_log = true\npublic_url = "https://search.example"\ncors.allow_origins = ["https://a.example"]\n',
}
PAGES = ("/", "/docs", "/llms.txt", "/llms-full.txt", "/metrics", "/docs/ropes.md", "/robots.txt", "/favicon.ico")
ALL = "\n".join(FEATURES.values())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed site without any feature."""
    root = write_site(tmp_path_factory.mktemp("plain") / "harbour")
    (root / "tool.py").write_text("def open_file():\n    return 1\n")
    index(root)
    return root


def index(root: Path) -> None:
    result = CliRunner().invoke(cli, ["index", "--project", str(root)])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", [*FEATURES, "all"])
def test_every_page_and_endpoint_answers(plain: Path, tmp_path: Path, name: str) -> None:
    root = shutil.copytree(plain, tmp_path / "harbour")
    with open(root / "searchsocket.toml", "a", encoding="utf-8") as file:
        file.write(f"\n{FEATURES.get(name, ALL)}")
    if name in ("code", "llms", "all"):  # the others change no index
        index(root)
    app = create_app(open_project(root, {}), environ=ENVIRON, host="127.0.0.1")
    with TestClient(app, base_url="http://127.0.0.1:8181", raise_server_exceptions=False) as api:
        document = api.get("/api/openapi.json").json()
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                command = curl("http://127.0.0.1:8181", path, method, operation, document["components"]["schemas"])
                *options, url = shlex.split(command)[1:]
                body = options[options.index("-d") + 1] if options else None
                for headers in ({}, {"authorization": f"Bearer {KEY}"}):
                    json_type = {"content-type": "application/json"}
                    answer = api.request(method, url, content=body, headers={**json_type, **headers})
                    assert answer.status_code < 500, f"{method} {url} {body}: {answer.text}"
                    assert answer.status_code not in (400, 422), f"{method} {url} {body}: {answer.text}"
        for path in PAGES:
            for headers in ({}, {"authorization": f"Bearer {KEY}"}):
                answer = api.get(path, headers=headers)
                assert answer.status_code < 500, f"{path}: {answer.text}"
        for path in ("/", "/docs"):
            assert api.get(path).status_code == 200
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        mcp = api.post("/mcp", content=json.dumps(ping), headers={"authorization": f"Bearer {KEY}"})
        assert mcp.status_code < 500
