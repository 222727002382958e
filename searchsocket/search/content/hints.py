"""Suggest next steps to an agent as calls of available tools with valid arguments."""

import json
from collections.abc import Iterable, Sequence
from itertools import islice

from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.content.answer import ContentQuery, ContentResult
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.ranking.confidence import MIN_SHARE
from searchsocket.text.words import parse_query

_MAX_RELATED = 3
_MAX_PHRASES = 12  # candidates for a refinement
_MANY = 5  # results that may need narrowing
_SIMILAR = 0.7  # share of the first score
_FEW = 3  # documents in the results: up to here, suggest an outline of the first one


def call(tool: str, **arguments: object) -> str:
    """Format a call of a tool: `get_document_text(folder_id="site", file_path="guide/a.md")`."""
    text = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items() if value)
    return f"{tool}({text})"


def interpretation(query: ContentQuery) -> str:
    """Describe the interpretation of the query in words."""
    concepts, terms = " and ".join(query.semantic_concepts), ", ".join(f"`{term}`" for term in query.exact_terms)
    if not concepts:
        return f"chunks that contain {terms}, most matches first"
    return f"chunks about {concepts}" + (f", with a bonus for each of {terms}" if terms else ", nearest first")


def next_actions(
    folder: ContentFolder, query: ContentQuery, results: Sequence[ContentResult], token: str
) -> tuple[str, ...]:
    """Next steps for these results."""
    name = folder.folder_id
    words = [*query.semantic_concepts, *query.exact_terms]
    if not results:
        return (call("find_documents", folder_id=name, query=" ".join(words)),)
    first = results[0]
    whole = call("get_document_text", folder_id=name, file_path=first.file_path)
    actions = [f"read the document of the first result: {whole}"]
    if first.truncated:
        read = call("get_document_text", folder_id=name, file_path=first.file_path, chunk_id=first.chunk_id)
        actions.insert(0, f"read the first result whole: {read}")
    if len({result.file_path for result in results}) > _FEW:
        actions.append(
            f"see which documents are about it: {call('find_documents', folder_id=name, query=' '.join(words))}"
        )
    else:
        outline = call("get_document_data", folder_id=name, file_path=first.file_path)
        actions.append(f"list the chunks of that document: {outline}")
    if narrow := _narrower(name, query, results):
        actions.append(f"many results are about as relevant; add exact_terms to narrow them: {narrow}")
    if token:
        more = call("search_content", folder_id=name, continuation_token=token)
        actions.append(f"get the results that follow: {more}")
    return tuple(actions)


def _narrower(folder_id: str, query: ContentQuery, results: Sequence[ContentResult]) -> str:
    """Return a call with an exact term that some of many similar results contain; "" if there is none."""
    similar = [each for each in results if each.relevance_score >= _SIMILAR * results[0].relevance_score]
    if query.exact_terms or len(similar) < _MANY:
        return ""
    words = {word.exact for word in parse_query(" ".join(query.semantic_concepts)).words}
    contents = [result.content.casefold() for result in similar]
    for phrase in dict.fromkeys(phrase for result in similar for phrase in result.document_keywords):
        is_new = not words & {word.exact for word in parse_query(phrase).words}
        if is_new and 0 < sum(phrase.casefold() in content for content in contents) < len(contents):
            concepts = list(query.semantic_concepts)
            return call("search_content", folder_id=folder_id, semantic_concepts=concepts, exact_terms=[phrase])
    return ""


def related_queries(folder: ContentFolder, query: ContentQuery, phrases: Iterable[str]) -> tuple[str, ...]:
    """Return refinements of the query: a key phrase of the results is added to it, or replaces one of its items.

    The words of each refinement occur together on at least one page.
    """
    items = [*query.semantic_concepts, *query.exact_terms]
    query_words = {word.exact for word in parse_query(" ".join(items)).words}
    new = (
        phrase
        for phrase in dict.fromkeys(phrases)
        if not query_words & {word.exact for word in parse_query(phrase).words}
    )
    refinements: list[str] = []
    for phrase in islice(sorted(new, key=lambda phrase: " " not in phrase), _MAX_PHRASES):
        swaps = [[*items[:at], phrase, *items[at + 1 :]] for at in reversed(range(len(items)))] if items[1:] else []
        for refinement in map(" ".join, ([*items, phrase], *swaps)):
            if len(refinement) <= MAX_QUERY_CHARS and _is_answered(folder, refinement):
                refinements.append(refinement)
                break
        if len(refinements) == _MAX_RELATED:
            break
    return tuple(refinements)


def _is_answered(folder: ContentFolder, text: str) -> bool:
    words = folder.reader.words
    return words.evidence(text).share >= MIN_SHARE and bool(words.search(text, top_k=1, where=folder.where))
