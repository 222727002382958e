"""Questions: answered with cited passages, or not at all."""

from typing import Annotated

from pydantic import ConfigDict, Field

from searchsocket.search.answering.answer import AskAnswer, AskQuery
from searchsocket.search.bounds import MAX_PASSAGES, MAX_QUERY_CHARS
from searchsocket.serving.capabilities.base import Agent, Caller, Capability, Http, Request, Services, query_of
from searchsocket.serving.capabilities.fields import WHOLE, ContinuationToken, PartTokens, ScopeName, Text, agent_text


class AskRequest(Request):
    """The body of `POST /api/ask`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"question": "How are keys rotated?"}]})

    question: Text
    scope: ScopeName | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PASSAGES, description="Maximum number of passages."), WHOLE] = 3
    max_tokens: PartTokens | None = None
    continuation_token: ContinuationToken = ""


def ask(services: Services, request: AskRequest, caller: Caller) -> AskAnswer:
    """Answer one question with cited sentences from pages and code, or report that there is no answer.

    Call it for a question with a definite answer, if a few sentences with sources are enough. It quotes, and refuses
    rather than guesses. For long explanations, use `search`.
    """
    return services.content().ask(query_of(AskQuery, request), request.scope, trusted=caller.trusted)


ASK = Capability(
    ask,
    Http("/ask", ("ask", "Answer a question with passages")),
    hits=lambda answer: len(answer.passages),
    agent=Agent(
        "ask",
        "Ask a question",
        "a question with one answer, as cited sentences",
        ("question", "limit", "max_tokens", "continuation_token", "scope"),
        toolset="core",
        corpus="pages",
        spelling={
            "question": agent_text("A whole question.", MAX_QUERY_CHARS, ["How are keys rotated?"], min_length=1),
            "limit": (int, Field(3, ge=1, le=MAX_PASSAGES, description="Maximum number of passages.")),
        },
    ),
)
ANSWERS = (ASK,)
