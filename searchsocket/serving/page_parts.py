"""A page in parts of so many tokens: whole sections, as many as fit, and a word to go on with."""

from searchsocket.errors import InvalidRequest
from searchsocket.search.content.bounds import DEFAULT_MAX_TOKENS, check_bounds
from searchsocket.search.content.budget import cut_to
from searchsocket.search.continuation import Continuations
from searchsocket.serving.pages import FoundPage, PagePart
from searchsocket.serving.parts import Part

_KIND = "get_page"


def page_part(found: FoundPage, part: Part, words: Continuations) -> PagePart:
    """The part of a page's text that is asked for; all of them after each other are the text.

    Raises:
        InvalidRequest: The token is of another page, or a bound is not held.
        ContinuationGone: The token is none, or of another request, scope or generation.
    """
    check_bounds(None, part.max_tokens)
    url, text, start = found.page.facts.url, found.page.body, 0
    max_tokens = part.max_tokens or DEFAULT_MAX_TOKENS
    if part.token:
        (of, before), start = words.position(part.token, _KIND, found.generation)
        if of != url:
            raise InvalidRequest(f"the continuation token belongs to {of}, not to {url}")
        max_tokens = part.max_tokens or before
    markdown = _sections(text[start:], max_tokens)
    end = start + len(markdown)
    token = words.word(_KIND, found.generation, (url, max_tokens), end) if end < len(text) else None
    return PagePart(markdown, start == 0, token)


def _sections(text: str, max_tokens: int) -> str:
    """As many whole sections as fit; of one that is too long alone, whole paragraphs."""
    part = cut_to(text, max_tokens)
    if len(part) == len(text):
        return text
    heading = part.rfind("\n#", len(part) // 2)
    return part[: heading + 1] if heading > 0 else part
