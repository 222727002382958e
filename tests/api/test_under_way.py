"""Requests beyond what a server can answer at a time are refused at once, and the log says so once a minute."""

import asyncio
import logging

import httpx
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from search_api.gate.stack import UnderWayGuard
from search_api.run.server import OnceAMinute, server_log


def test_requests_above_the_limit_are_refused_and_later_ones_served() -> None:
    async def scene() -> tuple[list[int], int]:
        go, arrived = asyncio.Event(), asyncio.Semaphore(0)

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            arrived.release()
            await go.wait()
            await PlainTextResponse("done")(scope, receive, send)

        transport = httpx.ASGITransport(UnderWayGuard(slow, most=2))
        async with httpx.AsyncClient(transport=transport, base_url="http://search.example") as client:
            first = [asyncio.create_task(client.get("/")) for _ in range(2)]
            for _ in first:
                await arrived.acquire()
            refused = await client.get("/")
            assert refused.json()["error"]["code"] == "BUSY"
            assert refused.headers["retry-after"] == "1"
            go.set()
            codes = [(await task).status_code for task in first]
            return [*codes, refused.status_code], (await client.get("/")).status_code

    assert asyncio.run(asyncio.wait_for(scene(), 60)) == ([200, 200, 503], 200)


def test_a_line_is_written_once_a_minute_with_a_count() -> None:
    """A flood of refusals filled the log with a line each."""
    now, lines = [0.0], list[str]()
    once = OnceAMinute(lambda: now[0])

    def write(line: str, *values: object) -> None:
        record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, line, values, None)
        if once.filter(record):
            lines.append(f"{now[0]:g} {record.getMessage()}")

    for now[0] in (0.0, 0.1, 30.0, 59.9, 60.0, 60.1, 200.0, 300.0):
        write("refused %d", 7)
    write("another")
    assert lines == [
        "0 refused 7",
        "60 refused 7 (3 more like this in between)",
        "200 refused 7 (1 more like this in between)",
        "300 refused 7",
        "300 another",
    ]


def test_the_lines_of_the_server_pass_through_it() -> None:
    log = logging.getLogger("uvicorn.error")
    with server_log():
        assert [type(log_filter) for log_filter in log.filters] == [OnceAMinute]
    assert log.filters == []
