"""An answer in sentences, and the events of its stream."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from searchsocket.extensions.answers.pieces import Kind
from searchsocket.search.wire import Wire

Reason = Literal["not_covered", "unsupported", "model", "budget", "busy"]


@dataclass(frozen=True, slots=True)
class AnswerSource(Wire):
    """A passage that the model reads."""

    number: Annotated[int, Field(ge=1, description="As sentences cite it.")]
    title: str
    section: str
    url: Annotated[str, Field(description="Link to the section; empty for source code.")]
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSentence(Wire):
    """A sentence, a list item or a code block that the cited passages support."""

    text: Annotated[str, Field(description="Markdown with code spans, bold text and links to cited pages only.")]
    citations: Annotated[tuple[int, ...], Field(description="Numbers of passages; empty for unquoted code.")]
    kind: Kind
    quoted: Annotated[bool, Field(description="False for code that is not from the documentation.")]
    paragraph: Annotated[int, Field(ge=0)]
    quotes: Annotated[
        tuple[str, ...], Field(description="Of each citation: the part of the passage that supports this sentence.")
    ]


@dataclass(frozen=True, slots=True)
class AnswerCitation(Wire):
    """A cited passage, and the part of it that supports the first sentence that cites it."""

    number: int
    title: str
    section: str
    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class NearestPage(Wire):
    """A page near the question."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class TokenCounts(Wire):
    """Tokens of an answer, as the model's server counts them, else estimated; 0 for one from the cache."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class AnswerRefusal(Wire):
    """The reason why there is no answer, and pages to read instead."""

    reason: Annotated[
        Reason,
        Field(
            description="`not_covered`: no page answers it; `unsupported`: the pages do not support what the model "
            "wrote; `model`: it is unavailable; `budget`: a limit of costs is reached; `busy`: too many answers are "
            "being written."
        ),
    ]
    message: str
    results: tuple[NearestPage, ...]
    dropped: Annotated[int, Field(ge=0, description="Sentences that no passage supports.")] = 0
    tokens: TokenCounts = TokenCounts()


@dataclass(frozen=True, slots=True)
class SentenceAnswer(Wire):
    """A whole answer, as with `stream: false`."""

    q: str
    passages: tuple[AnswerSource, ...]
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[AnswerCitation, ...]
    refused: AnswerRefusal | None
    dropped: Annotated[int, Field(ge=0, description="Sentences that no passage supports.")]
    cached: bool
    tokens: TokenCounts


@dataclass(frozen=True, slots=True)
class AnswerPassages(Wire):
    passages: tuple[AnswerSource, ...]


@dataclass(frozen=True, slots=True)
class AnswerEnd(Wire):
    """The end of an answer."""

    sentences: int
    dropped: int
    cached: bool
    tokens: TokenCounts


class Event(NamedTuple):
    """An event of the stream."""

    name: Literal["passages", "sentence", "citation", "done", "refused"]
    data: Wire


def whole_answer(question: str, events: Iterable[Event]) -> SentenceAnswer:
    """Return the answer that the events of a stream make; after a refusal, its sentences do not count."""
    data = [event.data for event in events]
    end = next((each for each in data if isinstance(each, AnswerEnd)), None)
    refused = next((each for each in data if isinstance(each, AnswerRefusal)), None)
    counts = end or refused
    return SentenceAnswer(
        q=question,
        passages=next((each.passages for each in data if isinstance(each, AnswerPassages)), ()),
        sentences=tuple(each for each in data if isinstance(each, AnswerSentence) and not refused),
        citations=tuple(each for each in data if isinstance(each, AnswerCitation) and not refused),
        refused=refused,
        dropped=counts.dropped if counts else 0,
        cached=bool(end and end.cached),
        tokens=counts.tokens if counts else TokenCounts(),
    )
