"""One spelling of arguments for all tools, and the other names that mean them."""

from typing import Any

import pytest

from searchsocket.agents.arguments import ALIASES, names_for, names_of, read_arguments, snake_case
from searchsocket.agents.tools import TOOLS
from searchsocket.errors import InvalidRequest
from searchsocket.project.project import Project
from searchsocket.system.json_text import camel_case
from tests.agents.agent_project import ERAS, call, offering, server_of, text_of


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "same"),
    [
        ("search", {"query": "battery", "opts": {"topK": 1, "pathPrefix": "/docs"}},
         {"query": "battery", "topK": 1, "pathPrefix": "/docs"}),
        ("get_page", {"pathOrUrl": "/docs/battery", "opts": {"scope": "main"}},
         {"pathOrUrl": "/docs/battery", "scope": "main"}),
        ("search_code", {"action": "search", "query": "step", "limit": 1}, {"query": "step", "topK": 1}),
        ("get_document_text", {"base_folder_path": "site", "file_path": "docs/battery.md"},
         {"folder_id": "site", "file_path": "docs/battery.md"}),
        ("get_page", {"href": "/docs/battery#charging"}, {"url": "/docs/battery"}),
        ("get_document_text", {"url": "/docs/battery.html"}, {"file_path": "docs/battery.md"}),
        ("get_document_data", {"url": "/docs/battery"}, {"file_path": "docs/battery.md", "folder_id": "main/site"}),
        ("ask", {"query": "How long does the battery last?"}, {"question": "How long does the battery last?"}),
        ("fetch", {"file_path": "src/steps.py", "lines": "1-2"}, {"file": "src/steps.py", "lines": "1-2"}),
        ("fetch", {"file": "src/steps.py:1-2"}, {"file": "src/steps.py", "lines": "1-2"}),
        ("search_code", {"query": "step", "language": "python", "kind": "function", "glob": "src"},
         {"query": "step", "languages": ["python"], "kinds": ["function"], "path": "src"}),
        ("related", {"url": "/docs/battery", "project": "site"}, {"url": "/docs/battery", "scope": "main"}),
        ("find_documents", {"query": "battery", "scope": "main"}, {"query": "battery", "folder_id": "main/site"}),
        ("search_content", {"exact_terms": ["battery"], "topK": 1}, {"exact_terms": ["battery"], "limit": 1}),
        ("search_content", {"base_folder_path": "site", "exact_terms": ["battery"], "limit": 1},
         {"folder_id": "site", "exact_terms": ["battery"], "limit": 1}),
    ],
)  # fmt: skip
def test_an_alias_means_the_same(
    agent_server: Any, mode: str, tool: str, arguments: dict[str, Any], same: dict[str, Any]
) -> None:
    answer, expected = call(agent_server, tool, mode, **arguments), call(agent_server, tool, mode, **same)
    assert not answer.is_error, text_of(answer)
    assert answer.structured_content == expected.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("search_code", {"action": "delete", "query": "step"}, "'action' is not an argument"),
        ("search", {"query": "battery", "opts": {"colour": "red"}}, "'colour' is not an argument"),
        ("search", {"query": "battery", "topK": 1, "opts": {"topK": 2}}, "'opts' is not an argument"),
        ("search", {"query": "battery", "topK": 1, "opts": {"limit": 2}}, "topK and limit are the same argument"),
        ("search_code", {"query": "step", "topK": 2, "limit": 2}, "topK and limit are the same argument"),
        ("get_page", {"pathOrUrl": "/docs/battery", "url": "/docs"}, "pathOrUrl and url are the same argument"),
        ("search", {"query": "battery", "project": "other"}, "this server has the project 'site', not 'other'"),
        ("find_documents", {"query": "x", "folder_id": "old/site", "scope": "main"}, "name two scopes"),
        ("get_document_text", {"url": "/docs/battery", "file_path": "docs/battery.md"}, "either `file_path`"),
        ("get_document_data", {}, "either `file_path`, as results give it, or the `url`"),
        ("search", {"query": "battery", "opts": "topK"}, "'opts' is not an argument"),
    ],
)
def test_an_unknown_argument_is_still_refused(
    agent_server: Any, tool: str, arguments: dict[str, Any], complaint: str
) -> None:
    """No argument is dropped in silence."""
    refused = call(agent_server, tool, **arguments)
    assert refused.is_error
    assert complaint in text_of(refused)


def test_arguments_are_spelled_in_one_way_by_all_tools() -> None:
    names = {name for tool in TOOLS.values() for name in names_of(tool.takes)}
    assert names == {snake_case(name) for name in names}
    others = {alias for _, aliases in ALIASES.items() for alias in aliases} - ALIASES.keys()
    assert not names & others
    for tool in TOOLS.values():
        assert "scope" in names_of(tool.takes), tool.name
        assert "project" not in names_of(tool.takes)
    paged = {name for name, tool in TOOLS.items() if "url" in names_of(tool.takes)}
    assert paged == {"get_page", "related", "get_document_text", "get_document_data"}
    listing = {name for name, tool in TOOLS.items() if "limit" in names_of(tool.takes)}
    assert listing == {"search", "related", "search_code", "find_code", "search_content", "find_documents", "ask"}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_every_name_of_the_table_means_its_argument(tool: Any) -> None:
    """In snake_case and in camelCase; a wrong value is complained about by the name that was sent."""
    for alias, argument in names_for(names_of(tool.takes)):
        for name in {alias, camel_case(alias)}:
            with pytest.raises(InvalidRequest, match=f"{name}: .*, not "):
                read_arguments(tool.takes, {name: {"no": "value"}})
            with pytest.raises(InvalidRequest) as refused:
                read_arguments(
                    tool.takes, {name: {}, argument: {}} if name != argument else {name: {}, name.upper(): {}}
                )
            assert name in str(refused.value)


def test_without_pages_the_usual_folder_is_the_code(tmp_path: Any, agent_project: Project) -> None:
    from searchsocket.agents.library import Library

    server = server_of(offering(agent_project))
    assert "docs/battery.md" in text_of(call(server, "search_content", exact_terms=["battery"]))
    library = Library(None, agent_project.scope_named("main"), has_pages=False)  # type: ignore[arg-type]
    assert library.folder("") == "main/code"
    assert library.folder("old/site") == "main/site"
