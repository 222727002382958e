"""Clients that others' generators make of the description, built and used; and a fuzzer that reads it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import ENVIRON, Api, make_project
from running_service import listening
from search_site import NOW

from search_api.app import create_app

BIN = Path(sys.executable).parent
TOOLS = Path(__file__).parent / "typescript_client"  # what generates and compiles one, locked
PYTHON = """
import sys
from site_client import Client
from site_client.api.default import get_page, get_page_by_url, related_pages, search, search_by_url
from site_client.models import SearchRequest, SearchRequestFiltersType0

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
found = search.sync(client=client, body=SearchRequest(q="charging", top_k=2))
assert [one.url for one in found.results] == ["/docs-old/battery", "/docs/battery"], found
filtered = search.sync(client=client, body=SearchRequest(q="charging", filters=SearchRequestFiltersType0(version="3")))
assert filtered.total == 0
assert search_by_url.sync(client=client, q="charging", offset=1).results[0].url == "/docs/battery"
for url in ("docs/install", "/docs/install"):
    assert get_page.sync(url, client=client).url == "/docs/install"
assert get_page_by_url.sync(client=client, url_query="/docs/install").markdown.startswith("# Installation")
assert related_pages.sync(client=client, url_query="/docs/battery").results
missing = get_page.sync("docs/batteri", client=client)
assert missing.error.code == "PAGE_NOT_FOUND" and missing.error.suggestions
"""
TYPESCRIPT = """
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({ baseUrl: process.argv[2] });
const must = (holds: boolean, what: string) => { if (!holds) throw new Error(what); };

const { data } = await client.POST('/api/search', { body: { q: 'charging', topK: 2, groupBy: 'page' } });
must(data?.results[1].url === '/docs/battery' && data.total > 0, 'search');
const filtered = await client.POST('/api/search', { body: { q: 'charging', filters: { version: '3' } } });
must(filtered.data?.total === 0, 'filters');
const page = await client.GET('/api/pages/{page}', { params: { path: { page: 'docs/install' } } });
must(page.data?.url === '/docs/install', 'page by path');
const same = await client.GET('/api/pages', { params: { query: { url: '/docs/install' } } });
must(same.data?.markdown.startsWith('# Installation') === true, 'page by url');
const missing = await client.GET('/api/pages/{page}', { params: { path: { page: 'docs/batteri' } } });
must(missing.error?.error.code === 'PAGE_NOT_FOUND', 'error');
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a service with a facet, and the file of its description."""
    root = tmp_path_factory.mktemp("described")
    project = make_project(root / "site", '[facets]\nversion = "string"\n')
    app = create_app(project, environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW)
    description = root / "openapi.json"
    description.write_text(json.dumps(Api(app, base="http://127.0.0.1").get("/api/openapi.json").json()))
    with listening(app) as port:
        yield f"http://127.0.0.1:{port}", description


def run(*command: str, cwd: Path) -> None:
    # The generator looks for the formatter that came with it.
    environ = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-3000:]


def test_a_python_client_searches_and_reads_pages(served: tuple[str, Path], tmp_path: Path) -> None:
    base, description = served
    client_folder = tmp_path / "site_client"
    run(str(BIN / "openapi-python-client"), "generate", "--path", str(description), "--meta", "none", "--output-path",
        str(client_folder), "--fail-on-warning", cwd=tmp_path)  # fmt: skip
    run(sys.executable, "-c", PYTHON, base, cwd=tmp_path)


def test_a_typescript_client_searches_and_reads_pages(served: tuple[str, Path], tmp_path: Path) -> None:
    """With the generator's defaults: an optional field that had a default was required."""
    base, description = served
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm on this machine")
    shutil.copytree(TOOLS, tmp_path, dirs_exist_ok=True)
    fetched = subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=tmp_path, capture_output=True)
    if fetched.returncode != 0:
        pytest.skip("the npm registry cannot be reached")
    npx = str(tmp_path / "node_modules/.bin")
    run(f"{npx}/openapi-typescript", str(description), "-o", "schema.ts", cwd=tmp_path)
    (tmp_path / "client.ts").write_text(TYPESCRIPT)
    run(f"{npx}/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "client.ts", cwd=tmp_path)
    run("node", "client.js", base, cwd=tmp_path)


def test_only_requests_within_the_description_are_answered(served: tuple[str, Path], tmp_path: Path) -> None:
    """schemathesis: requests that the description allows and others, undeclared methods, answers of another shape."""
    base, _ = served
    # That a question names something to look for, and a token is one of ours, no schema says.
    (tmp_path / "schemathesis.toml").write_text(
        '[[operations]]\ninclude-path-regex = "/api/(content|documents)"\n'
        "checks.positive_data_acceptance.enabled = false\n"
    )
    run(str(BIN / "schemathesis"), "run", f"{base}/api/openapi.json", "--max-examples", "15", "--seed", "1",
        "--generation-database", "none", cwd=tmp_path)  # fmt: skip
