"""A project to serve, and ways to ask its application without a socket."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from search_site import DOCS, Site

from searchsocket.content.mirror import page_digest, render_page
from searchsocket.content.pages import Page
from searchsocket.project.project import Project, open_project
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import PageFacts, Scope

KEY = "correct horse battery staple"
ENVIRON = {"SEARCHSOCKET_API_KEY": KEY}


class Api:
    """One application, asked without a socket."""

    def __init__(self, app: FastAPI, client: str = "203.0.113.9", base: str = "http://search.example") -> None:
        self.app = app
        self.client = client
        self.base = base

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, client=(self.client, 40000), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=self.base) as client:
                return await client.request(method, path, **options)

        return asyncio.run(send())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, body: Any, path: str = "/api/search", **options: Any) -> httpx.Response:
        headers = {"content-type": "application/json"} | options.pop("headers", {})
        return self.request("POST", path, content=json.dumps(body), headers=headers, **options)


def make_project(root: Path, toml: str = "") -> Project:
    root.mkdir(exist_ok=True)
    (root / "searchsocket.toml").write_text(
        f'[project]\nid = "site"\n[embeddings]\nprovider = "hash"\n[api.rateLimit]\nmax = 0\n{toml}'
    )
    project = open_project(root, {})
    site = Site(LocalStore(project.state_dir / "index", project.id))
    site.publish(DOCS, bodies=[body_of("main", piece.url, f"# {piece.title}\n\n{piece.text}") for piece in DOCS])
    secret = Scope("site", "secret-branch")
    site.publish(DOCS[:2], secret, [body_of("secret-branch", "/docs/install", "# Secret branch")])
    return project


def body_of(scope: str, url: str, body: str) -> PageBody:
    facts = PageFacts(
        url=url, title="A page", route_file="src/routes/secret/+page.svelte",
        route_resolution="exact", tags=("guide",), incoming_links=2,
    )  # fmt: skip
    page = Page(facts, scope, body)
    return PageBody(url, page_digest(page), render_page(page))
