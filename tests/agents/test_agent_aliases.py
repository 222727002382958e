"""Names of arguments that the documents' own examples write, beside those of the schemas."""

from typing import Any

import pytest

from tests.agents.agent_project import ERAS, call, text_of


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("tool", "sent", "same"),
    [
        ("search", {"query": "battery", "opts": {"topK": 1, "pathPrefix": "/docs"}},
         {"query": "battery", "topK": 1, "pathPrefix": "/docs"}),
        ("get_page", {"pathOrUrl": "/docs/battery", "opts": {"scope": "main"}},
         {"pathOrUrl": "/docs/battery", "scope": "main"}),
        ("search_code", {"action": "search", "query": "step", "limit": 1}, {"query": "step", "topK": 1}),
        ("get_document_text", {"base_folder_path": "site", "file_path": "docs/battery.md"},
         {"folder_id": "site", "file_path": "docs/battery.md"}),
        ("search_content", {"base_folder_path": "site", "exact_terms": ["battery"], "limit": 1},
         {"folder_id": "site", "exact_terms": ["battery"], "limit": 1}),
    ],
)  # fmt: skip
def test_an_alias_means_the_same(
    agent_server: Any, mode: str, tool: str, sent: dict[str, Any], same: dict[str, Any]
) -> None:
    found, expected = call(agent_server, tool, mode, **sent), call(agent_server, tool, mode, **same)
    assert not found.is_error, text_of(found)
    assert found.structured_content == expected.structured_content


@pytest.mark.parametrize(
    ("tool", "sent", "complaint"),
    [
        ("search_code", {"action": "delete", "query": "step"}, "'action' is not an argument"),
        ("search", {"query": "battery", "opts": {"colour": "red"}}, "'colour' is not an argument"),
        ("search", {"query": "battery", "topK": 1, "opts": {"topK": 2}}, "'opts' is not an argument"),
        ("search", {"query": "battery", "opts": "topK"}, "'opts' is not an argument"),
    ],
)
def test_what_means_nothing_is_still_refused(
    agent_server: Any, tool: str, sent: dict[str, Any], complaint: str
) -> None:
    """No argument is dropped in silence."""
    refused = call(agent_server, tool, **sent)
    assert refused.is_error
    assert complaint in text_of(refused)
