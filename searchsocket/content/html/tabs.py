"""The names of tabs, written into the panels that they open: without them, a page says the same thing twice."""

from lxml import etree

from searchsocket.content.html.tree import Element, has_text, text_of, with_attribute


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
            _put_name(panel, name)


def _label_code_group(group: Element) -> None:
    """VitePress builds tabs without roles: labels in one `div`, blocks of code in the next one."""
    labels = list(group.iter("label"))
    for blocks in group.iterchildren("div"):
        if len(blocks) == len(labels) and all(next(block.iter("pre"), None) is not None for block in blocks):
            for label, block in zip(labels, blocks, strict=True):
                _put_name(block, text_of(label))


def _put_name(panel: Element, name: str) -> None:
    paragraph = etree.Element("p")
    strong = etree.SubElement(paragraph, "strong")
    strong.text = name
    paragraph.tail, panel.text = panel.text, None
    panel.insert(0, paragraph)


def _tabs_of(panels: list[Element]) -> dict[Element, str]:
    """The tab of each panel: at the same place in the row of tabs beside the panels, or beside what holds them."""
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
