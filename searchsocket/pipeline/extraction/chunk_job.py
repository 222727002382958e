"""The steps after the mirror that run in worker processes: mirror files in, chunks or page texts out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.records import embedded_text
from searchsocket.content.mirror.document import parse_page, text_digest
from searchsocket.content.mirror.paths import mirror_file
from searchsocket.content.pages import Page
from searchsocket.errors import SearchSocketError
from searchsocket.project.settings.model import RunSettings
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.state.chunks import MirroredPage
from searchsocket.stores.base import PageBody
from searchsocket.system.processes import default_workers
from searchsocket.text.key_phrases import phrases_of_page
from searchsocket.types import Chunk, PageFacts

SERIAL_BELOW_PAGES = 1_000  # starting processes costs more than they save below this


def page_workers(settings: RunSettings, pages: int) -> int:
    """The number of worker processes for a step over this many pages; 0 = the step runs in its own process."""
    return (settings.workers or default_workers()) if pages >= SERIAL_BELOW_PAGES else 0


@dataclass(frozen=True, slots=True)
class ChunkJob:
    """A batch of pages, with the data that another process needs to read and cut them."""

    roots: Sequence[Path]  # folders of the mirror; the first one that has the file counts
    scope: str
    settings: ChunkSettings
    pages: Sequence[MirroredPage]


@dataclass(frozen=True, slots=True)
class CutPage:
    """A page with its chunks and the text per chunk that is embedded; `facts` is None if its file is damaged."""

    page: MirroredPage
    facts: PageFacts | None
    chunks: Sequence[Chunk] = ()
    texts: Sequence[str] = ()
    warnings: tuple[str, ...] = ()


def cut_batch(job: ChunkJob) -> list[CutPage]:
    """Read and cut the pages of a batch."""
    return [_cut(job, page) for page in job.pages]


def _cut(job: ChunkJob, target: MirroredPage) -> CutPage:
    page = read_mirror_page(job.roots, job.scope, target.url, target.digest)
    if page is None:
        return CutPage(target, None)
    if page.facts.weight == 0:  # the author took the page out of search
        return CutPage(target, page.facts)
    chunked = chunk_page(page, job.settings)
    texts = [embedded_text(page.facts.title, chunk) for chunk in chunked.chunks]
    return CutPage(target, page.facts, chunked.chunks, texts, chunked.warnings)


def read_mirror_page(roots: Sequence[Path], scope: str, url: str, digest: str) -> Page | None:
    """The page in its mirror file, or None if the file is missing, damaged or changed."""
    for root in roots:
        path = mirror_file(root, url)
        try:
            text = path.read_text(encoding="utf-8")
            page = parse_page(text)
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError, SearchSocketError):
            return None
        return page if text_digest(text) == digest and page.scope in ("", scope) else None
    return None


@dataclass(frozen=True, slots=True)
class BodyJob:
    """A batch of pages whose texts are published."""

    folder: Path  # of the mirror
    pages: Sequence[tuple[str, str]]  # URL, digest of the text


def read_bodies(job: BodyJob) -> list[PageBody | str]:
    """The texts of the pages with their key phrases; the URL of a page whose mirror file is damaged."""
    return [_body(job.folder, url, digest) or url for url, digest in job.pages]


def _body(folder: Path, url: str, digest: str) -> PageBody | None:
    try:
        text = mirror_file(folder, url).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if text_digest(text) != digest:
        return None
    page = parse_page(text)
    return PageBody(url, digest, text, phrases_of_page(page.facts.title, page.body))
