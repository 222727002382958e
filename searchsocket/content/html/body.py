"""Convert the main content to Markdown, links and headings; HTML pages and content files share this step."""

from dataclasses import dataclass

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.links import LinkResolver, collect_links
from searchsocket.content.html.opened import settle_opened
from searchsocket.content.html.prune import prune
from searchsocket.content.html.settle import limit_size, settle_blocks
from searchsocket.content.html.terms import mark_terms, settle_terms
from searchsocket.content.html.tree import HEADINGS, Element, one_line, raw_text
from searchsocket.content.pages import Link
from searchsocket.project.settings.site import ExtractSettings, TransformSettings


@dataclass(frozen=True, slots=True)
class Body:
    """Text of the main content."""

    markdown: str  # "" when there is no text
    links: tuple[Link, ...]
    h1: str  # text of the only h1; "" when there is none, or several
    first_heading: str  # the first h1, else the first of any level
    only_date: str  # `datetime` of the one <time>; "" if there are several
    warnings: tuple[str, ...]


def read_body(
    main: Element,
    how: str,
    resolver: LinkResolver,
    extract: ExtractSettings,
    transform: TransformSettings,
    converter: Converter = FAST,
) -> Body:
    """Prune, normalise and convert the main content; this changes `main`.

    Args:
        how: How it was found; for `body`, it includes the site's own header and footer.
    """
    settle_opened(main)
    mark_terms(main)
    prune(main, how, extract, transform)
    times = [time.get("datetime") or "" for time in main.iter("time")]
    links = collect_links(main, resolver)
    settle_blocks(main, resolver, converter.custom)
    warnings = [note for note in (limit_size(main),) if note]
    h1, first_heading = _headings(main)
    settle_terms(main)
    markdown = converter.to_markdown(main, keep_tables=transform.preserve_tables)
    if not any(char.isalnum() for char in markdown):
        markdown = ""
        warnings.append(f"no text in {how}: check extract.main_selector and extract.drop_selectors")
    return Body(markdown, links, h1, first_heading, times[0] if len(times) == 1 else "", tuple(warnings))


def _headings(main: Element) -> tuple[str, str]:
    headings = [(element.tag, one_line(raw_text(element), 300)) for element in main.iter(*HEADINGS)]
    titles = list(dict.fromkeys(text for tag, text in headings if tag == "h1" and text))
    first = next((text for _, text in headings if text), "")
    return titles[0] if len(titles) == 1 else "", titles[0] if titles else first
