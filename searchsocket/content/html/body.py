"""Convert the main content to Markdown, links and headings; HTML pages and content files share this step."""

from dataclasses import dataclass

from lxml import etree

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.links import LinkResolver, collect_links
from searchsocket.content.html.prune import prune
from searchsocket.content.html.settle import limit_size, settle_blocks
from searchsocket.content.html.tree import HEADINGS, Element, has_text, one_line, raw_text, text_of, with_attribute
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
    label_tabs(main)
    prune(main, how, extract, transform)
    times = [time.get("datetime") or "" for time in main.iter("time")]
    links = collect_links(main, resolver)
    settle_blocks(main, resolver, converter.custom)
    warnings = [note for note in (limit_size(main),) if note]
    h1, first_heading = _headings(main)
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


def label_tabs(main: Element) -> None:
    """Put each tab's name at the head of its panel, before the row of tabs is dropped."""
    for group in [element for element in main.iter("div") if "code-group" in (element.get("class") or "")]:
        _label_code_group(group)
    panels = with_attribute(main, "role", "tabpanel")
    if not panels:
        return
    by_id = {element.get("id"): element for element in with_attribute(main, "id")}
    tabs = _tabs_of(panels)
    for panel in panels:
        label = by_id.get((panel.get("aria-labelledby") or "").split(" ")[0])
        name = text_of(label) if label is not None else (panel.get("aria-label") or tabs.get(panel, ""))
        if name and has_text(panel):
            _insert_name(panel, name)


def _label_code_group(group: Element) -> None:
    """VitePress builds tabs without roles: labels in one `div`, blocks of code in the next one."""
    labels = list(group.iter("label"))
    for blocks in group.iterchildren("div"):
        if len(blocks) == len(labels) and all(next(block.iter("pre"), None) is not None for block in blocks):
            for label, block in zip(labels, blocks, strict=True):
                _insert_name(block, text_of(label))


def _insert_name(panel: Element, name: str) -> None:
    paragraph = etree.Element("p")
    strong = etree.SubElement(paragraph, "strong")
    strong.text = name
    paragraph.tail, panel.text = panel.text, None
    panel.insert(0, paragraph)


def _tabs_of(panels: list[Element]) -> dict[Element, str]:
    """The tab of each panel: the tab at the same position in the row beside the panels, or beside their parent."""
    groups: dict[Element, list[Element]] = {}
    for panel in panels:
        if (siblings := panel.getparent()) is not None:
            groups.setdefault(siblings, []).append(panel)
    names: dict[Element, str] = {}
    for siblings, group in groups.items():
        around = siblings.getparent()
        for neighbour in (siblings, siblings.getprevious(), None if around is None else around.getprevious()):
            tabs = with_attribute(neighbour, "role", "tab") if neighbour is not None else []
            if tabs and len(tabs) == len(group):
                names |= {panel: text_of(tab) for panel, tab in zip(group, tabs, strict=True)}
                break
    return names
