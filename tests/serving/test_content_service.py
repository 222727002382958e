"""The scenarios of content retrieval, on a site of the kind that they were written for (spec 16)."""

from datetime import UTC, datetime

import pytest
from content_project import content_project

from searchsocket.errors import ChunkGone, ContinuationGone, DocumentMissing, InvalidRequest, ScopeRefused
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.search.answering.answer import AskQuery
from searchsocket.search.answering.ask import supported
from searchsocket.search.content.answer import ContentAnswer, ContentQuery
from searchsocket.search.content.document import DocumentQuery
from searchsocket.search.content.documents import DocumentsQuery
from searchsocket.search.content.retrieve import concept_vector
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.weights import Shares, shares_of
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import open_service

NOW = datetime(2026, 1, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> ContentService:
    project = content_project(tmp_path_factory.mktemp("notes"))
    environ: dict[str, str] = {}
    return open_content(project, environ, open_service(project, environ, clock=lambda: NOW), clock=lambda: NOW)


def content(service: ContentService, folder_id: str = "site", **fields: object) -> ContentAnswer:
    return service.search_content(folder_id, ContentQuery(**fields), trusted=True)  # type: ignore[arg-type]


def files(answer: ContentAnswer) -> list[str]:
    return [result.file_path for result in answer.data.results]


def scores(answer: ContentAnswer) -> list[float]:
    return [result.relevance_score for result in answer.data.results]


def test_scenario_1_concepts_and_terms(service: ContentService) -> None:
    concepts = ("vector similarity", "semantic search")
    answer = content(service, semantic_concepts=concepts, exact_terms=("vec0", "MATCH"), limit=10)
    assert files(answer)[:2] == ["roadmap/semantic-search.md"] * 2
    raised = "chunks about vector similarity and semantic search, with a bonus for each of `vec0`, `MATCH`"
    assert answer.data.statistics.search_interpretation == raised
    best = answer.data.results[0]
    assert "vec0 MATCH" in best.content or "`MATCH" in best.content
    [same] = [
        result
        for result in content(service, semantic_concepts=concepts).data.results
        if result.chunk_id == best.chunk_id
    ]
    assert best.raw.score > same.raw.score
    assert scores(answer) == sorted(scores(answer), reverse=True)


def test_scenario_2_concepts_alone(service: ContentService) -> None:
    answer = content(service, semantic_concepts=("endpoint navigation", "semantic metadata", "exploration flow"))
    assert files(answer)[0] == "roadmap/endpoint-navigation.md"
    assert "roadmap/explore-endpoint.md" in files(answer)[:4]
    assert scores(answer) == sorted(scores(answer), reverse=True)
    assert "endpoint" in answer.data.results[0].content


def test_scenario_3_terms_alone(service: ContentService) -> None:
    answer = content(service, exact_terms=("vec0", "SQLite", "embeddings"))
    assert files(answer)[0] == "roadmap/vec0-migration.md"
    assert {"roadmap/semantic-search.md", "guide/troubleshooting.md"} < set(files(answer))
    counts = [len(result.raw.exact_terms) for result in answer.data.results]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 3
    assert counts[-1] == 1
    assert all(result.raw.score == 1.5**count for result, count in zip(answer.data.results, counts, strict=True))


def test_scenario_4_page_after_page(service: ContentService) -> None:
    first = content(service, semantic_concepts=("endpoint", "API", "navigation"), limit=3)
    assert len(first.data.results) == 3
    assert first.continuation.has_more
    second = content(service, continuation_token=first.continuation.next_token)
    both = [result.chunk_id for answer in (first, second) for result in answer.data.results]
    assert len(both) == len(set(both)) == 6
    assert [*scores(first), *scores(second)] == sorted([*scores(first), *scores(second)], reverse=True)
    assert first.data.statistics.total_results == second.data.statistics.total_results
    assert first.data.statistics.search_interpretation == second.data.statistics.search_interpretation


def test_scenario_5_the_first_five_of_twenty_are_the_five(service: ContentService) -> None:
    concepts = ("endpoint API design", "navigation flow")
    five, twenty = (
        content(service, semantic_concepts=concepts, limit=5),
        content(service, semantic_concepts=concepts, limit=20),
    )
    assert (len(twenty.data.results), twenty.data.statistics.total_results) == (20, 23)
    assert [chunk.chunk_id for chunk in twenty.data.results][:5] == [result.chunk_id for result in five.data.results]
    assert files(five)[0] == "roadmap/endpoint-navigation.md"


def test_scenario_6_a_file_path_is_good_everywhere(service: ContentService) -> None:
    best = content(service, semantic_concepts=("endpoint navigation", "exploration flow")).data.results[0]
    assert best.file_path == "roadmap/endpoint-navigation.md"
    data = service.get_document_data("site", DocumentQuery(best.file_path), trusted=True).data
    text = service.get_document_text("site", DocumentQuery(best.file_path), trusted=True).data
    assert (data.title, data.total_chunks) == ("Epic: navigating by endpoints", 4)
    assert [chunk.chunk_id for chunk in data.chunks].count(best.chunk_id) == 1
    assert all(chunk.content in text.text for chunk in data.chunks)


def test_discovery_then_search_then_reading(service: ContentService) -> None:
    """The workflow that the tools are made for: each answer names what the next one takes."""
    answer = service.find_documents("site", DocumentsQuery("database is locked"), trusted=True)
    assert answer.data.documents[0].file_path == "guide/troubleshooting.md"
    assert answer.data.documents[0].summary.startswith("Another daemon holds the lock. Stop it")
    chunk = content(service, semantic_concepts=("stale lock",), exact_terms=("daemon",)).data.results[0]
    text = service.get_document_text("site", DocumentQuery(chunk.file_path, chunk.chunk_id), trusted=True)
    assert text.data.text.startswith("## The database is locked")
    assert chunk.source.href == "/guide/troubleshooting#the-database-is-locked"


def test_documents_carry_their_key_phrases(service: ContentService) -> None:
    """Made when they are indexed, and the same wherever a document is named."""
    chunk = content(service, exact_terms=("vec0", "SQLite", "embeddings")).data.results[0]
    data = service.get_document_data("site", DocumentQuery(chunk.file_path), trusted=True).data
    documents = service.find_documents("site", DocumentsQuery("moving to vec0"), trusted=True).data.documents
    [document] = [item for item in documents if item.file_path == chunk.file_path]
    assert chunk.document_keywords == data.document_keywords == document.document_keywords
    assert 5 <= len(data.document_keywords) <= 7
    assert "vec0" in " ".join(data.document_keywords)
    code = content(service, "code", exact_terms=("hybridScore",))
    source = code.data.results[0].source
    assert (source.url, source.href) == (None, None)
    assert source.lines
    assert source.lines.file == code.data.results[0].file_path
    assert code.data.results[0].document_keywords[0] == "hybridScore"


@pytest.mark.parametrize(
    ("concepts", "terms"),
    [
        (("database lock",), ()),
        (("endpoint navigation", "exploration flow"), ()),
        (("vector similarity",), ("vec0", "MATCH")),
        ((), ("vec0",)),
    ],
)
def test_related_queries_are_refinements_with_results(
    service: ContentService, concepts: tuple[str, ...], terms: tuple[str, ...]
) -> None:
    """The query with a phrase of the results added, or with one of its items replaced by that; none is empty."""
    answer = content(service, semantic_concepts=concepts, exact_terms=terms)
    related, items = answer.navigation_hints.related_queries, [*concepts, *terms]
    assert 0 < len(related) <= 3
    assert len(set(related)) == len(related)
    phrases = {phrase for result in answer.data.results for phrase in result.document_keywords}
    scope = service.service.scopes.find(None, trusted=True)
    for refinement in related:
        added = [phrase for phrase in phrases if refinement.endswith(phrase) or f"{phrase} " in refinement]
        assert added
        missing = [item for item in items if item not in refinement]
        assert len(missing) <= (1 if len(items) > 1 else 0)
        reply = service.service.search(SearchQuery(refinement), scope)
        assert reply.quality != "rejected"
        assert reply.total


def test_a_question_is_asked_of_pages_and_code_together(service: ContentService) -> None:
    answer = service.ask(AskQuery("How do I remove a stale lock file?"), None, trusted=True)
    assert answer.answered
    assert answer.message == "2 passages, most likely first; if it has only part of the answer, read on from there"
    assert {index.folder_id for index in answer.indexes} == {"site", "code"}
    assert {passage.folder_id for passage in answer.passages} == {"site", "code"}
    code = next(passage for passage in answer.passages if passage.folder_id == "code")
    assert code.text.startswith("/** Removes a lock file whose daemon died. */\nexport function removeStaleLock")
    assert code.source is not None
    assert (code.source.file, code.source.first_line) == ("src/lockFile.ts", 1)
    assert (code.url, code.href) == (None, None)  # no page of the site has that address
    assert not service.ask(AskQuery("How do I brew espresso in Antarctica?"), None, trusted=True).answered
    public = service.ask(AskQuery("How do I remove a stale lock file?"), None, trusted=False)
    assert {passage.folder_id for passage in public.passages} == {"site"}
    assert public.message.startswith(f"{len(public.passages)} passage")


@pytest.mark.parametrize("question", ["?!", "=>", "(", "\\", "+*", "數 ?", "the of and", "\ud800x"])
def test_a_question_without_words_is_not_found(service: ContentService, question: str) -> None:
    assert not service.ask(AskQuery(question), None, trusted=True).answered


def test_code_is_a_folder_like_the_site(service: ContentService) -> None:
    answer = content(service, "code", exact_terms=("hybridScore",))
    assert files(answer) == ["src/scoring.ts"]
    assert answer.data.results[0].source.lines is not None
    assert answer.data.results[0].source.lines.first_line == 1
    reply = service.find_documents("main/code", DocumentsQuery("remove stale lock"), trusted=True).data.documents[0]
    assert (reply.file_path, "removeStaleLock" in reply.summary) == ("src/lockFile.ts", True)
    text = service.get_document_text("code", DocumentQuery(reply.file_path), trusted=True).data
    assert "unlinkIfStale" in text.text
    assert (text.first_line, text.last_line, text.total_lines) == (1, 4, 4)


@pytest.mark.parametrize("folder_id", ["", "sites", "/site", "main/", "main", "../site/x", "site/"])
def test_a_folder_that_is_none_is_refused(service: ContentService, folder_id: str) -> None:
    with pytest.raises(InvalidRequest):
        content(service, folder_id, exact_terms=("vec0",))


def test_strangers_read_neither_code_nor_other_scopes(service: ContentService) -> None:
    for folder_id in ("code", "main/code", "secret/site"):
        with pytest.raises(ScopeRefused):
            service.search_content(folder_id, ContentQuery(exact_terms=("a",)), trusted=False)


@pytest.mark.parametrize(
    "file_path", ["", "nothing.md", "../../etc/passwd", "/etc/passwd", "roadmap", "é\0", "a" * 9999]
)
def test_a_document_that_is_none_is_named(service: ContentService, file_path: str) -> None:
    for folder_id in ("site", "code"):
        with pytest.raises(DocumentMissing):
            service.get_document_text(folder_id, DocumentQuery(file_path), trusted=True)


def test_a_long_document_is_read_part_by_part(service: ContentService) -> None:
    """Whole sections while they fit; the parts joined are the document."""
    path = "roadmap/endpoint-navigation.md"
    whole = service.get_document_text("site", DocumentQuery(path), trusted=True).data
    parts, token, line = [], "", 1
    while token is not None:
        part = service.get_document_text("site", DocumentQuery(path, "", 200, token), trusted=True)
        assert part.data.tokens <= 200
        assert part.data.first_line == line
        line = part.data.last_line + 1
        parts.append(part.data.text)
        token = part.continuation.next_token
    assert "".join(parts) == whole.text
    assert part.data.last_line == whole.total_lines


def test_tokens_of_one_document_are_of_no_other(service: ContentService) -> None:
    first = service.get_document_data("site", DocumentQuery("roadmap/semantic-search.md", "", 300), trusted=True)
    token = first.continuation.next_token or ""
    with pytest.raises(InvalidRequest, match="semantic-search"):
        service.get_document_data("site", DocumentQuery("guide/installation.md", "", None, token), trusted=True)
    with pytest.raises(ContinuationGone, match="another folder"):
        service.get_document_data("code", DocumentQuery("src/scoring.ts", "", None, token), trusted=True)
    with pytest.raises(ContinuationGone, match="get_document_data"):
        service.get_document_text("site", DocumentQuery("roadmap/semantic-search.md", "", None, token), trusted=True)
    chunk = first.data.chunks[0].chunk_id
    with pytest.raises(InvalidRequest, match="another document"):
        service.get_document_text("site", DocumentQuery("guide/installation.md", chunk), trusted=True)
    unknown_document = DocumentQuery("guide/installation.md", "/guide/installation#x~0@00")
    with pytest.raises(ChunkGone):
        service.get_document_text("site", unknown_document, trusted=True)


@pytest.mark.parametrize("folder", ["site", "code"])
def test_a_model_that_reads_has_shares_of_its_own(
    service: ContentService, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passages and answers are found with the same shares as pages are."""
    requests: list[bool] = []

    def shares(q: str, urls: object, *, is_read: bool) -> Shares:
        requests.append(is_read)
        return shares_of(q, is_read=is_read)

    for module in ("content.retrieve", "answering.ask"):
        monkeypatch.setattr(f"searchsocket.search.{module}.shares_of", shares)
    for is_instant in (True, False):
        monkeypatch.setattr(BuiltinEmbedder, "is_instant", is_instant)
        corpus = service.folder(folder, trusted=True)
        concept_vector(corpus, ["database lock"])
        supported(corpus, "What holds the database lock?")
    assert requests == [False, False, True, True]
