"""Our side of the comparison: the same steps as the peer, and the stages of the product that do them."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.records import cut_chunks
from searchsocket.content.html.extract import extract_html
from searchsocket.content.mirror import mirror_file, page_digest, render_page
from searchsocket.content.pages import ExtractedPage, Page, RawPage
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.project.project import open_project
from searchsocket.project.settings.model import Settings
from searchsocket.system.files import write_atomic
from searchsocket.types import PageFacts, Scope, StatedFacts
from searchsocket.web.urls.paths import path_depth


def run_steps(build: Path, files: Sequence[str], out: Path) -> dict[str, Any]:
    """Read, extract, count links, write the mirror, cut and hash: one pure step after the other, no database.

    Returns:
        `cpu_s`, and how many `pages`, `chunks` and `characters` of Markdown came out.
    """
    settings, scope = Settings(), Scope("bench", "main")
    started = time.process_time()
    pages: list[tuple[str, ExtractedPage]] = []
    for file in files:
        raw = RawPage(_url(file), f"/{file}", file, "")
        extracted = extract_html((build / file).read_bytes(), raw, settings.extract, settings.transform)
        if not extracted.skip:
            pages.append((raw.url, extracted))
    incoming = Counter(target for url, page in pages for target in {link.target for link in page.links} - {url})
    chunks = characters = 0
    for url, extracted in pages:
        page = _page(url, extracted, incoming[url])
        page_digest(page)
        write_atomic(mirror_file(out, url), render_page(page).encode(), durable=False)
        chunks += len(cut_chunks(page.facts, chunk_page(page, settings.chunking).chunks, scope, "none"))
        characters += len(page.body)
    cpu_s = time.process_time() - started
    return {"cpu_s": cpu_s, "pages": len(pages), "chunks": chunks, "characters": characters}


def run_stages(root: Path) -> dict[str, Any]:
    """The first three stages of an index run over `root/build`: with state, locks and checks, in one process.

    Returns:
        `cpu_s`, and how many `pages` and `chunks` came out.
    """
    project = open_project(root, {**os.environ, "SEARCHSOCKET__RUN__WORKERS": "1"})
    run = ScopeRun(project, project.scope_named("main"), "bench")
    started = time.process_time()
    results = [stage(run) for stage in (site_pages, page_mirror, page_chunks)]
    cpu_s = time.process_time() - started
    return {"cpu_s": cpu_s, "pages": results[1].total, "chunks": results[2].total}


def _url(file: str) -> str:
    return "/" + file.removesuffix(".html").removesuffix("index").rstrip("/")


def _page(url: str, extracted: ExtractedPage, incoming: int) -> Page:
    stated = {field.name: getattr(extracted, field.name) for field in fields(StatedFacts)}
    return Page(
        PageFacts(**stated, url=url, incoming_links=incoming, depth=path_depth(url)),
        scope="main",
        body=extracted.body,
        outgoing_links=len({link.target for link in extracted.links} - {url}),
    )
