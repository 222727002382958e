"""Pages to cut, and sizes that are small enough to see by hand."""

import re

from searchsocket.content.chunking import chunk_page
from searchsocket.content.pages import Page
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.types import Chunk, PageFacts

SMALL = ChunkSettings(max_chars=200, overlap_chars=40, min_chars=50, hard_max_chars=400)
# Beyond the hard limit a cut block repeats its fence or quote prefix, at most this much.
SLACK = 200


def page_of(body: str, title: str = "A page", description: str = "") -> Page:
    return Page(PageFacts(url="/docs/page", title=title, description=description), "main", body)


def sections_of(body: str, settings: ChunkSettings = SMALL) -> list[Chunk]:
    return [chunk for chunk in chunk_page(page_of(body), settings).chunks if chunk.kind != "summary"]


def solid(text: str) -> str:
    return re.sub(r"\s+", "", text)
