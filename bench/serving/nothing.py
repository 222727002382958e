"""A service whose endpoint does nothing: the cost of the server and the framework."""

import sys

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response


def main(port: int) -> None:
    app = FastAPI()

    @app.get("/api/health")
    async def health() -> Response:
        return Response()

    uvicorn.run(app, port=port, log_config=None, access_log=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
