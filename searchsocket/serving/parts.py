"""Answers in parts of so many tokens: the best results that fit, whole, and a word to go on with."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, NamedTuple, TypeVar

from searchsocket.errors import Busy, ContinuationGone, InvalidRequest
from searchsocket.search.answer import RelatedAnswer, RelatedPage, Result, SearchAnswer
from searchsocket.search.code.answer import CodeAnswer, CodeResult
from searchsocket.search.code.query import CodeQuery
from searchsocket.search.code.related import DocumentingPage, RelatedCode, RelatedQuery
from searchsocket.search.content.bounds import DEFAULT_MAX_TOKENS, check_bounds
from searchsocket.search.content.budget import fitting
from searchsocket.search.continuation import Continuations
from searchsocket.search.query import SearchQuery
from searchsocket.serving.code import CodeService
from searchsocket.serving.service import SearchService
from searchsocket.types import Generation, Scope

_MAX_TRIES = 3
A = TypeVar("A", SearchAnswer, RelatedAnswer, CodeAnswer)


@dataclass(frozen=True, slots=True)
class Part:
    """How much of an answer, and from where on."""

    max_tokens: int | None = None  # of text, about; None: that of the answer before, else 8,000
    token: str = ""  # of the answer before; "" = from the best result on


class _Asked(NamedTuple):
    """What a word remembers."""

    what: list[Any]  # the query's fields, the text first
    offset: int  # results that were given before
    max_tokens: int


def search_part(
    service: SearchService, query: SearchQuery, part: Part, scope: Scope, *, anonymous: bool = False
) -> SearchAnswer:
    """See `SearchService.search`; of the query, a word remembers all that decides what is found.

    Raises:
        InvalidRequest: The word is of another query, or a bound is not held.
        ContinuationGone: The word is none, or of another request, scope or generation.
    """

    def answer(generation: Generation) -> tuple[str, SearchAnswer]:
        fields = (query.top_k, query.path_prefix, query.tags, query.group_by, query.filters, query.offset, query.rerank)
        asked = _asked(service.continuations, "search", generation, part, [query.q, *fields])
        _, top_k, prefix, tags, group_by, filters, offset, rerank = asked.what
        resumed = replace(
            query,
            top_k=top_k,
            path_prefix=prefix,
            tags=tuple(tags),
            group_by=group_by,
            filters=tuple((name, tuple(values)) for name, values in filters),
            offset=offset,
            rerank=rerank,
        )
        found = service.search(resumed, scope, anonymous=anonymous)
        return found.meta.generation, _shortened(service.continuations, "search", generation, found, _page_text, asked)

    return _of_one_generation(lambda: service.store.reader(scope).generation, answer)


def related_part(service: SearchService, url: str, top_k: int, part: Part, scope: Scope) -> RelatedAnswer:
    """See `SearchService.related`; raises as `search_part`."""

    def answer(generation: Generation) -> tuple[str, RelatedAnswer]:
        asked = _asked(service.continuations, "related", generation, part, [url, top_k])
        found = service.related(url, scope, asked.what[1])
        return found.generation, _shortened(service.continuations, "related", generation, found, _related_text, asked)

    return _of_one_generation(lambda: service.store.reader(scope).generation, answer)


def code_part(code: CodeService, query: CodeQuery, part: Part, scope: str) -> CodeAnswer:
    """See `CodeService.search`; raises as `search_part`."""

    def answer(generation: Generation) -> tuple[str, CodeAnswer]:
        asked = _asked(code.continuations, "search_code", generation, part, list(astuple(query)))
        q, top_k, path, languages, kinds, exported, max_per_file = asked.what
        resumed = CodeQuery(q, top_k, path, tuple(languages), tuple(kinds), exported, max_per_file)
        found = code.search(resumed, scope)
        return found.generation, _shortened(code.continuations, "search_code", generation, found, _code_text, asked)

    return _of_one_generation(lambda: code.generation(scope), answer)


def related_code_part(code: CodeService, query: RelatedQuery, part: Part, scope: str) -> RelatedCode:
    """See `CodeService.related`: first the code, then the pages; raises as `search_part`."""
    words, kind = code.continuations, "related_code"
    for _ in range(_MAX_TRIES):
        generation, pages = code.generation(scope), code.pages_generation(scope)
        subject = query.id or query.symbol or query.url or f"{query.file}:{query.line}"
        asked = _asked(words, kind, generation, part, [subject, query.top_k, pages])
        if asked.what[2] != pages:
            raise ContinuationGone("a new generation is live; leave the continuation token out to start again")
        found = code.related(replace(query, top_k=asked.what[1]), scope)
        both: list[CodeResult | DocumentingPage] = [*found.code, *found.pages]
        left = both[asked.offset :]
        kept = fitting(left, _related_code_text, asked.max_tokens)
        is_cut, after = len(kept) < len(left), asked.offset + len(kept)
        if (code.generation(scope), code.pages_generation(scope)) == (generation, pages):
            return replace(
                found,
                code=tuple(one for one in kept if isinstance(one, CodeResult)),
                pages=tuple(one for one in kept if isinstance(one, DocumentingPage)),
                truncated=is_cut,
                continuation_token=words.word(kind, generation, (asked.what, asked.max_tokens), after)
                if is_cut
                else None,
            )
    raise _too_fast()


def _of_one_generation(live: Callable[[], Generation], answer: Callable[[Generation], tuple[str, A]]) -> A:
    """An answer whose word is of the generation that answered."""
    for _ in range(_MAX_TRIES):
        generation = live()
        name, found = answer(generation)
        if name == generation.name:  # none was published in between
            return found
    raise _too_fast()


def _too_fast() -> Busy:
    return Busy("the index is published faster than it can be read; try again")


def _asked(words: Continuations, kind: str, generation: Generation, part: Part, what: list[Any]) -> _Asked:
    check_bounds(None, part.max_tokens)
    if not part.token:
        return _Asked(what, 0, part.max_tokens or DEFAULT_MAX_TOKENS)
    (before, max_tokens), offset = words.position(part.token, kind, generation)
    if before[0] != what[0]:
        raise InvalidRequest(f"the continuation token belongs to {before[0][:80]!r}, not to {what[0][:80]!r}")
    return _Asked(before, offset, part.max_tokens or max_tokens)


def _shortened(
    words: Continuations,
    kind: str,
    generation: Generation,
    answer: A,
    text_of: Callable[[Any], str],
    asked: _Asked,
) -> A:
    """The answer with as many of its results as fit, from where it is asked for on."""
    left: Sequence[Any] = answer.results[asked.offset :]
    kept = fitting(left, text_of, asked.max_tokens)
    is_cut = len(kept) < len(left)
    after = asked.offset + len(kept)
    token = words.word(kind, generation, (asked.what, asked.max_tokens), after) if is_cut else None
    return replace(answer, results=kept, truncated=is_cut, continuation_token=token)


def _page_text(result: Result) -> str:
    parts = (f"{one.title} {one.href} {one.snippet}" for one in result.sections)
    return "\n".join((result.title, result.section_title, result.snippet, *parts))


def _related_text(page: RelatedPage) -> str:
    return f"{page.title} {page.description}"


def _related_code_text(one: CodeResult | DocumentingPage) -> str:
    return _code_text(one) if isinstance(one, CodeResult) else f"{one.title} {one.section_title} {one.text}"


def _code_text(result: CodeResult) -> str:
    return f"{result.signature}\n{result.preview}"
