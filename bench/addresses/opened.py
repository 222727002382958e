"""List the addresses of a site's results, and open them in a browser."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Route

from searchsocket.content.html.converters import make_converter
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.pipeline.extraction.job import extract_page
from searchsocket.project.settings.model import Settings
from searchsocket.search.quoting.results import href
from searchsocket.sources import configured_site, make_source
from searchsocket.sources.base import SourceReport
from searchsocket.types import PageFacts

# Text fragments are no places of their own, and a name may hold any character.
_MISSING = """
(fragments) => fragments.filter((fragment) => {
  location.hash = fragment;
  return document.querySelector(':target') === null;
})
"""


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """The addresses of one site's results."""

    fragments: Mapping[str, list[str]]  # by address of the page
    report: SourceReport


@dataclass(slots=True)
class Opened:
    """What a browser says of addresses."""

    pages: int = 0
    anchors: int = 0
    problems: list[str] = field(default_factory=list)


def site_addresses(root: Path, settings: Settings, state_dir: Path, most: int) -> SiteAddresses:
    """The address of every page and heading of a site, as results have them.

    Args:
        root: Folder of the project.
        most: Pages to extract, evenly drawn.
    """
    source = make_source(root, settings, None, scope="main", fetched_dir=state_dir)
    site = configured_site(settings, None, "main")
    converter = make_converter(root, settings.extract)
    fragments: dict[str, list[str]] = {}
    pages = [*source.pages()]
    for page in pages[:: max(1, -(-len(pages) // most))]:
        extracted = extract_page(source.read(page), page, settings, site, converter)
        if not extracted.skip:
            facts = PageFacts(title=extracted.title, url=page.url, address=page.address)
            anchors = dict.fromkeys(block.anchor for block in parse_blocks(extracted.body) if block.anchor)
            fragments[href(facts)] = [href(facts, anchor).partition("#")[2] for anchor in anchors]
    return SiteAddresses(fragments, source.report)


def open_addresses(browser: Browser, origin: str, fragments: Mapping[str, Iterable[str]]) -> Opened:
    """Open each page and each of its fragments; a redirect and a missing anchor are problems."""
    opened = Opened()
    # Scripts of a page could change the address or the anchors; results must open without them.
    context = browser.new_context(java_script_enabled=False)
    context.route("**/*", _only_documents)
    page = context.new_page()
    for address, anchors in fragments.items():
        opened.pages += 1
        response = page.goto(origin + address, wait_until="domcontentloaded")
        if response is None or response.status != 200:
            opened.problems.append(f"{address}: {response.status if response else 'no answer'}")
            continue
        if response.request.redirected_from is not None:
            opened.problems.append(f"{address}: redirects to {urlsplit(response.url).path}")
        wanted = [*anchors]
        opened.anchors += len(wanted)
        opened.problems += [f"{address}#{fragment}: no such anchor" for fragment in page.evaluate(_MISSING, wanted)]
    context.close()
    return opened


def _only_documents(route: Route) -> None:
    if route.request.is_navigation_request():
        route.continue_()
    else:
        route.abort()
