"""The types of the TypeScript client name the fields of the OpenAPI document, with the same ones optional."""

import re
from pathlib import Path
from typing import Any

import pytest

from search_api.app import create_app
from searchsocket.project.project import open_project
from tests.small_site import write_site

TYPES = Path(__file__).parents[2] / "clients/js/src/types.ts"
# Interface -> schema.
PAIRS = {
    "SearchRequest": "SearchRequest", "SearchAnswer": "SearchResponse", "Result": "ResultModel",
    "Section": "SectionModel", "AlikePage": "AlikePage", "FileLines": "FileLines", "Explanation": "ExplanationModel",
    "AppliedRule": "AppliedRule", "Note": "Note", "AnswerVersions": "AnswerVersions",
    "FeaturePart": "FeaturePart", "AnswerModel": "AnswerModel",
}  # fmt: skip
ADDED = {"Result": {"origin"}}  # by the client, where several sites are searched


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = write_site(tmp_path_factory.mktemp("types") / "site")
    return create_app(open_project(root, {}), environ={}).openapi()["components"]["schemas"]


@pytest.mark.parametrize("name", PAIRS)
def test_an_interface_has_the_fields_of_its_schema(schemas: Any, name: str) -> None:
    schema = schemas[PAIRS[name]]
    interface = fields(name)
    assert interface.keys() - ADDED.get(name, set()) == schema["properties"].keys()
    may_be_absent = {field for field, is_optional in interface.items() if is_optional}
    assert may_be_absent >= schema["properties"].keys() - set(schema["required"]) - always(schema)


def fields(name: str) -> dict[str, bool]:
    """The fields of an interface, and whether each may be absent."""
    body = re.search(rf"export interface {name} {{\n(.*?)\n}}", TYPES.read_text(encoding="utf-8"), re.DOTALL)
    assert body
    return {field: mark == "?" for field, mark in re.findall(r"^  (\w+)(\??): ", body[1], re.MULTILINE)}


def always(schema: Any) -> set[str]:
    """Fields that have a default and are written all the same."""
    return {name for name, field in schema["properties"].items() if field.get("default") in ([], "answered")}
