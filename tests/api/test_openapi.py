"""The OpenAPI document: what client generators read, and what answers must hold to."""

import re
from pathlib import Path
from typing import Any

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from search_api.app import create_app

CODES = {
    "INVALID_REQUEST", "INVALID_SCOPE", "UNAUTHORIZED", "SCOPE_NOT_INDEXED", "PAGE_NOT_FOUND", "NOT_FOUND",
}  # fmt: skip
WORDS = ("battery", "docs", "/", "..", "main", "", "page", "é", "%", "\u0000", "\u202e", "a" * 300, "-1", "null")
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=30)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = [
    "q",
    "topK",
    "scope",
    "pathPrefix",
    "tags",
    "groupBy",
    "explain",
    "filters",
    "facets",
    "rerank",
    "sectionSnippets",
]
FUZZ = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def spec(api: Api) -> dict[str, Any]:
    answer: dict[str, Any] = api.get("/api/openapi.json").json()
    return answer


def test_every_operation_has_a_name_an_answer_and_errors(api: Api) -> None:
    """Generators name functions by operationId, and types by schema."""
    reply = spec(api)
    assert reply["openapi"].startswith("3.1")
    operations = {
        (path, method): operation for path, methods in reply["paths"].items() for method, operation in methods.items()
    }
    names = [operation["operationId"] for operation in operations.values()]
    assert sorted(names) == [
        "ask",
        "find",
        "findByUrl",
        "findDocuments",
        "getDocumentData",
        "getDocumentText",
        "getPage",
        "getPageByUrl",
        "health",
        "relatedPages",
        "search",
        "searchByUrl",
        "searchContent",
    ]
    for (path, _), operation in operations.items():
        assert operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert "422" not in operation["responses"]
        if path != "/api/health":
            assert {} in operation["security"]  # a key is optional
            assert {"400", "401", "403", "404", "429", "503"} <= operation["responses"].keys()
        errors = [answer for status, answer in operation["responses"].items() if int(status) >= 400]
        shapes = {error["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2] for error in errors}
        assert shapes <= {"ErrorResponse"} | ({"HealthResponse"} if path == "/api/health" else set())


def test_every_reference_leads_somewhere(api: Api) -> None:
    answer = spec(api)

    def check(node: Any) -> None:
        if isinstance(node, dict):
            if isinstance(ref := node.get("$ref"), str):
                assert ref.removeprefix("#/components/schemas/") in answer["components"]["schemas"]
            for value in node.values():
                check(value)
        elif isinstance(node, list):
            for value in node:
                check(value)

    check(answer)
    assert "HTTPValidationError" not in answer["components"]["schemas"]


def test_the_request_schema_tells_the_limits(api: Api) -> None:
    schema = spec(api)["components"]["schemas"]["SearchRequest"]
    assert schema["required"] == ["q"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["q"]["maxLength"] == 1000
    assert (schema["properties"]["topK"]["minimum"], schema["properties"]["topK"]["maximum"]) == (1, 100)
    assert schema["examples"]


def test_optional_fields_of_a_request_have_no_default_keyword(api: Api) -> None:
    """A generator takes a field with a default for one that is always there; the default is said in words."""
    properties = spec(api)["components"]["schemas"]["SearchRequest"]["properties"]
    assert not [name for name, field in properties.items() if "default" in field]
    assert properties["topK"]["description"].endswith("Default: 10.")


def test_the_document_names_the_filters_and_facets_of_this_project(tmp_path: Path) -> None:
    """Any other one is refused, so a client that is made from the document cannot send it."""
    toml = '[facets]\nversion = "string"\npages = "number"\ndraft = "boolean"\n'
    api = Api(create_app(make_project(tmp_path, toml), environ=ENVIRON, host="0.0.0.0"))
    answer = spec(api)
    schemas = answer["components"]["schemas"]
    filtered = [name for name, schema in schemas.items() if "filters" in schema.get("properties", {})]
    assert {"SearchRequest", "FindRequest", "AskRequest"} <= set(filtered)
    for name in filtered:
        [filters] = [item for item in schemas[name]["properties"]["filters"]["anyOf"] if item["type"] == "object"]
        assert (list(filters["properties"]), filters["additionalProperties"]) == (
            ["language", "kind", "version", "pages", "draft"], False,
        )  # fmt: skip
    properties = schemas["SearchRequest"]["properties"]
    [counted] = [entry for entry in properties["facets"]["anyOf"] if entry["type"] == "array"]
    assert counted["items"]["enum"] == ["version", "pages", "draft"]
    [pair] = [
        parameter["schema"]
        for parameter in answer["paths"]["/api/search"]["get"]["parameters"]
        if parameter["name"] == "filter"
    ]
    for text, answered in (
        ("language:pt-BR", True), ("kind:section", True), ("version:3 beta", True), ("pages:12", True),
        ("draft:true", True), ("kind:word", False), ("other:3", False), ("pages:many", False), ("draft:maybe", False),
    ):  # fmt: skip
        assert bool(re.search(pair["items"]["pattern"], text)) == answered
        name, _, value = text.partition(":")
        assert (api.get("/api/search", params={"q": "battery", "filter": text}).status_code == 200) == answered
        assert (api.post({"q": "battery", "filters": {name: value}}).status_code == 200) == answered
    assert api.post({"q": "battery", "filters": {"language": True}}).status_code == 400


def test_a_whole_number_may_be_written_with_a_point(api: Api) -> None:
    """`5.0` is an integer in JSON Schema, and so in the document."""
    assert len(api.post({"q": "battery", "topK": 1.0}).json()["results"]) == 1
    assert api.post({"q": "battery", "topK": 1.5}).status_code == 400


def test_the_document_tells_which_scopes_can_be_none(api: Api) -> None:
    """A client that is generated from it, or a fuzzer, need not find out by a refusal."""
    answer = spec(api)
    scope_schemas = [answer["components"]["schemas"]["SearchRequest"]["properties"]["scope"]]
    for path in ("/api/search", "/api/related", "/api/pages/{page}", "/api/pages"):
        scope_schemas += [
            parameter["schema"]
            for parameter in answer["paths"][path]["get"]["parameters"]
            if parameter["name"] == "scope"
        ]
    assert len(scope_schemas) == 5
    for schema in scope_schemas:
        [pattern] = [item["pattern"] for item in schema["anyOf"] if item["type"] == "string"]
        assert not re.search(pattern, "×Ù / ..")
        assert re.search(pattern, "main")


def holds(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> bool:
    """Return True if `value` matches `schema`; supports the part of JSON Schema that our document uses."""
    if "$ref" in schema:
        return holds(schemas[schema["$ref"].rpartition("/")[2]], value, schemas)
    if "anyOf" in schema:
        return any(holds(item, value, schemas) for item in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            required = set(schema.get("required", ()))
            return (
                isinstance(value, dict)
                and required <= value.keys() <= properties.keys()
                and all(holds(properties[key], inner, schemas) for key, inner in value.items())
            )
        case "array":
            items = schema.get("items", {})
            return isinstance(value, list) and all(holds(items, inner, schemas) for inner in value)
        case "number":
            return type(value) in (int, float) and schema.get("minimum", -1e99) <= value <= schema.get("maximum", 1e99)
        case "integer":
            return type(value) is int
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
    return True


@pytest.mark.parametrize(
    ("path", "headers"),
    [("/api/search?q=battery", {}), ("/api/search?q=battery&explain=true", {"authorization": f"Bearer {KEY}"}),
     ("/api/search?q=qzxjv", {}), ("/api/pages/docs/install", {}), ("/api/related?url=/docs/battery", {}),
     ("/api/health", {"authorization": f"Bearer {KEY}"}), ("/api/pages/none", {}), ("/api/search", {})],
)  # fmt: skip
def test_answers_are_what_the_document_says(api: Api, path: str, headers: dict[str, str]) -> None:
    reply = spec(api)
    template = "/api/pages/{page}" if "/pages/" in path else path.partition("?")[0]
    answer = api.get(path, headers=headers)
    responses = reply["paths"][template]["get"]["responses"]
    schema = responses[str(answer.status_code)]["content"]["application/json"]["schema"]
    assert holds(schema, answer.json(), reply["components"]["schemas"])


def _is_sound(answer: Any) -> bool:
    """An answer, or an error of the documented shape that is the caller's fault."""
    if answer.status_code == 200:
        return "error" not in answer.json()
    error = answer.json()["error"]
    return 400 <= answer.status_code < 500 and error["code"] in CODES and isinstance(error["message"], str)


@FUZZ
@given(body=st.dictionaries(st.sampled_from([*FIELDS, "x"]), JUNK, max_size=5) | JUNK)
def test_any_json_is_answered_or_refused(api: Api, body: Any) -> None:
    assert _is_sound(api.post(body))


@FUZZ
@given(
    q=st.text(min_size=1, max_size=60),
    top_k=st.integers(1, 100),
    prefix=st.text(max_size=20),
    tags=st.lists(st.text(min_size=1, max_size=10), max_size=3),
    group=st.sampled_from(["page", "chunk"]),
)
def test_any_well_formed_request_is_answered_or_refused(
    api: Api, q: str, top_k: int, prefix: str, tags: list[str], group: str
) -> None:
    body = {"q": q, "topK": top_k, "pathPrefix": prefix, "tags": tags, "groupBy": group}
    assert _is_sound(api.post(body, headers={"authorization": f"Bearer {KEY}"}))


@FUZZ
@given(name=st.sampled_from([*FIELDS, "tag", "url", "x"]), value=st.text(max_size=40), path=st.text(max_size=40))
def test_any_address_is_answered_or_refused(api: Api, name: str, value: str, path: str) -> None:
    from urllib.parse import quote

    value, path = quote(value, safe="", errors="replace"), quote(path, safe="/", errors="replace")
    for target in (
        f"/api/search?q=battery&{name}={value}",
        f"/api/related?{name}={value}",
        f"/api/pages/{path}?{name}={value}",
    ):
        answer = api.get(target)
        assert answer.status_code < 500
        assert answer.headers["content-type"].startswith(("application/json", "text/markdown"))


@FUZZ
@given(
    raw=st.binary(max_size=200),
    kind=st.sampled_from(["application/json", "application/json; charset=utf-16", "text/json"]),
)
def test_any_bytes_are_refused(api: Api, raw: bytes, kind: str) -> None:
    answer = api.request("POST", "/api/search", content=raw, headers={"content-type": kind})
    assert answer.status_code in (400, 415)


@FUZZ
@given(headers=st.dictionaries(
    st.sampled_from(["host", "origin", "authorization", "x-forwarded-for", "content-length", "cookie", "via"]),
    st.text(st.characters(min_codepoint=32, max_codepoint=255, blacklist_characters="\x7f"), max_size=40), max_size=4,
))  # fmt: skip
def test_any_headers_are_answered_or_refused(local: Api, headers: dict[str, str]) -> None:
    answer = local.get(
        "/api/search?q=battery", headers={name: value.encode("latin-1") for name, value in headers.items()}
    )
    assert answer.status_code in (200, 400, 401, 421)
