"""Effects of `answers`: who is answered in sentences, by which model, from which pages, and what that may cost."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from searchsocket.errors import ConfigError
from searchsocket.models.embedders import openai_client
from tests.project.settings.lab import KEYS, WEB, Effect, Lab
from tests.sources.web import Answer, Request, Web

SERVED = {"answers.enable": True, "answers.base_url": f"{WEB}/v1", "answers.model": "small"}
Q = "How long does the tallow candle burn?"
PAGE = "<main><h1>Tallow candle</h1><p>A tallow candle burns for nine hours in a lantern.</p></main>"
PRICED = {"answers.input_usd_per_million_tokens": 0.0, "answers.output_usd_per_million_tokens": 0.0}


def talking(web: Web) -> None:
    """Answer each question with the same sentence, at two addresses."""
    choice = {"index": 0, "delta": {"content": "A tallow candle burns for nine hours [1]."}, "finish_reason": "stop"}
    event = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    def answer(request: Request) -> Answer:
        body = f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode()
        return Answer(200, body, {"Content-Type": "text/event-stream"})

    web.pages = dict.fromkeys(("/v1/chat/completions", "/other/chat/completions"), answer)


def write_pages(lab: Lab) -> None:
    lab.page("candle.html", PAGE)
    for number in range(3):
        lab.page(
            f"de/{number}.html", f"<main><p>Eine tallow candle burns. {'Ropes and nets. ' * 30} {number}</p></main>"
        )


def ask(lab: Lab, q: str = Q, key: str = "", **body: object) -> Any:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return lab.api().post({"q": q, **body}, "/api/answer", headers=headers)


def status(lab: Lab) -> int:
    try:
        code: int = ask(lab).status_code
    except ConfigError:
        return 0
    return code


def reason(lab: Lab) -> str:
    """The reason why a stranger gets no answer; "" if there is one."""
    return (ask(lab).json()["refused"] or {"reason": ""})["reason"]


def requests(lab: Lab, **body: object) -> list[Request]:
    lab.web.requests.clear()
    assert ask(lab, **body).status_code == 200
    return [request for request in lab.web.requests if request.path.endswith("/completions")]


def sent(lab: Lab, **body: object) -> dict[str, Any]:
    (request,) = requests(lab, **body)
    fields: dict[str, Any] = json.loads(request.body)
    return fields


def patience(lab: Lab) -> list[float]:
    """How long the model may take, in seconds."""
    timeouts_s: list[float] = []
    usual = openai_client.OpenAITransport

    def watched(timeout_s: float) -> openai_client.OpenAITransport:
        timeouts_s.append(timeout_s)
        return usual(timeout_s)

    with lab.patch.context() as patch:
        patch.setattr(openai_client, "OpenAITransport", watched)
        assert status(lab) == 200
    return timeouts_s


def passages(lab: Lab) -> list[str]:
    return sorted({each["url"] for each in ask(lab).json()["passages"]})


def turns(lab: Lab) -> int:
    history = [{"question": "What is a lantern?", "answer": "A lamp."}] * 3
    return len(sent(lab, history=history)["messages"])


def effect(
    key: str, value: object, observe: Callable[[Lab], object], before: object, after: object, **more: object
) -> Effect:
    given: Mapping[str, object] = {**SERVED, **more}
    return Effect(
        key, value, observe, before, after, {k: v for k, v in given.items() if k != key}, write_pages, talking
    )


EFFECTS = (
    effect("answers.enable", True, status, 404, 200),
    effect("answers.base_url", f"{WEB}/other", status, 0, 200),
    effect("answers.model", "large", status, 0, 200),
    effect("answers.api_key_env", "OTHER_KEY", lambda lab: KEYS["OTHER_KEY"] in str(requests(lab)), False, True),
    effect("answers.max_output_tokens", 99, lambda lab: sent(lab)["max_tokens"], 700, 99),
    effect("answers.max_passage_tokens", 200, lambda lab: len(ask(lab).json()["passages"]) > 1, True, False),
    effect("answers.timeout_s", 9.0, patience, [30.0], [9.0]),
    effect("answers.instructions", "Be kind.", lambda lab: "Be kind." in str(sent(lab)["messages"]), False, True),
    effect("answers.languages", ["fr"], lambda lab: "/candle" in passages(lab), True, False),
    effect("answers.history", 1, turns, 6, 4),
    effect("answers.public", False, status, 200, 403),
    effect(
        "answers.anonymous_per_day_usd",
        1e-9,
        reason,
        "",
        "budget",
        **{**PRICED, "answers.output_usd_per_million_tokens": 10.0},
    ),
    effect("answers.input_usd_per_million_tokens", 1e6, reason, "", "budget"),
    effect("answers.output_usd_per_million_tokens", 1e6, reason, "", "budget"),
)
