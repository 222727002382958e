"""Every action that an answer proposes can be called as written, and has results."""

import ast
from datetime import UTC, datetime
from typing import Any

import pytest
from content_project import content_project

from searchsocket.search.answering.answer import AskQuery
from searchsocket.search.content.answer import ContentQuery
from searchsocket.search.content.document import DocumentQuery
from searchsocket.search.content.documents import DocumentsQuery
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import open_service

NOW = datetime(2026, 1, 1, 1, tzinfo=UTC)
QUERIES = {
    "search_content": ContentQuery,
    "find_documents": DocumentsQuery,
    "get_document_text": DocumentQuery,
    "get_document_data": DocumentQuery,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> ContentService:
    project = content_project(tmp_path_factory.mktemp("notes"))
    return open_content(project, {}, open_service(project, {}, clock=lambda: NOW), clock=lambda: NOW)


def answer_of(service: ContentService, action: str) -> Any:
    """Return the answer of the call in an action."""
    call = ast.parse(action.partition(": ")[2] or action, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    assert call.func.id in QUERIES
    arguments = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    folder = arguments.pop("folder_id")
    lists = {name: tuple(value) if isinstance(value, list) else value for name, value in arguments.items()}
    return getattr(service, call.func.id)(folder, QUERIES[call.func.id](**lists), trusted=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"semantic_concepts": ("lock",), "limit": 2},
        {"exact_terms": ("vec0", "MATCH")},
        {"semantic_concepts": ("navigation",), "exact_terms": ("endpoint",), "max_tokens": 200},
        {"exact_terms": ("nowhere",)},
    ],
)
def test_next_actions_of_passages_work(service: ContentService, fields: dict[str, Any]) -> None:
    for folder in ("site", "code"):
        answer = service.search_content(folder, ContentQuery(**fields), trusted=True)
        assert answer.navigation_hints.next_actions
        for action in answer.navigation_hints.next_actions:
            assert answer_of(service, action).status.success, action
        for phrase in answer.navigation_hints.related_queries:
            reply = service.find_documents(folder, DocumentsQuery(phrase), trusted=True)
            assert reply.data.total_results, phrase
            assert service.search_content(folder, ContentQuery((phrase,)), trusted=True).data.results


def test_next_actions_of_documents_and_answers_work(service: ContentService) -> None:
    documents = service.find_documents("site", DocumentsQuery("vec0", limit=1), trusted=True)
    path = documents.data.documents[0].file_path
    part = DocumentQuery(path, max_tokens=200)
    hints = [
        *documents.navigation_hints.next_actions,
        *service.get_document_text("site", part, trusted=True).navigation_hints.next_actions,
        *service.get_document_data("site", part, trusted=True).navigation_hints.next_actions,
        *service.ask(AskQuery("How do I remove a stale lock file?"), None, trusted=True).next_actions,
        *service.ask(AskQuery("Who grows bananas in Iceland?"), None, trusted=True).next_actions,
    ]
    assert len(hints) >= 6
    for action in hints:
        assert answer_of(service, action).status.success, action


def test_many_similar_results_suggest_an_exact_term(service: ContentService) -> None:
    """The suggested call has fewer or better results: the first one contains the term."""
    actions: list[str] = []
    for concept in ("endpoint", "lock", "navigation", "search", "vector"):
        answer = service.search_content("site", ContentQuery((concept,), limit=20), trusted=True)
        actions += [item for item in answer.navigation_hints.next_actions if "add exact_terms" in item]
    assert actions
    for action in actions:
        answer = answer_of(service, action)
        assert answer.data.results[0].raw.exact_terms
    with_terms = service.search_content("site", ContentQuery(("lock",), ("vec0",)), trusted=True)
    assert not any("add exact_terms" in action for action in with_terms.navigation_hints.next_actions)
