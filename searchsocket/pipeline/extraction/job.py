"""The part of stage 2 that runs in worker processes: bytes in, extracted pages out."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import assert_never

from searchsocket.content.html.converters import Converter, make_converter
from searchsocket.content.html.extract import EXTRACTOR_VERSION, extract_html
from searchsocket.content.markdown.page import extract_markdown
from searchsocket.content.page_fields import with_computed_fields
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.pipeline.run.results import digest_of, sha256
from searchsocket.project.settings.load import settings_from_json
from searchsocket.project.settings.model import RunSettings, Settings
from searchsocket.sources import configured_site, make_source
from searchsocket.sources.base import Source
from searchsocket.sources.build_folder import heading_ids_of
from searchsocket.state.extracts import StoredPage
from searchsocket.system.processes import limited
from searchsocket.web.urls.resolve import SiteBase


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """A batch of pages, with everything that another process needs to read and extract them."""

    root: Path
    settings_json: str
    mode: str | None
    scope: str
    fetched_dir: Path
    pages: Sequence[StoredPage]
    owner: int = field(default_factory=os.getpid)  # the process that runs the stage
    run_id: str = ""  # for processes that outlive a run, since the next run may read another source


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Reason why a page has no bytes."""

    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result for one page; exactly one of `extracted` and `error` is set."""

    page: StoredPage
    raw_hash: str  # of the bytes that were extracted, which may be newer than the listed ones
    extracted: ExtractedPage | None
    error: str = ""


def project_converter(root: Path, settings: Settings) -> Converter:
    """The configured converter, with the ids of headings that the project's generator writes.

    Raises:
        ConfigError: As `make_converter`.
    """
    return make_converter(root, settings.extract).with_heading_ids(heading_ids_of(root))


def extraction_key(settings: Settings, site: SiteBase, converter: Converter) -> str:
    """Digest of everything besides the bytes that affects the extracted text of a page."""
    return digest_of(
        [
            EXTRACTOR_VERSION,
            settings.extract.model_dump_json(),
            settings.transform.model_dump_json(),
            repr(site),
            converter.version,
            *([json.dumps(dict(settings.facets), sort_keys=True)] if settings.facets else []),
            *(_reader_versions() if settings.source.documents else []),
        ]
    )


def extract_batch(job: ExtractionJob) -> list[Extraction]:
    """Read and extract a batch; a page that cannot be read, or that never finishes, does not affect the others.

    In a worker, the limits of `run` apply to each page; a page that takes more time ends the worker.
    """
    settings = settings_of(job)
    source = source_of(job)
    site = configured_site(settings, job.mode, job.scope)
    converter = project_converter(job.root, settings)
    limits = settings.run if job.owner != os.getpid() else None  # a limit may end the process
    extracted = []
    for page in job.pages:
        try:
            with limited(limits):
                result = extract_one(read_one(source, page), page, settings, site, converter)
        except MemoryError:  # even its bytes did not fit
            result = _too_big(page, settings.run)
        extracted.append(result)
    return extracted


def one_page_each(job: ExtractionJob) -> list[ExtractionJob]:
    """Split a batch into batches of one page, to find the page that no worker survives."""
    return [replace(job, pages=[page]) for page in job.pages]


def pages_without_answer(pages: Sequence[StoredPage], limits: RunSettings) -> list[Extraction]:
    """Failed results for pages that no worker survived."""
    why = (
        "the process that extracted it ended; a page may use "
        f"{limits.max_page_seconds:g} s of CPU time (run.max_page_seconds) and "
        f"{limits.max_page_memory_mb:,} MB of memory (run.max_page_memory_mb)"
    )
    return [Extraction(page, page.raw_hash, None, why) for page in pages]


def _too_big(page: StoredPage, limits: RunSettings) -> Extraction:
    limit = f"{limits.max_page_memory_mb:,} MB (run.max_page_memory_mb)"
    return Extraction(page, page.raw_hash, None, f"it needs more memory than {limit}")


def read_one(source: Source, page: StoredPage) -> bytes | Unreadable:
    """Read the bytes of a page, or return the reason for the failure."""
    try:
        return source.read(page.raw)
    except SourceUnavailable as error:
        return Unreadable(str(error))


def extract_one(
    data: bytes | Unreadable, page: StoredPage, settings: Settings, site: SiteBase, converter: Converter
) -> Extraction:
    """Extract one page from the result of `read_one`."""
    if isinstance(data, Unreadable):
        return Extraction(page, page.raw_hash, None, data.reason)
    try:
        extracted = extract_page(data, page.raw, settings, site, converter)
    except MemoryError:
        return _too_big(page, settings.run)
    except Exception as error:  # noqa: BLE001  a page that breaks the parser is reported and does not affect the others
        return Extraction(page, page.raw_hash, None, f"{type(error).__name__}: {error}"[:300])
    return Extraction(page, sha256(data), extracted)


def extract_page(data: bytes, page: RawPage, settings: Settings, site: SiteBase, converter: Converter) -> ExtractedPage:
    """Extract a page of `site` from its bytes, by its kind."""
    extract: Callable[..., ExtractedPage]
    match page.kind:
        case "html":
            extract = extract_html
        case "markdown":
            extract = extract_markdown
        case "pdf" | "docx" | "odt" | "record":
            extract = _reader(page.kind)
        case "code":
            raise ValueError(f"{page.locator!a} is source code, which is split and not extracted")
        case _:
            assert_never(page.kind)
    extracted = extract(
        data,
        page,
        settings.extract,
        settings.transform,
        site=site,
        converter=converter,
        facets=settings.facets,
    )
    return with_computed_fields(extracted, settings.facets)


def _reader_versions() -> list[str]:
    return [extension.readers_version for extension in extensions() if extension.readers_version]


@lru_cache
def _reader(kind: str) -> Callable[..., ExtractedPage]:
    """The reader of a kind of pages that an extension brings.

    Raises:
        ValueError: None does.
    """
    place = next((extension.readers[kind] for extension in extensions() if kind in extension.readers), "")
    if not place:
        raise ValueError(f"no extension reads pages of the kind {kind}")
    reader: Callable[..., ExtractedPage] = load(place)
    return reader


def settings_of(job: ExtractionJob) -> Settings:
    """The configuration of a batch's project; parsed once per process."""
    return settings_from_json(job.settings_json)


def source_of(job: ExtractionJob) -> Source:
    """The source of a batch's pages; made once per process and run."""
    return _source(job.root, job.settings_json, job.mode, job.scope, job.fetched_dir, job.run_id)


@lru_cache(maxsize=4)
def _source(root: Path, settings_json: str, mode: str | None, scope: str, fetched_dir: Path, run_id: str) -> Source:
    return make_source(root, settings_from_json(settings_json), mode, scope=scope, fetched_dir=fetched_dir)
