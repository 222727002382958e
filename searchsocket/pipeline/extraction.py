"""The part of stage 2 that runs in worker processes: bytes in, extracted pages out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from searchsocket.errors import SourceUnavailable
from searchsocket.hrefs import SiteBase
from searchsocket.html.converters import Converter, make_converter
from searchsocket.html.extract import EXTRACTOR_VERSION, extract_html
from searchsocket.markdown.page import extract_markdown
from searchsocket.pipeline.digests import digest_of, sha256
from searchsocket.settings.model import Settings, SourceMode
from searchsocket.sources import configured_site, make_source
from searchsocket.sources.base import Source
from searchsocket.state.pages import StoredPage
from searchsocket.types import ExtractedPage, RawPage


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """A batch of pages, with all that another process needs to read and extract them."""

    root: Path
    settings_json: str
    mode: SourceMode | None
    scope: str
    fetched_dir: Path
    pages: Sequence[StoredPage]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What became of one page; exactly one of `extracted` and `error` is set."""

    page: StoredPage
    raw_hash: str  # of the bytes that were extracted, which may be newer than the listed ones
    extracted: ExtractedPage | None
    error: str = ""


def extraction_key(settings: Settings, site: SiteBase, converter: Converter) -> str:
    """Everything besides the bytes that decides what a page says."""
    return digest_of(
        [
            EXTRACTOR_VERSION,
            settings.extract.model_dump_json(),
            settings.transform.model_dump_json(),
            repr(site),
            converter.version,
        ]
    )


def extract_batch(job: ExtractionJob) -> list[Extraction]:
    """Read and extract a batch; a page that cannot be read costs only itself."""
    settings = settings_of(job)
    source = source_of(job)
    site = configured_site(settings, job.mode, job.scope)
    converter = make_converter(job.root, settings.extract)
    return [extract_one(read_one(source, page), page, settings, site, converter) for page in job.pages]


def given_up(pages: Sequence[StoredPage]) -> list[Extraction]:
    """What becomes of a batch that no worker survived."""
    return [
        Extraction(page, page.raw_hash, None, "the process that extracted it, or a page beside it, died")
        for page in pages
    ]


def read_one(source: Source, page: StoredPage) -> bytes | str:
    """The bytes of a page; or why they cannot be had, which costs only this page."""
    try:
        return source.read(page.raw)
    except SourceUnavailable as error:
        return str(error)


def extract_one(
    data: bytes | str, page: StoredPage, settings: Settings, site: SiteBase, converter: Converter
) -> Extraction:
    """What becomes of one page, by what `read_one` gave of it."""
    if isinstance(data, str):
        return Extraction(page, page.raw_hash, None, data)
    try:
        extracted = extract_page(data, page.raw, settings, site, converter)
    except Exception as error:  # noqa: BLE001  a page that breaks the parser is reported and costs only itself
        return Extraction(page, page.raw_hash, None, f"{type(error).__name__}: {error}"[:300])
    return Extraction(page, sha256(data), extracted)


def extract_page(data: bytes, page: RawPage, settings: Settings, site: SiteBase, converter: Converter) -> ExtractedPage:
    """What the bytes of a page of `site` say, by its kind."""
    extract = extract_markdown if page.kind == "markdown" else extract_html
    return extract(data, page, settings.extract, settings.transform, site=site, converter=converter)


def settings_of(job: ExtractionJob) -> Settings:
    """The configuration of a batch's project; read once a process."""
    return _settings(job.settings_json)


def source_of(job: ExtractionJob) -> Source:
    """The source of a batch's pages; made once a process."""
    return _source(job.root, job.settings_json, job.mode, job.scope, job.fetched_dir)


@lru_cache(maxsize=4)
def _settings(settings_json: str) -> Settings:
    return Settings.model_validate_json(settings_json)


@lru_cache(maxsize=4)
def _source(root: Path, settings_json: str, mode: SourceMode | None, scope: str, fetched_dir: Path) -> Source:
    return make_source(root, _settings(settings_json), mode, scope=scope, fetched_dir=fetched_dir)
