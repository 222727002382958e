"""Find documents on a subject, with summaries and key phrases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.search.bounds import DEFAULT_MAX_TOKENS
from searchsocket.search.content.answer import (
    ContentSource,
    Continuation,
    Documented,
    FolderAnswer,
    NavigationHints,
    Status,
    index_facts,
    source_of_page,
)
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.content.hints import call
from searchsocket.search.continuation import DEFAULT_LIMIT, OVERHEAD, Continuations, Position, check_bounds, json_tokens
from searchsocket.search.wire import Score
from searchsocket.text.amounts import age_s
from searchsocket.types import Lines, Record


@dataclass(frozen=True, slots=True)
class DocumentsQuery:
    """Query for documents."""

    query: str = ""  # may be "" with a continuation token
    limit: int | None = None
    max_tokens: int | None = None
    continuation_token: str = ""


@dataclass(frozen=True, slots=True)
class DocumentMatch(Documented):
    """One document."""

    file_path: str
    title: str
    summary: Annotated[str, Field(description="Description or first sentences; for code, its definitions.")]
    document_keywords: tuple[str, ...]
    relevance_score: Score
    total_chunks: int
    source: ContentSource


@dataclass(frozen=True, slots=True)
class DocumentsData(Documented):
    documents: tuple[DocumentMatch, ...]
    total_results: int


@dataclass(frozen=True, slots=True)
class DocumentsAnswer(FolderAnswer):
    """Documents, best first."""

    data: DocumentsData


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """Results of a document search in one generation."""

    urls: Sequence[str]  # best first, from the offset on
    scores: Sequence[float]
    total: int


class DocumentFinder:
    """Answers with documents; safe to share between threads."""

    def __init__(self, words: Continuations, clock: Callable[[], datetime]) -> None:
        self._words = words
        self._clock = clock

    def checked(self, folder: ContentFolder, query: DocumentsQuery) -> tuple[DocumentsQuery, int]:
        """Return the query with its defaults, and the number of documents in previous answers.

        Raises:
            InvalidRequest: A limit is out of range.
            ContinuationGone: The token is not valid, or belongs to another folder or generation.
        """
        check_bounds(query.limit, query.max_tokens)
        offset = 0
        if query.continuation_token:
            request, offset = self._position(folder, query)
            query = DocumentsQuery(request["q"], query.limit or request["l"], query.max_tokens or request["m"])
        limit, max_tokens = query.limit or DEFAULT_LIMIT, query.max_tokens or DEFAULT_MAX_TOKENS
        return DocumentsQuery(query.query, limit, max_tokens), offset

    def answer(
        self, folder: ContentFolder, query: DocumentsQuery, offset: int, ranked: RankedDocuments
    ) -> DocumentsAnswer:
        """Return as many of the ranked documents as fit.

        Args:
            query, offset: From `checked`.
        """
        remaining = query.max_tokens or DEFAULT_MAX_TOKENS
        matches: list[DocumentMatch] = []
        for url, score in zip(ranked.urls, ranked.scores, strict=True):
            document = _document(folder, url, score)
            remaining -= json_tokens(document.summary) + OVERHEAD
            if remaining < 0 and matches:
                break
            matches.append(document)
        last = offset + len(matches)
        request = {"q": query.query, "l": query.limit, "m": query.max_tokens}
        more = last < ranked.total and bool(matches)
        token = self._words.make_token("find_documents", folder.reader.generation, request, last) if more else None
        return DocumentsAnswer(
            DocumentsData(tuple(matches), ranked.total),
            Status(_message(ranked.total, offset, last)),
            Continuation(more, token, len(matches) < len(ranked.urls)),
            index_facts(folder, age_s(folder.reader.generation.published_at, self._clock())),
            NavigationHints(_actions(folder, query, matches, token)),
        )

    def _position(self, folder: ContentFolder, query: DocumentsQuery) -> Position:
        return self._words.position(query.continuation_token, "find_documents", folder.reader.generation)


def _message(total: int, offset: int, last: int) -> str:
    if not total:
        return "found no document; try other words"
    message = f"found {total} documents"
    return message if last == total and not offset else f"{message}; these are {offset + 1} to {last}"


def _document(folder: ContentFolder, url: str, score: float) -> DocumentMatch:
    records = folder.reader.catalogue.page_records(url)
    page = records[0].page
    return DocumentMatch(
        file_path=folder.file_path(url),
        title=page.title,
        summary=summary_of(records, folder.common_description),
        document_keywords=folder.reader.catalogue.key_phrases(url),
        relevance_score=score,
        total_chunks=sum(record.chunk.kind != "summary" for record in records),
        source=source_of_page(page, folder),
    )


def _actions(
    folder: ContentFolder, query: DocumentsQuery, matches: Sequence[DocumentMatch], token: str | None
) -> tuple[str, ...]:
    name = folder.folder_id
    passages = call("search_content", folder_id=name, semantic_concepts=[query.query])
    if not matches:
        return (f"look for passages instead: {passages}",)
    actions = [
        f"read the first one: {call('get_document_text', folder_id=name, file_path=matches[0].file_path)}",
        f"look for passages in all of them: {passages}",
    ]
    if token:
        actions.append(f"get those that follow: {call('find_documents', folder_id=name, continuation_token=token)}")
    return tuple(actions)


_MAX_CHARS = 320
_MAX_NAMES = 12
_OF_SENTENCES = "pl"


def summary_of(records: Sequence[Record], common: str = "") -> str:
    """Return a page's description or first whole sentences; for a source file, its first comment and definitions.

    Args:
        records: All of the document, by ordinal; at least one.
        common: A description that many pages share, which is not used.
    """
    if isinstance(records[0].chunk.at, Lines):
        return _of_code(records)
    description = records[0].page.description
    if description and description != common:
        return description
    for record in records:
        if record.chunk.kind != "summary" and (sentences := _first_sentences(record)):
            return sentences
    return description or records[0].page.title


def _first_sentences(record: Record) -> str:
    text = chunk_text(record.page, record.chunk)
    summary = ""
    for start, end, kind in zip(text.starts, [*text.starts[1:], len(text.text)], text.kinds, strict=True):
        sentence = text.text[start:end].strip()
        if kind not in _OF_SENTENCES or not sentence:
            if summary:
                break
            continue
        if summary and len(summary) + len(sentence) >= _MAX_CHARS:
            break
        summary = f"{summary} {sentence}".strip()
    return summary if len(summary) <= 2 * _MAX_CHARS else summary[: 2 * _MAX_CHARS].rsplit(" ", 1)[0] + " …"


def _of_code(records: Sequence[Record]) -> str:
    places = [record.chunk.at for record in records if isinstance(record.chunk.at, Lines)]
    doc = next((" ".join(at.doc.split()) for at in places if at.doc), "")
    names = list(dict.fromkeys(name for at in places for name in at.heading_path if "." not in name))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    defines = f"defines {', '.join(names[:_MAX_NAMES])}{more}" if names else ""
    return "; ".join(filter(None, (doc[:_MAX_CHARS], defines)))
