"""Related items: code near code, pages that document it, and code that a page mentions."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.errors import InvalidRequest, PageNotFound
from searchsocket.extensions.code.search.related import RelatedCode, RelatedQuery
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow
from tests.small_site import write_site

PAGE = (
    "<html lang=en><head><title>Signing in</title></head><body><main><h1>Signing in</h1><p>A token comes by mail.</p>"
    "<h2 id=check>Checking</h2><p>Call <code>verifyToken(token)</code> in your hook, and keep <code>step_7</code>.</p>"
    "<pre><code>import { verifyToken } from './auth/token';\nif (await verifyToken(token)) enter();</code></pre>"
    "</main></body></html>"
)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> CodeProject:
    """A project with source code and the site that documents it."""
    code = CodeProject(write_site(tmp_path_factory.mktemp("related") / "site"))
    grow(code.root, {"build/docs/sign-in/index.html": PAGE})
    index_scope(ScopeRun(code.project, code.project.scope_named("main"), "run-site"))
    code.index()
    return code


def related(project: CodeProject, **query: object) -> RelatedCode:
    return open_code(project.project, {}).related(RelatedQuery(**query), "main")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query", [{"symbol": "verifyToken"}, {"file": "src/auth/token.ts", "line": 5}, {"symbol": "verifytoken"}]
)
def test_a_definition_is_documented_by_the_pages_that_say_its_name_in_code(
    both: CodeProject, query: dict[str, object]
) -> None:
    answer = related(both, **query)
    [page] = answer.pages
    assert (answer.subject, page.url, page.section_title, page.mentions) == (
        "verifyToken", "/docs/sign-in", "Checking", 3,
    )  # fmt: skip
    assert page.href.endswith("#check")
    assert "`verifyToken(token)`" in page.text


def test_code_near_a_chunk_is_other_code(both: CodeProject) -> None:
    first = related(both, symbol="step_7", top_k=3)
    assert {item.file for item in first.code[:2]} == {"src/steps.py"}
    assert "step_7" not in {entry.symbol for entry in first.code}
    by_id = related(both, id=first.code[0].id)
    assert by_id.subject == first.code[0].symbol
    assert [element.similarity for element in first.code] == sorted(
        (one.similarity for one in first.code), reverse=True
    )


def test_a_page_names_the_code_that_it_mentions_most_first(both: CodeProject) -> None:
    answer = related(both, url="/docs/sign-in")
    assert [(item.symbol, item.file) for item in answer.code] == [
        ("verifyToken", "src/auth/token.ts"), ("step_7", "src/steps.py"),
    ]  # fmt: skip
    assert related(both, url="/docs/tides").code == ()


def test_a_missing_item_is_an_error(both: CodeProject) -> None:
    for query in ({"symbol": "noSuchName"}, {"file": "src/none.py"}, {"url": "/docs/none"}):
        with pytest.raises(PageNotFound):
            related(both, **query)
    for query in ({}, {"symbol": "a", "url": "/b"}, {"id": "none"}, {"symbol": "a", "top_k": 0}):
        with pytest.raises(InvalidRequest):
            related(both, **query)


def test_code_without_a_site_has_no_pages(tmp_path: Path) -> None:
    code = CodeProject(tmp_path / "site")
    code.index()
    answer = related(code, symbol="verifyToken")
    assert (answer.pages, bool(answer.code)) == ((), True)


def test_the_command_prints_both_directions(both: CodeProject) -> None:
    def run(*arguments: str) -> str:
        return CliRunner().invoke(cli, ["code", "related", *arguments, "--project", str(both.root)]).output

    assert "Signing in › Checking  /docs/sign-in#check" in run("verifyToken").replace(".html", "")
    assert run("/docs/sign-in").startswith("src/auth/token.ts:1  function verifyToken")
    assert run("src/auth/token.ts:5").endswith("1 page documenting it\n")
    assert json.loads(run("verifyToken", "--json"))["pages"][0]["mentions"] == 3
