"""Read one document: its text in whole sections, or its metadata and chunks."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Annotated

from pydantic import Field

from searchsocket.errors import InvalidRequest
from searchsocket.search.bounds import DEFAULT_MAX_TOKENS
from searchsocket.search.content.answer import (
    ContentSource,
    Continuation,
    Documented,
    FolderAnswer,
    NavigationHints,
    Status,
    index_facts,
    source_of_chunk,
    source_of_page,
)
from searchsocket.search.content.folder import ContentFolder, chunk_id
from searchsocket.search.content.hints import call
from searchsocket.search.continuation import OVERHEAD, Continuations, check_bounds, cut_to, json_tokens
from searchsocket.text.amounts import age_s
from searchsocket.types import Lines, Record


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Document to read, with the size limit of the answer."""

    file_path: str
    chunk_id: str = ""  # first chunk to read; "": start at the top
    max_tokens: int | None = None  # None: that of the previous answer, else 8,000
    continuation_token: str = ""


@dataclass(frozen=True, slots=True)
class DocumentText(Documented):
    file_path: str
    text: Annotated[str, Field(description="Markdown of the page or source of the file, in whole sections.")]
    first_line: Annotated[int, Field(ge=1, description="Line number in the document.")]
    last_line: int
    total_lines: int
    tokens: Annotated[int, Field(description="Approximate size of `text` in tokens.")]
    source: ContentSource


@dataclass(frozen=True, slots=True)
class DocumentTextAnswer(FolderAnswer):
    """The text of a document, or the part of it that fits."""

    data: DocumentText


@dataclass(frozen=True, slots=True)
class DocumentChunk(Documented):
    """One chunk of a document."""

    chunk_id: str
    chunk_index: int
    kind: str
    heading_path: tuple[str, ...]
    content: str
    truncated: bool
    source: ContentSource


@dataclass(frozen=True, slots=True)
class DocumentData(Documented):
    file_path: str
    title: str
    description: str
    language: str
    tags: tuple[str, ...]
    modified: str
    incoming_links: int
    document_keywords: tuple[str, ...]
    total_chunks: int
    chunks: tuple[DocumentChunk, ...]
    source: ContentSource


@dataclass(frozen=True, slots=True)
class DocumentDataAnswer(FolderAnswer):
    """Metadata of a document, and its chunks in order."""

    data: DocumentData


class DocumentReader:
    """Reads documents of a folder; safe to share between threads."""

    def __init__(self, words: Continuations, clock: Callable[[], datetime]) -> None:
        self._words = words
        self._clock = clock

    def text(self, folder: ContentFolder, query: DocumentQuery) -> DocumentTextAnswer:
        """Return as many whole sections as fit; if the first one is too long, its whole paragraphs or lines.

        Raises:
            DocumentMissing, ChunkGone: The document, or the chunk in it, does not exist.
            InvalidRequest: A limit is out of range, or the chunk or the token belongs to another document.
            ContinuationGone: The token is not valid, or belongs to another folder or generation.
            PageTextsMissing: An older version published the index, without texts.
        """
        tool = "get_document_text"
        url, start, max_tokens = self._position(folder, query, tool)
        text, skipped = folder.text(url)
        records = folder.reader.catalogue.page_records(url)
        ends = list(accumulate(len(line) + 1 for line in text.removesuffix("\n").split("\n")))
        if query.chunk_id and not query.continuation_token:
            first = _line(_record_in(folder, query.chunk_id, url))
            start = ends[first - skipped - 2] if first - skipped > 1 else 0
        part = _fitting(text, start, _section_starts(records, ends, skipped), max_tokens)
        last = start + len(part)
        has_more = last < len(text)
        request = {"p": query.file_path, "m": max_tokens}
        token = self._words.make_token(tool, folder.reader.generation, request, last) if has_more else None
        first_line = bisect_right(ends, start) + 1
        data = DocumentText(
            file_path=query.file_path,
            text=part,
            first_line=first_line,
            last_line=max(bisect_right(ends, max(last - 1, start)) + 1, first_line),
            total_lines=len(ends),
            tokens=json_tokens(part),
            source=source_of_page(records[0].page, folder),
        )
        more = call(tool, folder_id=folder.folder_id, file_path=query.file_path, continuation_token=token)
        return DocumentTextAnswer(
            data,
            Status(f"lines {data.first_line} to {data.last_line} of {data.total_lines}"),
            Continuation(has_more, token, has_more),
            index_facts(folder, self._age(folder)),
            NavigationHints((f"read on: {more}",) if token else ()),
        )

    def data(self, folder: ContentFolder, query: DocumentQuery) -> DocumentDataAnswer:
        """Return the metadata of a document and as many of its chunks as fit, from the first or from `chunk_id` on.

        Raises:
            DocumentMissing, ChunkGone, InvalidRequest, ContinuationGone: As `text`.
        """
        tool = "get_document_data"
        url, start, max_tokens = self._position(folder, query, tool)
        records = folder.reader.catalogue.page_records(url)
        sections = [record for record in records if record.chunk.kind != "summary"]
        if query.chunk_id and not query.continuation_token:
            start = sections.index(_record_in(folder, query.chunk_id, url))
        chunks = _chunks_within(folder, sections, start, max_tokens)
        last = start + len(chunks)
        token = None
        if last < len(sections):
            request = {"p": query.file_path, "m": max_tokens}
            token = self._words.make_token(tool, folder.reader.generation, request, last)
        page = records[0].page
        data = DocumentData(
            file_path=query.file_path,
            title=page.title,
            description=page.description,
            language=page.language,
            tags=page.tags,
            modified=page.modified,
            incoming_links=page.incoming_links,
            document_keywords=folder.reader.catalogue.key_phrases(url),
            total_chunks=len(sections),
            chunks=tuple(chunks),
            source=source_of_page(page, folder),
        )
        text = call("get_document_text", folder_id=folder.folder_id, file_path=query.file_path)
        more = call(tool, folder_id=folder.folder_id, file_path=query.file_path, continuation_token=token)
        actions = [f"read it as one text: {text}", *([f"get the chunks that follow: {more}"] if token else [])]
        return DocumentDataAnswer(
            data,
            Status(f"chunks {start + 1} to {last} of {len(sections)}"),
            Continuation(token is not None, token, token is not None),
            index_facts(folder, self._age(folder)),
            NavigationHints(tuple(actions)),
        )

    def _position(self, folder: ContentFolder, query: DocumentQuery, tool: str) -> tuple[str, int, int]:
        """Return the document's URL, the start, and the maximum number of tokens."""
        check_bounds(None, query.max_tokens)
        url = folder.url_of(query.file_path)
        if not query.continuation_token:
            return url, 0, query.max_tokens or DEFAULT_MAX_TOKENS
        request, offset = self._words.position(query.continuation_token, tool, folder.reader.generation)
        if request["p"] != query.file_path:
            raise InvalidRequest(
                f"the continuation token belongs to document {request['p']!r}; send it with that file_path"
            )
        return url, offset, query.max_tokens or request["m"]

    def _age(self, folder: ContentFolder) -> float:
        return age_s(folder.reader.generation.published_at, self._clock())


def _line(record: Record) -> int:
    """Return the first line of a chunk in the mirror file or source file."""
    return max(record.chunk.at.first, 1)


def _section_starts(records: Iterable[Record], ends: Sequence[int], skipped: int) -> list[int]:
    """Return the start positions of chunks in the text, ascending."""
    lines = {_line(record) - skipped for record in records if record.chunk.kind != "summary"}
    return sorted({ends[line - 2] for line in lines if 1 < line <= len(ends)})


def _fitting(text: str, start: int, starts: Sequence[int], max_tokens: int) -> str:
    """Return the text from `start` that fits, in whole sections, or part of the first one."""
    bounds = [at for at in starts if at > start] + [len(text)]
    end = start
    remaining = max_tokens
    for bound in bounds:
        tokens = json_tokens(text[end:bound])
        if tokens > remaining:
            break
        end, remaining = bound, remaining - tokens
    return text[start:end] if end > start else cut_to(text[start:], max_tokens)


def _chunks_within(
    folder: ContentFolder, records: Sequence[Record], start: int, max_tokens: int
) -> list[DocumentChunk]:
    """Return the chunks from `start` on that fit, at least one."""
    chunks: list[DocumentChunk] = []
    remaining = max_tokens
    for index, record in enumerate(records[start:], start):
        text, at = record.chunk.body.text, record.chunk.at
        tokens = json_tokens(text) + OVERHEAD
        if tokens > remaining and chunks:
            break
        content = text if tokens <= remaining else cut_to(text, remaining - OVERHEAD)
        remaining -= tokens
        path = at.parents if isinstance(at, Lines) else at.heading_path
        chunks.append(
            DocumentChunk(
                chunk_id(record),
                index,
                record.chunk.kind,
                path,
                content,
                content != text,
                source_of_chunk(record, folder),
            )
        )
    return chunks


def _record_in(folder: ContentFolder, chunk_id: str, url: str) -> Record:
    record = folder.record_of(chunk_id)
    if record.page.url != url:
        raise InvalidRequest(f"chunk {chunk_id[:80]!r} is of another document: {folder.file_path(record.page.url)!r}")
    return record
