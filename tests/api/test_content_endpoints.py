"""Content over HTTP: the document's envelope, the tiers of the API, errors in the one shape."""

from typing import Any

import pytest
from api_client import KEY, Api

TRUSTED = {"headers": {"authorization": f"Bearer {KEY}"}}
SEARCH, DOCUMENTS, ASK = "/api/content/search", "/api/documents", "/api/ask"


def post(api: Api, path: str, **body: Any) -> dict[str, Any]:
    answer = api.post(body, path)
    assert answer.status_code == 200, answer.text
    reply: dict[str, Any] = answer.json()
    return reply


def test_a_search_answers_in_the_documented_envelope(api: Api) -> None:
    answer = post(api, SEARCH, folder_id="site", semantic_concepts=["battery"], exact_terms=["dock"], limit=2)
    assert {"data", "status", "continuation", "navigation_hints"} <= answer.keys()
    first = answer["data"]["results"][0]
    assert {"chunk_id", "file_path", "content", "relevance_score", "chunk_index", "document_keywords"} <= first.keys()
    assert (first["file_path"], first["raw"]["exact_terms"]) == ("docs/battery.md", ["dock"])
    message = "found 7 results: all of the folder, nearest first; these are 1 to 2"
    assert answer["status"] == {"success": True, "code": 200, "message": message}
    alone = post(api, SEARCH, folder_id="site", exact_terms=["dock"])
    assert alone["status"]["message"] == f"found {alone['data']['statistics']['total_results']} results"
    assert first["source"]["route_file"] is first["source"]["lines"] is None
    token = answer["continuation"]["next_token"]
    rest = post(api, SEARCH, folder_id="site", continuation_token=token)
    assert rest["status"]["message"].endswith("nearest first; these are 3 to 4")
    assert rest["data"]["results"][0]["chunk_id"] not in {result["chunk_id"] for result in answer["data"]["results"]}


def test_a_file_path_goes_into_every_request(api: Api) -> None:
    answer = post(api, DOCUMENTS, folder_id="main/site", query="charging the battery")["data"]["documents"][0]
    text = post(api, f"{DOCUMENTS}/text", folder_id="site", file_path=answer["file_path"])["data"]
    data = post(api, f"{DOCUMENTS}/data", folder_id="site", file_path=answer["file_path"])["data"]
    assert answer["title"] == data["title"] == "Battery"
    assert "nine hours" in text["text"]
    assert "nine hours" in data["chunks"][0]["content"]


def test_trusted_callers_read_the_source_of_a_document(api: Api) -> None:
    body = {"folder_id": "site", "exact_terms": ["dock"]}
    first = api.post(body, SEARCH, **TRUSTED).json()["data"]["results"][0]
    assert first["source"]["route_file"] == "src/routes/docs/battery/+page.svelte"
    for folder in ("code", "secret-branch/site"):
        refused = api.post(body | {"folder_id": folder}, SEARCH)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "INVALID_SCOPE")
    assert api.post(body | {"folder_id": "secret-branch/site"}, SEARCH, **TRUSTED).status_code == 200


def test_a_question_is_answered_with_cited_sentences(api: Api) -> None:
    answer = post(api, ASK, question="How many hours does the battery last?")
    assert answer["answered"]
    assert answer["passages"][0]["text"].startswith("The battery lasts nine hours.")
    assert answer["passages"][0]["href"] == "/docs/battery#charging"
    assert answer["passages"][0]["routeFile"] is answer["passages"][0]["source"] is None
    nothing = post(api, ASK, question="Which bank gives the best mortgage rates in Denmark?")
    assert (nothing["answered"], nothing["passages"]) == (False, [])
    assert nothing["message"].startswith("not found")


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        (SEARCH, {"folder_id": "site"}, 400, "INVALID_REQUEST"),
        (SEARCH, {"folder_id": "nothing", "exact_terms": ["a"]}, 400, "INVALID_REQUEST"),
        (SEARCH, {"folder_id": "site", "exact_terms": ["a"], "limit": 51}, 400, "INVALID_REQUEST"),
        (SEARCH, {"folder_id": "site", "exact_terms": ["a"], "max_tokens": 1}, 400, "INVALID_REQUEST"),
        (SEARCH, {"folder_id": "site", "exact_terms": ["\u200b"]}, 400, "INVALID_REQUEST"),
        (SEARCH, {"folder_id": "site", "words": ["a"]}, 400, "INVALID_REQUEST"),
        (SEARCH, {"folder_id": "site", "continuation_token": "x"}, 404, "CONTINUATION_GONE"),
        (DOCUMENTS, {"folder_id": "site"}, 400, "INVALID_REQUEST"),
        (f"{DOCUMENTS}/text", {"folder_id": "site", "file_path": "none.md"}, 404, "PAGE_NOT_FOUND"),
        (
            f"{DOCUMENTS}/text",
            {"folder_id": "site", "file_path": "docs/battery.md", "chunk_id": "/docs/battery#x~0@0"},
            404,
            "CHUNK_GONE",
        ),
        (ASK, {"question": " "}, 400, "INVALID_REQUEST"),
        (ASK, {"question": "a", "scope": "other"}, 403, "INVALID_SCOPE"),
    ],
)
def test_errors_have_the_one_shape(api: Api, path: str, body: dict[str, Any], status: int, code: str) -> None:
    answer = api.post(body, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text


def test_the_folder_has_another_name_too(api: Api) -> None:
    """As the document's own examples write it."""
    same = post(api, SEARCH, folder_id="site", exact_terms=["dock"])
    assert post(api, SEARCH, base_folder_path="site", exact_terms=["dock"])["data"] == same["data"]
    file_path = same["data"]["results"][0]["file_path"]
    text = post(api, f"{DOCUMENTS}/text", base_folder_path="site", file_path=file_path)
    assert text["data"] == post(api, f"{DOCUMENTS}/text", folder_id="site", file_path=file_path)["data"]


@pytest.mark.parametrize(
    ("path", "body", "options"),
    [
        ("/api/search", {"q": "battery"}, {"topK": 1, "pathPrefix": "/docs"}),
        ("/api/find", {"q": "battery"}, {"limit": 1}),
        (SEARCH, {"folder_id": "site", "exact_terms": ["dock"]}, {"limit": 1}),
        (ASK, {"question": "How many hours does the battery last?"}, {"limit": 1}),
    ],
)
def test_optional_fields_may_be_in_an_object(
    api: Api, path: str, body: dict[str, Any], options: dict[str, Any]
) -> None:
    """The tools of agents take them in `opts` too; a field in both, and an unknown one, stay errors."""
    together, apart = (post(api, path, **body, **rest) for rest in (options, {"opts": options}))
    assert without_times(apart) == without_times(together)
    for wrong in ({"opts": {"colour": "red"}}, {"opts": options, **options}, {"opts": "topK"}):
        assert api.post(body | wrong, path).status_code == 400


def without_times(answer: Any) -> Any:
    """The answer without the times that differ between two equal requests."""
    if isinstance(answer, dict):
        timed = ("timingsMs", "ageSeconds", "age_seconds", "timings_ms")
        return {key: without_times(value) for key, value in answer.items() if key not in timed}
    return [without_times(item) for item in answer] if isinstance(answer, list) else answer
