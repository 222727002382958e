"""Serve the script that shows answers in the search dialog, in the version of the service."""

import hashlib
from functools import cache
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from starlette.responses import Response

from searchsocket.setup.client_files import bundle_folder

_CACHED_S = 3_600


@cache
def _files() -> dict[str, Path]:
    """The script and its labels, by name."""
    folder = bundle_folder()
    labels = {f"labels/{path.name}": path for path in sorted(folder.glob("labels/*.js"))}
    return {"dialog.js": folder / "answers.js"} | labels


def add_script(app: FastAPI, folder: str) -> None:
    """Serve the script as `dialog.js` below a folder, with its labels beside it."""

    @app.get(f"{folder}/{{name:path}}", include_in_schema=False)
    def get_script(request: Request, name: str) -> Response:
        path = _files().get(name)
        if path is None:
            raise HTTPException(404)
        text = path.read_bytes()
        etag = f'"{hashlib.sha256(text).hexdigest()[:16]}"'
        headers = {"etag": etag, "cache-control": f"public, max-age={_CACHED_S}"}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        return Response(text, headers=headers, media_type="text/javascript")
