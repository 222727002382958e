"""Answer a question with the best passages of pages and code, or report that none supports an answer."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np

from searchsocket.errors import ContinuationGone, InvalidRequest
from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.answering.answer import AnswerPassage, AskAnswer, AskQuery, IndexReference
from searchsocket.search.answering.sentences import (
    FIRST_ROOM,
    Passage,
    QuestionTerms,
    best_passage,
    is_bare,
    terms_of,
    text_words,
)
from searchsocket.search.bounds import MAX_PASSAGES
from searchsocket.search.candidates import find_candidates
from searchsocket.search.content.answer import changed_of, href_of
from searchsocket.search.content.folder import ContentFolder, chunk_id
from searchsocket.search.content.hints import call
from searchsocket.search.continuation import Continuations, check_bounds, fitting
from searchsocket.search.curation import curate
from searchsocket.search.notes import NOTES
from searchsocket.search.query import clean_text
from searchsocket.search.quoting.lines import is_markdown, source_of
from searchsocket.search.quoting.results import short_title
from searchsocket.search.ranking.confidence import nearness
from searchsocket.search.ranking.rank import Ranked, fuse
from searchsocket.search.ranking.weights import shares_of
from searchsocket.search.result_page import merge_translations, merges_translations
from searchsocket.search.versions import NO_VERSIONS, in_searched_version
from searchsocket.stores.base.index_reader import Candidates, IndexReader, ReadableRecord
from searchsocket.text.amounts import age_s
from searchsocket.types import PageFacts, Record, Scores, Vector

ENOUGH = 0.5
_NEAR = (-1.0, 4.0)
_LEAST_RAREST = 3.0  # of few pages no word is rare, which says nothing for an answer
DEFAULT_MAX_TOKENS = 2_000
_CANDIDATES = 50  # of each list
_MANY_CANDIDATES = 1_000  # if the owner hides most of them
_MAX_CHUNKS = 12  # per folder: chunks whose sentences are scored
_MAX_PAGE_CHARS = 60_000  # of a page: the text that is searched for a name
_RANK_SHARE = 0.6  # weight of the chunk's rank, added to the mean share of its passage and of the chunk
_ROUTE_FILE = "+page"
_LIKELY_PAGES = 3
_SAME_SHARE = 0.9  # of the words of a Markdown file that its page repeats; markup and front matter are not on the page


class Support(NamedTuple):
    """Evidence of a passage for a question."""

    passage: float  # share of the question's words in the passage; rare words count more
    chunk: float  # share of them, or of similar words, in its chunk with title and headings
    nearness: float  # of the chunk to the question, see `ranking/confidence.py`
    missing_name: float  # share of a name in the question that is not on its page
    rarest: float  # rarity of the question's rarest word: a subject that the index hardly speaks of is rarely answered


class SupportWeights(NamedTuple):
    constant: float
    passage: float
    chunk: float
    nearness: float
    missing_name: float
    rarest: float


WEIGHTS = SupportWeights(-2.92, 1.71, 5.07, 1.01, -4.01, -0.81)


def likelihood(support: Support) -> float:
    """Return the probability, in [0, 1], that a passage with this evidence answers."""
    constant, *weights = WEIGHTS
    nearness, rarest = min(max(support.nearness, _NEAR[0]), _NEAR[1]), max(support.rarest, _LEAST_RAREST)
    bounded = support._replace(nearness=nearness, rarest=rarest)
    return 1.0 / (1.0 + math.exp(-(constant + sum(w * value for w, value in zip(weights, bounded, strict=True)))))


_KIND = "ask"


class _PageRequest(NamedTuple):
    limit: int  # passages in all
    max_tokens: int  # of this part
    offset: int  # passages in previous answers


@dataclass(frozen=True, slots=True)
class Supported:
    """A passage with its location and its evidence."""

    folder: ContentFolder
    readable: ReadableRecord
    passage: Passage
    support: Support
    score: float  # to order by
    terms: QuestionTerms

    def text(self, *, is_first: bool) -> str:
        """Return the sentences to cite; the first passage is longer, since the answer is mostly near it."""
        return best_passage(*self.readable, self.terms, FIRST_ROOM).text if is_first else self.passage.text


def ask(
    folders: Sequence[ContentFolder], query: AskQuery, clock: Callable[[], datetime], words: Continuations
) -> AskAnswer:
    """Return the passages from all folders that answer the question, best first.

    Raises:
        InvalidRequest: The question is empty, a limit is exceeded, or the token belongs to another question.
        ContinuationGone: The token is not valid, or belongs to another scope or generation.
        VectorBackendUnavailable: The backend could not be reached; an outage is never reported as "not found".
    """
    check_bounds(query.limit, query.max_tokens, MAX_PASSAGES)
    question = clean_text(query.question)
    page_request = _page_request(folders, query, question, words)
    supported_passages = candidates(folders, question)
    confidence = likelihood(supported_passages[0].support) if supported_passages else 0.0
    is_answered = confidence >= ENOUGH
    now = clock()
    indexes = tuple(
        IndexReference(
            folder.folder_id, folder.reader.generation.name, age_s(folder.reader.generation.published_at, now)
        )
        for folder in folders
    )
    all_passages = _passages(supported_passages, page_request.limit) if is_answered else []
    passages = fitting(all_passages[page_request.offset :], _text, page_request.max_tokens)
    next_offset = page_request.offset + len(passages)
    is_cut = next_offset < len(all_passages)
    request = (question, page_request.limit, page_request.max_tokens, _state(folders, query))
    token = words.make_token(_KIND, folders[0].reader.generation, request, next_offset) if is_cut else None
    vectors = [folder.vector(question) for folder in folders]
    notes = {NOTES[vector] for vector in vectors if isinstance(vector, NoVector)}
    return AskAnswer(
        question=question,
        answered=bool(passages),
        confidence=round(confidence, 3),
        message=_message(passages, indexes),
        passages=tuple(passages),
        indexes=indexes,
        next_actions=_actions(question, indexes, passages),
        notes=tuple(sorted(notes, key=lambda note: note.code)),
        truncated=is_cut,
        continuation_token=token,
    )


def candidates(folders: Sequence[ContentFolder], question: str) -> list[Supported]:
    """Merge the passages of all folders, keeping each folder's order; the likelier head is taken next.

    Scores of two folders cannot be compared, since each weighs words by its own texts. A source file that repeats an
    indexed page is dropped: the page has a URL.
    """
    site = next((folder.reader for folder in folders if folder.has_urls), None)
    ranked = []
    for folder in folders:
        passages = sorted(supported(folder, question), key=lambda passage: -passage.score)
        ranked.append(deque(passages if folder.has_urls or site is None else _without_copies(passages, site)))
    merged: list[Supported] = []
    while ranked := [queue for queue in ranked if queue]:
        merged.append(max(ranked, key=lambda queue: likelihood(queue[0].support)).popleft())
    return merged


def _without_copies(passages: Sequence[Supported], site: IndexReader) -> list[Supported]:
    first_records: dict[str, Record] = {}
    for passage in passages:
        first_records.setdefault(passage.readable.record.page.source_file, passage.readable.record)
    copies = {file for file, record in first_records.items() if is_copy(record, site)}
    return [passage for passage in passages if passage.readable.record.page.source_file not in copies]


def supported(folder: ContentFolder, question: str) -> list[Supported]:
    """Return the best passage of each of the best chunks of a folder, see `candidates`."""
    reader = folder.reader
    embedded = folder.vector(question)
    vector = None if isinstance(embedded, NoVector) else embedded
    ranked = _visible(folder, question, vector)
    if not ranked.ids:
        return []
    shares = shares_of(question, ranked.facts.url, is_read=vector is not None and folder.is_read())
    fused = fuse(ranked.cosine, ranked.bm25, ranked.page_bm25, shares).fused * ranked.facts.weight
    best = _one_translation(folder, question, ranked, fused, np.lexsort((np.array(ranked.ids), -fused)).tolist())
    best = best[:_MAX_CHUNKS]
    terms = terms_of(question, reader.words.rarities(question))
    spread = reader.generation.spread
    passages = []
    for at, readable in zip(best, reader.catalogue.readable([ranked.ids[at] for at in best]), strict=True):
        record, text = readable
        if is_bare(record):
            continue
        passage = best_passage(record, text, terms)
        whole = f"{record.page.title} {record.page.source_file} {' '.join(record.chunk.at.heading_path)} {text.text}"
        near = nearness(float(ranked.cosine[at]), spread) if vector is not None else 0.0
        words = text_words(whole)
        lack = terms.missing_name(words) and terms.missing_name(words | _page_words(reader, record))
        support = Support(passage.share, terms.near_share_of(whole, words), near, lack, terms.rarest)
        score = (support.passage + support.chunk) / 2 + _RANK_SHARE * float(fused[at])
        passages.append(Supported(folder, readable, passage, support, score, terms))
    return passages


def _visible(folder: ContentFolder, question: str, vector: Vector | None) -> Candidates:
    """Return the candidates without the pages that the owner hides for this question."""
    find = partial(find_candidates, folder.reader, vector, question, where=folder.where)
    hides = [rule for rule in folder.rules(question) if rule.effect == "hide"]
    found = find(top_k=_CANDIDATES)
    curated = curate(folder.reader, found, hides, folder.where, None)
    if 2 * curated.hidden > len(found.ids):
        curated = curate(folder.reader, find(top_k=_MANY_CANDIDATES), hides, folder.where, None)
    return curated.candidates


def _one_translation(
    folder: ContentFolder, question: str, found: Candidates, scores: Scores, best: Sequence[int]
) -> Sequence[int]:
    """Return positions of candidates without translations of a page but the one that a search shows."""
    if folder.request is None or not merges_translations(folder.reader, folder.request):
        return best
    query = replace(folder.request, q=question, group_by="chunk")
    chunks = [Ranked(float(scores[at]), at) for at in best]
    return [chunk.position for chunk in merge_translations(folder.reader, query, found, chunks)[0]]


def _page_words(reader: IndexReader, record: Record) -> frozenset[str]:
    return text_words((reader.catalogue.page_body(record.page.url) or "")[:_MAX_PAGE_CHARS])


def _page_request(
    folders: Sequence[ContentFolder], query: AskQuery, question: str, words: Continuations
) -> _PageRequest:
    """Return the request for this part; a continuation uses the request of the previous answer."""
    if not query.continuation_token:
        return _PageRequest(query.limit, query.max_tokens or DEFAULT_MAX_TOKENS, 0)
    generation = folders[0].reader.generation
    (previous, limit, max_tokens, state), offset = words.position(query.continuation_token, _KIND, generation)
    if previous != question:
        raise InvalidRequest(f"the continuation token belongs to {previous[:80]!r}, not to {question[:80]!r}")
    if state != _state(folders, query):
        raise ContinuationGone(
            "the continuation token belongs to other filters, or a new generation is live; remove it to start again"
        )
    return _PageRequest(limit, query.max_tokens or max_tokens, offset)


def _state(folders: Sequence[ContentFolder], query: AskQuery) -> list[str]:
    """Return the generations that answer, and the conditions of the query, for a comparison."""
    conditions = (query.path_prefix, query.tags, query.filters, query.version, query.prefer_language, query.languages)
    return [*(folder.reader.generation.name for folder in folders), *([repr(conditions)] if any(conditions) else [])]


def _text(passage: AnswerPassage) -> str:
    return passage.text


def _passages(supported_passages: Sequence[Supported], limit: int) -> list[AnswerPassage]:
    """Return the best passages without repeated texts."""
    passages: list[AnswerPassage] = []
    texts: set[str] = set()
    for supported_passage in supported_passages:
        confidence = likelihood(supported_passage.support)
        if len(passages) == limit or confidence < ENOUGH:
            break
        text = supported_passage.passage.text
        if text and text not in texts:
            texts.add(text)
            passages.append(_cite(supported_passage, confidence, supported_passage.text(is_first=not passages)))
    return passages


def _cite(supported_passage: Supported, confidence: float, text: str) -> AnswerPassage:
    record, folder = supported_passage.readable.record, supported_passage.folder
    page, at = record.page, record.chunk.at
    within = folder.request.within if folder.request else NO_VERSIONS
    opened = in_searched_version(supported_passage.readable, within).record  # a shared page is stored in one version
    opens = href_of(opened)
    return AnswerPassage(
        text=text,
        folder_id=folder.folder_id,
        file_path=folder.file_path(page.url),
        chunk_id=chunk_id(record),
        url=None if opens is None else opened.page.url,
        href=opens,
        title=short_title(page.title),
        section_title=short_title(at.title),
        route_file=page.route_file or None,
        source=source_of(record),
        changed_since=changed_of(page, folder),
        generation=folder.reader.generation.name,
        confidence=round(confidence, 3),
    )


def _message(passages: Sequence[AnswerPassage], indexes: Sequence[IndexReference]) -> str:
    if passages:
        count = f"{len(passages)} passages, most likely first" if len(passages) > 1 else "1 passage"
        return f"{count}; if it has only part of the answer, read on from there"
    return f"not found: nothing in {' and '.join(index.folder_id for index in indexes)} supports an answer"


def _actions(question: str, indexes: Sequence[IndexReference], passages: Sequence[AnswerPassage]) -> tuple[str, ...]:
    if passages:
        first = passages[0]
        read = call("get_document_text", folder_id=first.folder_id, file_path=first.file_path, chunk_id=first.chunk_id)
        return (f"read on from the first passage: {read}",)
    return tuple(
        f"see which documents are near it: {call('find_documents', folder_id=index.folder_id, query=question)}"
        for index in indexes
    )


def is_copy(record: Record, site: IndexReader) -> bool:
    """Return True if a chunk of source code repeats a page of the site.

    The page names the file as its source, or contains nearly all words of the Markdown, as with a template.
    """
    file = record.page.source_file
    markdown = is_markdown(file)
    if not markdown and not PurePosixPath(file).name.startswith(_ROUTE_FILE):
        return False
    text = record.chunk.body.text
    own = text_words(text) if markdown else frozenset[str]()
    for hit in site.words.search_pages(text, top_k=_LIKELY_PAGES):
        page = site.catalogue.page_records(hit.id)[0].page
        if file in (page.source_file, _own_route_file(page)):
            return True
        if own and len(own & text_words(site.catalogue.page_body(page.url) or "")) >= _SAME_SHARE * len(own):
            return True
    return False


def _own_route_file(page: PageFacts) -> str:
    """Return the route file of a page, or "" if a parameter makes it the template of many pages."""
    return "" if "[" in page.route_file else page.route_file
