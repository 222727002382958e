"""A service whose endpoint does nothing, in a thread as the real one: what the server and the framework take."""

import sys

import uvicorn
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response


def main(port: int) -> None:
    app = FastAPI()

    @app.get("/api/health")
    async def health() -> Response:
        await run_in_threadpool(lambda: None)
        return Response()

    uvicorn.run(app, port=port, log_config=None, access_log=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
