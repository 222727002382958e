"""Passages, documents and parts of long texts, as agents go through them."""

from pathlib import Path
from typing import Any

import pytest
from search_site import DOCS, Piece, Site

from searchsocket.project.project import Project
from searchsocket.stores.local.store import LocalStore
from tests.agents.agent_project import ERAS, call, make_agent_project, offering, server_of, text_of
from tests.api_client import body_of
from tests.extensions.code.code_project import CodeProject

LONG = "\n\n".join(f"## Part {n} {{#part-{n}}}\n\n" + f"Sentence {n} of the long page. " * 40 for n in range(30))


@pytest.mark.parametrize("mode", ERAS)
def test_passages_are_found_to_the_letter_and_gone_through_by_token(agent_server: Any, mode: str) -> None:
    chunk_ids: list[str] = []
    arguments: dict[str, Any] = {"exact_terms": ["battery"], "limit": 2}
    while True:
        answer = call(agent_server, "search_content", mode, folder_id="site", **arguments)
        assert not answer.is_error, text_of(answer)
        data = answer.structured_content
        chunk_ids += [result["chunk_id"] for result in data["data"]["results"]]
        token = data["continuation"]["next_token"]
        if not token:
            break
        assert text_of(answer).count(token) == 1  # of which each costs a hundred tokens
        assert f'continuation_token="{token}"' in text_of(answer)
        assert f"; these are {len(chunk_ids) - 1} to {len(chunk_ids)} (" in text_of(answer)
        arguments = {"continuation_token": token}
    assert len(chunk_ids) == len(set(chunk_ids)) == data["data"]["statistics"]["total_results"] > 2


def test_a_result_leads_to_its_document(agent_server: Any) -> None:
    """The same `file_path` and `chunk_id` go into every tool."""
    answer = call(agent_server, "find_documents", folder_id="site", query="how the battery is charged")
    path = answer.structured_content["data"]["documents"][0]["file_path"]
    assert "Next:" in text_of(answer)
    read = call(agent_server, "get_document_text", folder_id="site", file_path=path)
    assert "The battery lasts nine hours." in text_of(read)
    outline = call(agent_server, "get_document_data", folder_id="main/site", file_path=path)
    chunk = outline.structured_content["data"]["chunks"][0]["chunk_id"]
    assert not call(agent_server, "get_document_text", folder_id="site", file_path=path, chunk_id=chunk).is_error
    code = call(agent_server, "search_content", folder_id="code", exact_terms=["verifyToken"])
    assert code.structured_content["data"]["results"][0]["file_path"].endswith((".ts", ".svelte"))


def test_a_description_that_every_page_has_is_no_summary(tmp_path: Path) -> None:
    """Templates give all pages that of the home page, and a list to choose from would say the same of each."""
    project = make_agent_project(tmp_path / "template")
    pieces = [
        Piece("/", "Welcome to ropes.", description="All about ropes"),
        Piece("/knots", "A bowline holds a rope.", description="All about ropes"),
        Piece("/hooks", "A hook holds a rope, too.", description="What hooks are for"),
    ]
    Site(LocalStore(project.state_dir / "index", project.id)).publish(pieces)
    answer = call(server_of(project), "find_documents", folder_id="site", query="rope").structured_content
    summaries = {document["file_path"]: document["summary"] for document in answer["data"]["documents"]}
    assert summaries["knots.md"] == "A bowline holds a rope."
    assert summaries["hooks.md"] == "What hooks are for"


@pytest.mark.parametrize("mode", ERAS)
def test_a_question_is_answered_with_cited_sentences_or_refused(agent_server: Any, mode: str) -> None:
    answer = call(agent_server, "ask", mode, question="How long does the battery last?")
    best = answer.structured_content["passages"][0]
    assert (best["url"], best["routeFile"]) == ("/docs/battery", "src/routes/docs/battery/+page.svelte")
    assert "The battery lasts nine hours." in text_of(answer)
    refused = call(agent_server, "ask", mode, question="Which emperor invented marmalade?")
    assert not refused.is_error
    assert "(confidence that anything here answers it 0." in text_of(refused)
    assert refused.structured_content["passages"] == []


def test_next_actions_name_only_offered_tools(agent_project: Project) -> None:
    """A call of a tool that is not there would be a step into nothing."""
    server = server_of(offering(agent_project, "search_content", "get_document_text"))
    answer = call(server, "search_content", folder_id="site", exact_terms=["battery"])
    text = text_of(answer) + str(answer.structured_content["navigation_hints"])
    assert "get_document_text(" in text
    assert "find_documents(" not in text


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "words"),
    [
        ("search_content", {"folder_id": "site"}, "INVALID_REQUEST", "semantic_concepts, exact_terms, or both"),
        ("search_content", {"folder_id": "attic"}, "INVALID_REQUEST", "'attic' is unknown"),
        ("search_content", {"folder_id": "site", "continuation_token": "x"}, "CONTINUATION_GONE", "start again"),
        ("get_document_text", {"folder_id": "site", "file_path": "no.md"}, "PAGE_NOT_FOUND", "no.md"),
        ("get_page", {"url": "/docs/battery", "continuationToken": "x"}, "CONTINUATION_GONE", "start again"),
        (
            "get_page",
            {"url": "/docs/battery", "maxTokens": 3},
            "INVALID_REQUEST",
            "maxTokens: must be 0, or 200 or more, not 3",
        ),
        ("ask", {"question": "Why?", "maxTokens": 199}, "INVALID_REQUEST", "maxTokens: must be 0, or 200 or more"),
        ("find_documents", {"folder_id": "site", "max_tokens": 3}, "INVALID_REQUEST", "max_tokens: must be 0, or 200"),
    ],
)
def test_a_wrong_call_is_told_what_to_send(
    agent_server: Any, tool: str, arguments: dict[str, Any], code: str, words: str
) -> None:
    answer = call(agent_server, tool, **arguments)
    assert answer.structured_content["error"]["code"] == code
    assert words in answer.structured_content["error"]["message"]


def test_a_long_page_is_read_in_parts_of_whole_sections(tmp_path: Path) -> None:
    """Clients cut answers of more than 25,000 tokens, wherever that is."""
    project = make_agent_project(tmp_path / "long")
    site = Site(LocalStore(project.state_dir / "index", project.id))
    site.publish([*DOCS, Piece("/long", LONG)], bodies=[body_of("main", "/long", LONG)])
    server = server_of(project)
    parts: list[str] = []
    token = ""
    while True:
        answer = call(server, "get_page", url="/long", max_tokens=2_000, continuation_token=token)
        parts.append(answer.structured_content["markdown"])
        token = answer.structured_content["continuationToken"] or ""
        if not token:
            break
    assert len(parts) > 3
    assert all(part.startswith("## Part ") for part in parts)
    assert "".join(parts) == LONG


def test_lines_of_files_are_fetched_within_a_number_of_tokens(agent_server: Any) -> None:
    answer = call(agent_server, "fetch", file="src/steps.py", max_tokens=200)
    assert answer.structured_content["truncated"]
    last = answer.structured_content["files"][0]["text"][-1].partition("|")[0]
    assert f"lines '{int(last) + 1}-120'" in text_of(answer)
    assert answer.structured_content["left"] == [{"file": "src/steps.py", "firstLine": int(last) + 1, "lastLine": 120}]


def test_every_file_that_does_not_fit_is_named(agent_server: Any) -> None:
    ids = [f"src/steps.py:{first}-{first + 19}" for first in (1, 21, 41, 61, 81)]
    whole = call(agent_server, "fetch", ids=ids).structured_content
    answer = call(agent_server, "fetch", ids=ids, max_tokens=200).structured_content
    assert answer["left"]
    lines = [line for file in answer["files"] for line in file["text"]]
    for rest in answer["left"]:
        request = {"file": rest["file"], "lines": f"{rest['firstLine']}-{rest['lastLine']}"}
        lines += [
            line
            for passage in call(agent_server, "fetch", **request).structured_content["files"]
            for line in passage["text"]
        ]
    assert lines == [line for entry in whole["files"] for line in entry["text"]]


def test_a_preview_says_how_many_lines_it_leaves_out(tmp_path: Path) -> None:
    """The first lines of a function read like all of it."""
    code = CodeProject(tmp_path / "long")
    lines = "\n".join(f"    rope = rope[{n}:]" for n in range(40))
    (code.root / "src" / "unwind.py").write_text(f"def unwind(rope):\n{lines}\n    return rope\n")
    code.index()
    answer = call(server_of(offering(code.project, structured_content=True)), "search_code", query="unwind", limit=1)
    [best] = answer.structured_content["results"]
    assert best["lines"] == "1-42"
    assert f"({42 - len(best['preview'].splitlines())} more lines: fetch them)" in text_of(answer)
