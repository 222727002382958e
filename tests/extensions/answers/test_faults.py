"""Whatever the model's server does, a visitor gets proved sentences or the passages, and the service lives on."""

import json
import threading
from collections.abc import Callable

import pytest
from api_client import Api
from chat_server import KEY, ChatServer, Script, chunk, event, refusal, spoken, usage

from tests.extensions.answers.conftest import ANSWER, QUESTION, Events, Reader

FIRST = "The battery lasts nine hours."
SENTENCE = f"{FIRST[:-1]} [1]. "
DONE = b"data: [DONE]\n\n"


def tool_call() -> dict[str, object]:
    function = {"name": "fetch", "arguments": '{"url": "https://evil.example"}'}
    return chunk(tool_calls=[{"index": 0, "id": "t", "type": "function", "function": function}])


HUGE = event(chunk("x" * 100_000)) * 100
USELESS = {
    "an error": refusal(500, "out of memory"),
    "no such model": refusal(404, "no model"),
    "a wrong key": refusal(401, "wrong key"),
    "too many requests": refusal(429, "slow down", Retry_After="20"),
    "a page": Script([b"<html>hello</html>"], headers={"content-type": "text/html"}),
    "an empty body": Script([]),
    "only the end": Script([DONE]),
    "wrong JSON": Script([b"data: {nope\n\n"]),
    "a list": Script([b"data: [1]\n\n"]),
    "a number": Script([b"data: 7\n\n"]),
    "null choices": Script([b'data: {"choices": null}\n\n', DONE]),
    "odd choices": Script([b'data: {"choices": [7]}\n\n', b'data: {"choices": {"a": 1}}\n\n', DONE]),
    "odd content": Script([event(chunk(content=7)), event(chunk(content={"a": 1})), DONE]),
    "an error inside": Script([b'data: {"error": {"message": "boom"}}\n\n']),
    "tool calls": Script([event(tool_call()), event(chunk(finish="tool_calls")), DONE]),
    "a refusal": Script([event(chunk(refusal="I cannot")), event(chunk(finish="stop")), DONE]),
    "a content filter": Script([event(chunk(finish="content_filter")), DONE]),
    "10 MB": Script([HUGE, DONE]),
    "a line of 10 MB": Script([b"data: " + b"y" * 10_000_000 + b"\n\n"]),
    "deep JSON": Script([b"data: " + b"[" * 100_000 + b"\n\n"]),
    "bytes": Script([bytes(range(256)) * 40]),
    "a cut head": Script([b"da"], cuts=True),
}


@pytest.mark.parametrize("name", USELESS)
def test_a_useless_reply_ends_in_the_passages(name: str, reader: Reader, server: ChatServer) -> None:
    server.answer = lambda body: USELESS[name]
    events = reader.ask()
    assert [kind for kind, _ in events] == ["passages", "refused"]
    assert events.last[1] in ("model", "unsupported")
    assert events.of("refused")[0]["results"]
    assert "evil" not in str(events)


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_stream_that_stops_keeps_what_was_proved(is_cut: bool, reader: Reader, server: ChatServer) -> None:
    parts = [event(chunk(SENTENCE)), event(chunk("Charge it in the"))]
    server.answer = lambda body: Script(parts, cuts=is_cut)
    events = reader.ask()
    assert events.text == FIRST
    assert events.last[0] == "done"
    server.says(ANSWER)
    assert reader.ask().of("done")[0]["cached"] is False


@pytest.mark.parametrize("parts", [[], [b":\n\n"], [event(chunk(SENTENCE + "Charge it in the dock [1]. "))]])
def test_silence_ends_at_the_timeout(
    parts: list[bytes], make_reader: Callable[..., Reader], server: ChatServer
) -> None:
    is_over = threading.Event()
    server.answer = lambda body: Script(parts, hang=is_over)
    try:
        reader = make_reader("timeout_s = 0.5")
        events = reader.ask()
    finally:
        is_over.set()
    assert events.last == (("done", "") if len(parts) and parts[0] != b":\n\n" else ("refused", "model"))
    assert "did not finish within 0.5 seconds" in str(reader.errors[0])


def test_a_drip_without_a_line_ends_at_the_timeout(make_reader: Callable[..., Reader], server: ChatServer) -> None:
    """Each byte arrives in time, the event never."""
    is_over = threading.Event()

    class Drip(list[bytes]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            while not is_over.wait(0.05):
                yield b"d"

    server.answer = lambda body: Script(Drip([b"d", b"d"]))
    try:
        assert make_reader("timeout_s = 0.5").ask().last == ("refused", "model")
    finally:
        is_over.set()


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("field", ["stream_options", "max_tokens"])
def test_fields_that_a_server_does_not_know_are_left_out(
    status: int, field: str, reader: Reader, server: ChatServer
) -> None:
    def judge(body: dict[str, object]) -> Script:
        return refusal(status, f"unknown field {field}") if field in body else Script(spoken(ANSWER))

    server.answer = judge
    assert reader.ask().last[0] == "done"
    tries = len(server.requests)
    reader.ask("For how long does the battery last?")
    assert len(server.requests) == tries + 1  # it is remembered


@pytest.mark.parametrize("counts", [(-5, -5), (10**12, 10**12), (0, 0), ("many", None), (True, True), (1.5, 2.5)])
def test_impossible_counts_of_tokens_are_replaced_by_an_estimate(
    counts: tuple[object, object], reader: Reader, server: ChatServer
) -> None:
    server.says(ANSWER, "stop", usage(*counts))
    tokens = reader.ask().of("done")[0]["tokens"]
    assert 100 < tokens["prompt"] < 5_000
    assert 10 < tokens["completion"] < 100


def test_a_server_that_asks_for_a_pause_gets_one(reader: Reader, server: ChatServer) -> None:
    server.answer = lambda body: refusal(429, "slow down", Retry_After="60")
    reader.ask()
    server.says(ANSWER)
    assert reader.ask().last == ("refused", "model")
    assert len(server.requests) == 1


def test_the_key_is_sent_and_never_told(make_reader: Callable[..., Reader], server: ChatServer) -> None:
    reader = make_reader('api_key_env = "MODEL_KEY"', MODEL_KEY=KEY)
    server.answer = lambda body: refusal(401, f"the key {KEY} is wrong")
    events = reader.ask()
    assert server.keys == [f"Bearer {KEY}"]
    assert KEY not in str(events)
    assert KEY not in str(reader.errors)


def test_a_missing_key_is_reported_and_the_passages_are_shown(make_reader: Callable[..., Reader]) -> None:
    reader = make_reader('api_key_env = "MODEL_KEY"')
    assert reader.ask().last == ("refused", "model")
    assert "$MODEL_KEY" in str(reader.errors[0])


def test_an_answer_that_is_too_long_is_cut_at_a_sentence(reader: Reader, server: ChatServer) -> None:
    server.answer = lambda body: Script(spoken(SENTENCE + "Charge it in", "length"))
    events = reader.ask()
    assert [each["text"] for each in events.of("sentence")] == [FIRST]


def test_a_visitor_who_leaves_ends_the_request(reader: Reader, server: ChatServer) -> None:
    """The turn is free again for the same visitor."""
    events = iter(reader.api.app.state.answers.events(*question_of()))
    assert next(events).name == "passages"
    assert next(events).name == "citation"
    events.close()
    assert reader.ask().last[0] == "done"


def test_a_visitor_has_one_answer_at_a_time(reader: Reader, server: ChatServer) -> None:
    answers = reader.api.app.state.answers
    first = iter(answers.events(*question_of("203.0.113.9")))
    assert [next(first).name for _ in range(2)] == ["passages", "citation"]
    assert reader.ask("For how long does the battery last?").last == ("refused", "busy")
    other = Reader(Api(reader.api.app, client="203.0.113.10"), [])
    assert other.ask("For how long does the battery last?").last[0] == "done"
    first.close()


def question_of(address: str = "203.0.113.9"):  # type: ignore[no-untyped-def]
    from searchsocket.extensions.answers.engine import Question
    from searchsocket.serving.capabilities.base import Caller

    return Question(QUESTION), Caller(trusted=False, address=address)


def test_a_defect_after_the_start_is_an_event(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("searchsocket.extensions.answers.writing.prove", broken)
    events = reader.ask()
    assert events[-1] == ("error", {"code": "INTERNAL_ERROR", "message": "internal error in the search service"})
    assert isinstance(reader.errors[-1], RuntimeError)


def test_events_are_valid_lines(reader: Reader, server: ChatServer) -> None:
    """A line end in a text does not end its event."""
    server.says(SENTENCE + "\n\n```\na\nb\n```\n")
    events: Events = reader.ask()
    assert json.dumps(events.of("sentence")[-1]["text"]) == '"a\\nb"'


def test_a_sentence_is_shown_once(reader: Reader, server: ChatServer) -> None:
    server.says(SENTENCE * 5)
    events = reader.ask()
    assert [each["text"] for each in events.of("sentence")] == [FIRST]
    assert events.of("done")[0]["dropped"] == 0
