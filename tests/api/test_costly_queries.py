"""A query that costs as much as several plain ones holds up nobody else, and each client has one at a time."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from api_client import ENVIRON, KEY, make_project
from fastapi import FastAPI
from search_site import NOW

from search_api.app import create_app
from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.types import Vectors

COSTLY = "/api/search?q=battery+held&topK=100"
PLAIN = "/api/search?q=battery"


class HeldEmbedder(HashEmbedder):
    """Queries that hold the word `held` wait until they are let go."""

    is_instant = True

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.at_work: list[int] = []

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if any("held" in text for text in texts):
            self.at_work.append(threading.get_ident())
            assert self.go.wait(30)
        return super().embed(texts, kind)


@asynccontextmanager
async def client(app: FastAPI, address: str, headers: dict[str, str] | None = None) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, client=(address, 40000))
    async with httpx.AsyncClient(transport=transport, base_url="http://search.example", headers=headers) as asking:
        yield asking


@pytest.fixture
def busy_app(tmp_path: Path) -> tuple[FastAPI, HeldEmbedder, list[BaseException]]:
    embedder, errors = HeldEmbedder(), list[BaseException]()
    app = create_app(
        make_project(tmp_path), environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW, embedder=embedder,
        on_error=errors.append,
    )  # fmt: skip
    return app, embedder, errors


async def is_at_work(embedder: HeldEmbedder) -> None:
    for _ in range(3000):
        if embedder.at_work:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nothing was asked")


def test_one_a_client_and_plain_ones_meanwhile(busy_app: tuple[FastAPI, HeldEmbedder, list[BaseException]]) -> None:
    app, embedder, errors = busy_app

    async def scene() -> None:
        async with client(app, "203.0.113.1") as one, client(app, "203.0.113.2") as other:
            assert (await one.get(PLAIN)).status_code == 200  # opens the index
            first = asyncio.create_task(one.get(COSTLY))
            await is_at_work(embedder)
            refused = await one.get(COSTLY)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "BUSY")
            assert refused.headers["retry-after"] == "1"
            assert (await one.get("/api/related?url=/docs/battery&topK=100")).status_code == 503
            second = asyncio.create_task(other.get(COSTLY))
            for asking in (one, other):
                assert (await asking.get(PLAIN)).status_code == 200
            assert len(embedder.at_work) == 1  # the other client's waits for the first, and not the rest for both
            embedder.go.set()
            assert [(await answer).status_code for answer in (first, second)] == [200, 200]
            assert (await one.get(COSTLY)).status_code == 200  # and then it is free again

    asyncio.run(asyncio.wait_for(scene(), 60))
    assert threading.get_ident() not in embedder.at_work
    assert errors == []  # a refusal is nothing to mend


def test_so_many_wait_and_no_more(busy_app: tuple[FastAPI, HeldEmbedder, list[BaseException]]) -> None:
    """Many clients with one each cannot pile up: what is beyond is refused at once."""
    app, embedder, _ = busy_app

    async def scene() -> list[int]:
        async def ask(address: str) -> int:
            async with client(app, address) as asking:
                return (await asking.get(COSTLY)).status_code

        async with client(app, "203.0.113.1") as one:
            await one.get(PLAIN)
        first = asyncio.create_task(ask("198.51.100.0"))
        await is_at_work(embedder)
        others = [asyncio.create_task(ask(f"198.51.100.{n}")) for n in range(1, 40)]
        steps: set[asyncio.Task[int]] = set()
        while len(steps) < 24:
            steps, _ = await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
        embedder.go.set()
        return [await task for task in (first, *others)]

    codes = asyncio.run(asyncio.wait_for(scene(), 60))
    assert (codes.count(200), codes.count(503)) == (16, 24)


def test_the_trusted_have_some_more(busy_app: tuple[FastAPI, HeldEmbedder, list[BaseException]]) -> None:
    app, embedder, _ = busy_app

    async def scene() -> list[int]:
        async with client(app, "203.0.113.1", {"authorization": f"Bearer {KEY}"}) as one:
            await one.get(PLAIN)
            tasks = [asyncio.create_task(one.get(COSTLY)) for _ in range(6)]
            steps: set[asyncio.Task[httpx.Response]] = set()
            while len(steps) < 2:
                steps, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            embedder.go.set()
            return [(await task).status_code for task in tasks]

    assert sorted(asyncio.run(asyncio.wait_for(scene(), 60))) == [200] * 4 + [503] * 2
