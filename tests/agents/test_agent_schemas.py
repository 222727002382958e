"""The tool list describes answers well enough to validate them, in few tokens: every session begins with it."""

import copy
import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field, TypeAdapter

from searchsocket.agents.arguments import Arguments, schema_of, shape_of
from searchsocket.agents.tool import output_schema
from searchsocket.agents.tools import TOOLS
from searchsocket.models.embedders.openai import vocabulary_of
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.all_capabilities import TOOL_NAMES
from searchsocket.text.token_count import count_tokens
from tests.agents.agent_project import call, list_tools, offering, server_of

MOST_TOKENS = 11_000  # of the whole list with schemas of answers, as they are counted; that is a third more than are
MOST_OF_CORE = 2_500  # by a vocabulary: of what each talk begins with unless somebody asks for more
CALLS: dict[str, dict[str, Any]] = {
    "search": {"query": "battery"},
    "get_page": {"url": "/docs/battery"},
    "related": {"url": "/docs/battery"},
    "search_code": {"query": "verifyToken"},
    "find_code": {"query": "verifyToken", "limit": 2},
    "fetch": {"file": "src/steps.py", "max_tokens": 200},
    "status": {},
    "sync": {},
    "search_content": {"folder_id": "site", "exact_terms": ["battery"], "limit": 1},
    "find_documents": {"folder_id": "site", "query": "battery"},
    "get_document_text": {"folder_id": "code", "file_path": "src/steps.py", "max_tokens": 200},
    "get_document_data": {"folder_id": "site", "file_path": "docs/battery.md"},
    "ask": {"question": "How long does the battery last?"},
}


def spoilt(value: Any) -> Iterator[Any]:
    """The value with one field gone, or of another type, wherever there is one."""
    if isinstance(value, dict):
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
            yield value | {name: 7 if isinstance(value[name], str) else "seven"}
            yield from (value | {name: item} for item in spoilt(value[name]))
    elif isinstance(value, list) and value:
        yield from ([entry, *value[1:]] for entry in spoilt(value[0]))


@pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
def test_the_listed_shape_refuses_what_the_whole_schema_refuses(agent_server: Any, tool: Any) -> None:
    whole = Draft202012Validator(TypeAdapter(tool.gives).json_schema(mode="serialization"))
    shape = Draft202012Validator(output_schema(tool.gives))
    answer = call(agent_server, tool.name, **CALLS[tool.name]).structured_content
    assert answer
    assert shape.is_valid(answer)
    refused = 0
    for wrong in spoilt(copy.deepcopy(answer)):
        assert shape.is_valid(wrong) == whole.is_valid(wrong), wrong
        refused += not shape.is_valid(wrong)
    assert refused > 10


def test_the_whole_list_is_few_tokens() -> None:
    listed = [
        [tool.description(TOOL_NAMES), schema_of(tool.takes), output_schema(tool.gives)] for tool in TOOLS.values()
    ]
    assert count_tokens(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) < MOST_TOKENS


def test_the_usual_list_is_a_quarter_of_it(agent_project: Project) -> None:
    tools = list_tools(server_of(offering(agent_project, "core", structured_content=False)))
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    tokens = vocabulary_of("text-embedding-3-small")
    assert tokens
    assert tokens(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) < MOST_OF_CORE


def test_a_part_that_is_used_twice_or_within_itself_stays_a_part() -> None:
    node = {"properties": {"title": {"type": "string", "title": "T"}, "below": {"$ref": "#/$defs/Node"}}}
    leaf = {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "words"}
    schema = {"$defs": {"Node": node, "Leaf": leaf}, "properties": {"a": {"$ref": "#/$defs/Node"},
              "b": {"$ref": "#/$defs/Leaf"}}}  # fmt: skip
    assert shape_of(schema) == {
        "$defs": {"Node": {"properties": {"title": {"type": "string"}, "below": {"$ref": "#/$defs/Node"}}}},
        "properties": {"a": {"$ref": "#/$defs/Node"}, "b": {"type": ["string", "null"]}},
    }


def test_docstrings_of_argument_models_are_not_listed() -> None:
    """The tool's own description says it already, and each talk pays for the list."""

    class Documented(Arguments):
        """For readers of the code."""

        query: Annotated[str, Field(description="For the agent.")]

    schema = schema_of(Documented)
    assert "description" not in schema
    assert schema["properties"]["query"]["description"] == "For the agent."
    assert not [tool.name for tool in TOOLS.values() if "description" in schema_of(tool.takes)]
