"""The lifespan of an application: warm up at the start, and refresh the open generations until its end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from searchsocket.serving.service import SearchService

WARM_UP_S = 2.0  # a start waits at most this long for the warm-up


def lifespan_of(
    service: SearchService, refresh_s: float, *, on_demand: bool
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the lifespan of an application.

    Args:
        refresh_s: Pause between two refreshes of the service, in seconds.
        on_demand: Neither warm up nor read ahead, since a scope is opened only at its first search.
    """
    read_ahead = (lambda: None) if on_demand else service.read_ahead

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if not on_demand:
            warming = asyncio.create_task(_warm_up(service))
            with suppress(TimeoutError):  # a store or a provider is unavailable: start without it
                await asyncio.wait_for(asyncio.shield(warming), WARM_UP_S)
        refreshing = asyncio.create_task(_refresh(service, refresh_s, read_ahead))
        try:
            yield
        finally:
            refreshing.cancel()
            with suppress(asyncio.CancelledError):
                await refreshing

    return lifespan


async def _warm_up(service: SearchService) -> None:
    await run_in_threadpool(service.warm_up)
    await run_in_threadpool(service.read_ahead)


async def _refresh(service: SearchService, every_s: float, read_ahead: Callable[[], None]) -> None:
    """Close generations that are no longer live and read ahead in the live ones, every `every_s` seconds."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await run_in_threadpool(service.refresh)
            await run_in_threadpool(read_ahead)
        except Exception as error:  # noqa: BLE001  (reported; one defect must not stop the loop)
            service.on_error(error)
