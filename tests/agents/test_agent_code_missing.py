"""Tools over code that was never indexed say what is missing, and offer no scope that has none either."""

from pathlib import Path
from typing import Any

import pytest

from searchsocket.project.project import open_project
from tests.agents.agent_project import TOML, call, offering, server_of, text_of
from tests.api_client import make_project


@pytest.fixture
def server(tmp_path: Path) -> Any:
    make_project(tmp_path)
    (tmp_path / "searchsocket.toml").write_text(TOML)
    return server_of(offering(open_project(tmp_path, {}), sync=False))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_code", {"query": "step"}),
        ("fetch", {"file": "src/steps.py"}),
        ("search_content", {"folder_id": "code", "exact_terms": ["step"]}),
        ("find_documents", {"folder_id": "code", "query": "step"}),
    ],
)
def test_code_that_is_not_indexed_is_named_as_that(server: Any, tool: str, arguments: dict[str, Any]) -> None:
    refused = call(server, tool, **arguments)
    assert refused.is_error
    text = text_of(refused)
    assert "the code of scope 'main' has no index yet; run `searchsocket index --only code --scope main`" in text
    assert "Indexed scopes" not in text
