"""Answers cost what the ledger says, within the limits, and a visitor has one at a time."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from api_client import KEY
from chat_server import ChatServer, Script, chunk, event, spoken, usage
from running_service import listening, wait_until

from searchsocket.errors import ConfigError
from searchsocket.extensions.answers.engine import MAX_ANSWERS, Spending, Turns
from searchsocket.extensions.answers.model import Prices, Usage, prices_of
from searchsocket.extensions.answers.settings import AnswersSettings
from searchsocket.models.paying.ledger import FILE, Ledger
from searchsocket.serving.capabilities.base import Caller
from tests.extensions.answers.conftest import ANSWER, QUESTION, Reader

PRICED = "input_usd_per_million_tokens = 1.0\noutput_usd_per_million_tokens = 2.0"
OTHER = "For how long does the battery last?"
VISITOR, OWNER = Caller(trusted=False, address="203.0.113.9"), Caller(trusted=True)
AUTHORIZATION = {"authorization": f"Bearer {KEY}"}


def spending(
    tmp_path: Path, clock: Callable[[], datetime], *, month: float | None = None, day: float = 0.0
) -> Spending:
    ledger = Ledger(tmp_path / FILE, "site", clock)
    return Spending(Prices(1.0, 2.0), ledger, month_usd=month, visitor_day_usd=day, clock=clock, on_error=pytest.fail)


def test_the_ledger_has_what_was_paid(make_reader: Callable[..., Reader], server: ChatServer, tmp_path: Path) -> None:
    server.says(ANSWER, "stop", usage(700, 14))
    reader = make_reader(PRICED)
    reader.ask()
    reader.ask()  # from the cache
    (line,) = Ledger(tmp_path / "cache" / FILE, "site").lines()
    assert (line.used_for, line.model_id, line.tokens) == ("answers", "m", 714)
    assert line.cost_usd == pytest.approx(700e-6 + 28e-6)


def test_a_spent_month_ends_in_the_passages(
    make_reader: Callable[..., Reader], server: ChatServer, tmp_path: Path
) -> None:
    reader = make_reader(PRICED, "[costs.budget]\nmonth_usd = 0.001")
    assert reader.ask().last == ("refused", "budget")
    reply = reader.api.post({"q": QUESTION}, "/api/answer", headers=AUTHORIZATION).json()
    assert reply["refused"]["reason"] == "budget"
    assert reply["passages"]
    assert not server.requests


def test_an_address_has_a_limit_per_day_and_the_owner_has_none(
    make_reader: Callable[..., Reader], server: ChatServer
) -> None:
    server.says(ANSWER, "stop", usage(700, 100))  # $0.0009; the most of an answer is about $0.0017
    reader = make_reader(f"{PRICED}\nanonymous_per_day_usd = 0.002")
    assert reader.ask().last[0] == "done"
    assert reader.ask(OTHER).last == ("refused", "budget")
    assert reader.ask().last[0] == "done"  # known answers cost nothing
    reply = reader.api.post({"q": OTHER}, "/api/answer", headers=AUTHORIZATION).json()
    assert reply["refused"] is None


def test_a_limit_of_a_day_begins_again_the_next_day(tmp_path: Path) -> None:
    now = datetime(2026, 5, 1, 23, 59, tzinfo=UTC)
    costs = spending(tmp_path, lambda: now, day=0.001)
    assert costs.reserve(VISITOR, Usage(900, 0))
    assert not costs.reserve(VISITOR, Usage(900, 0))
    assert costs.reserve(Caller(trusted=False, address="203.0.113.10"), Usage(900, 0))
    now += timedelta(minutes=2)
    assert costs.reserve(VISITOR, Usage(900, 0))


def test_an_answer_that_cost_less_leaves_the_rest(tmp_path: Path) -> None:
    costs = spending(tmp_path, lambda: datetime(2026, 5, 1, tzinfo=UTC), day=0.001)
    assert costs.reserve(VISITOR, Usage(900, 0))
    costs.settle(VISITOR, Usage(900, 0), Usage(10, 0), "m")
    assert costs.reserve(VISITOR, Usage(900, 0))


def test_prices_are_those_of_the_table_or_the_settings() -> None:
    remote = AnswersSettings(base_url="https://api.openai.com/v1", model="gpt-4.1-mini-2025-04-14")
    assert prices_of(remote) == Prices(0.4, 1.6)
    assert prices_of(remote.model_copy(update={"output_usd_per_million_tokens": 9.0})) == Prices(0.4, 9.0)
    assert prices_of(AnswersSettings(base_url="http://localhost:11434/v1", model="any")) == Prices(0.0, 0.0)
    with pytest.raises(ConfigError, match="price of the model 'other' is unknown"):
        prices_of(AnswersSettings(base_url="https://models.example/v1", model="other"))


def test_a_visitor_has_one_turn_and_all_have_so_many() -> None:
    turns, here = Turns(), threading.Event()
    with turns.turn(VISITOR, here) as first, turns.turn(VISITOR, here) as second:
        assert (first, second) == (True, False)
        with turns.turn(OWNER, here) as other:
            assert other
    taken = [turns.turn(Caller(trusted=False, address=str(number)), here) for number in range(MAX_ANSWERS)]
    assert all(turn.__enter__() for turn in taken)
    with turns.turn(VISITOR, here) as late:
        assert not late
    taken.pop().__exit__(None, None, None)
    with turns.turn(VISITOR, here) as late:
        assert late


def test_a_visitor_who_left_can_ask_again_but_not_without_end() -> None:
    turns, left = Turns(), threading.Event()
    left.set()
    abandoned = [turns.turn(VISITOR, left) for _ in range(3)]
    assert [turn.__enter__() for turn in abandoned] == [True, True, True]
    with turns.turn(VISITOR, threading.Event()) as next_turn:
        assert not next_turn


def test_a_visitor_who_stops_a_silent_model_can_ask_again(
    make_reader: Callable[..., Reader], server: ChatServer
) -> None:
    is_over = threading.Event()
    first = [event(chunk("The battery lasts nine hours [1]. Charge it"))]

    def answer(body: dict[str, object]) -> Script:
        return Script(first, hang=is_over) if len(server.requests) == 1 else Script(spoken(ANSWER))

    server.answer = answer
    with listening(make_reader().api.app) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        try:
            with client.stream("POST", "/api/answer", json={"q": QUESTION, "stream": True}) as reply:
                assert next(line for line in reply.iter_lines() if line == "event: sentence")

            def is_answered() -> bool:
                refused = client.post("/api/answer", json={"q": OTHER}).json()["refused"]
                assert refused is None or refused["reason"] == "busy"
                return refused is None

            wait_until(is_answered)
        finally:
            is_over.set()
