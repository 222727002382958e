"""Answers in parts with a limit of tokens: the best whole items that fit, and a token for the next part."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from searchsocket.errors import Busy, ContinuationGone, InvalidRequest
from searchsocket.search.bounds import DEFAULT_MAX_TOKENS
from searchsocket.search.continuation import Continuations, check_bounds, fitting
from searchsocket.serving.capabilities.base import Caller
from searchsocket.types import Generation

_MAX_TRIES = 3
A = TypeVar("A")
L = TypeVar("L", bound="ResultsAnswer")
P = TypeVar("P", bound="PartRequest")
Items = TypeVar("Items", bound=Sequence[object])


class ResultsAnswer(Protocol):
    """An answer whose items are `results`; a frozen dataclass with `truncated` and `continuation_token` too."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def results(self) -> Sequence[Any]: ...


class PartRequest(Protocol):
    """A request whose answer is sent in parts."""

    @property
    def max_tokens(self) -> int | None: ...

    @property
    def continuation_token(self) -> str: ...

    def model_copy(self, *, update: Mapping[str, object] | None = None) -> Self: ...


def wants_part(request: PartRequest, caller: Caller) -> bool:
    """Return True if the answer is a part: agents always get one, of 8,000 tokens unless they request another size."""
    return bool(request.max_tokens or request.continuation_token or caller.is_agent)


@dataclass(frozen=True, slots=True)
class AnswerPart(Generic[A, Items]):
    """Part of an answer."""

    answer: A  # whole
    items: Items
    is_first: bool
    token: str | None  # gets the next part; None at the end


def read_part(
    continuations: Continuations,
    kind: str,
    live: Callable[[], tuple[Generation, str]],
    request: P,
    subject: str,
    repeated: Sequence[str],
    answer: Callable[[P], A],
    items_of: Callable[[A], Items],
    fit: Callable[[Items, int], Items],
) -> AnswerPart[A, Items]:
    """Answer a request in parts; all parts are from one generation.

    Args:
        kind: Request that the token belongs to.
        live: Reads the generation that answers, and the name of a second one that the answer also uses ("" = none).
        subject: Text that must be the same in the request for every part.
        repeated: Fields of the request that later parts take from the first part; the token contains them.
        answer: Makes the whole answer.
        fit: Returns the first items that fit in a number of tokens.

    Raises:
        InvalidRequest: The token belongs to another query, or a bound is exceeded.
        ContinuationGone: The token is invalid, or belongs to another kind of request, scope or generation.
        Busy: New generations are published faster than they can be read.
    """
    check_bounds(None, request.max_tokens)
    for _ in range(_MAX_TRIES):
        generation, second = live()
        fields = {name: getattr(request, name) for name in repeated}
        offset, max_tokens = 0, request.max_tokens or DEFAULT_MAX_TOKENS
        if request.continuation_token:
            state, offset = continuations.position(request.continuation_token, kind, generation)
            first_subject, fields, first_second, first_max_tokens = state
            if first_subject != subject:
                raise InvalidRequest(
                    f"the continuation token belongs to {first_subject[:80]!r}, not to {subject[:80]!r}"
                )
            if first_second != second:
                raise ContinuationGone("a new generation is live; remove the continuation token to start again")
            max_tokens = request.max_tokens or first_max_tokens
        whole = answer(request.model_copy(update=fields))
        remaining: Items = items_of(whole)[offset:]  # type: ignore[assignment]  # a slice has the same type
        items = fit(remaining, max_tokens)
        if live() == (generation, second):
            after, is_end = [subject, fields, second, max_tokens], len(items) == len(remaining)
            token = None if is_end else continuations.make_token(kind, generation, after, offset + len(items))
            return AnswerPart(whole, items, offset == 0, token)
    raise Busy("the index changed during every attempt to read it; try again")


def read_results(
    continuations: Continuations,
    kind: str,
    live: Callable[[], Generation],
    request: P,
    subject: str,
    repeated: Sequence[str],
    answer: Callable[[P], L],
    text_of: Callable[[Any], str],
) -> L:
    """Answer a request in parts whose items are `results`; see `read_part`."""
    part = read_part(
        continuations,
        kind,
        lambda: (live(), ""),
        request,
        subject,
        repeated,
        answer,
        lambda whole: whole.results,
        lambda results, max_tokens: fitting(results, text_of, max_tokens),
    )
    return replace(part.answer, results=part.items, truncated=part.token is not None, continuation_token=part.token)
