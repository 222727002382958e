"""Keep text that a reader opens: each tab's name at the head of its panel, and each answer below its question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from searchsocket.content.html.tree import (
    BLOCKS,
    HEADINGS,
    Element,
    classes,
    drop,
    elements_of,
    embolden,
    has_text,
    link_share,
    text_of,
    with_attribute,
)

OPENED = "data-ss-opened"  # on an element that a reader opens: it is text, even if it is hidden at first
PANEL = re.compile(r"tab(?:bed|s)?[-_]{0,2}(?:pane|panel|item|content|block)|tabs__", re.IGNORECASE)
_PANEL_CLASSES = etree.XPath("descendant-or-self::*/@class[contains(., 'tab') or contains(., 'Tab')]")
_TAB_KINDS = frozenset({"tab", "pill", "list"})
_GENERIC = re.compile(
    r"(?:show|hide|view|read|see|toggle|expand|collapse|open|close)(?: (?:more|less|all|code|source|details|menu))?"
    r"|more|less|menu|details|copy|copied|edit|run|on this page|table of contents|contents",
    re.IGNORECASE,
)
_MENU_ROLES = frozenset(
    {"menu", "menubar", "listbox", "dialog", "alertdialog", "tooltip", "navigation", "tree", "grid"}
)
_MENU_SHARE = 0.5  # of a panel's text; with more in links, it is a menu
_LEVELS_UP = 3  # from a button to the element before the panel


@dataclass(frozen=True, slots=True)
class _Controls:
    """The controls of a page; looking for each kind alone would take too long."""

    roles: Mapping[str, Sequence[Element]]  # the elements with a role, by role
    buttons: Sequence[Element]  # and links, if they may open something

    @classmethod
    def of(cls, main: Element) -> "_Controls":
        roles: dict[str, list[Element]] = {}
        for element in with_attribute(main, "role"):
            roles.setdefault(element.get("role") or "", []).append(element)
        links = [link for link in main.iter("a") if link.get("href", "#")[:1] == "#" and _toggles(link)]
        return cls(roles, [*main.iter("button"), *roles.get("button", ()), *links])


def _toggles(link: Element) -> bool:
    return any(
        link.get(name) is not None for name in ("aria-controls", "aria-expanded", "data-bs-toggle", "data-toggle")
    )


def settle_opened(main: Element) -> None:
    """Name the panels of tabs, and keep what buttons disclose."""
    controls = _Controls.of(main)
    _name_by_inputs(main)
    _name_panels(main, controls)
    _open_panels(main, controls)


def _name_panels(main: Element, controls: _Controls) -> None:
    """Put each tab's name at the head of its panel, and drop the row of tabs."""
    rows = [row for row in main.iter("ul", "ol") if "tab" in (row.get("class") or "").lower()]
    by_target = _tabs_by_target(rows, controls)
    panels = list(controls.roles.get("tabpanel", ()))
    if rows or by_target or "tablist" in controls.roles:
        panels += [panel for panel in elements_of(_PANEL_CLASSES, main) if PANEL.search(panel.get("class") or "")]
    if not panels:
        return
    by_id = {element.get("id"): element for element in with_attribute(main, "id")}
    by_position = _tabs_by_position(panels)
    for panel in dict.fromkeys(panels):
        label = by_id.get((panel.get("aria-labelledby") or "").split(" ")[0])
        tab = by_target.get(panel.get("id") or "", by_position.get(panel))
        name = text_of(label) if label is not None else panel.get("aria-label") or ""
        if not name and tab is not None:
            name = text_of(tab)
        if name and has_text(panel):
            _insert_name(panel, name)
            if tab is not None:
                drop(tab)


def _tabs_by_target(rows: Sequence[Element], controls: _Controls) -> Mapping[str, Element]:
    """The tab of each panel's id.

    Args:
        rows: Lists of links without roles; each leads to a panel of this page.
    """
    tabs: dict[str, Element] = {}
    for element in (*controls.roles.get("tab", ()), *controls.buttons):
        kind = element.get("data-bs-toggle") or element.get("data-toggle") or element.get("role")
        if kind in _TAB_KINDS:
            tabs.setdefault(_target_of(element), element)
    for link in (link for row in rows for link in row.iter("a")):
        tabs.setdefault(_target_of(link), link)
    tabs.pop("", None)
    return tabs


def _target_of(control: Element) -> str:
    """The id of the element that a control opens; "" if it names none."""
    for name in ("aria-controls", "data-bs-target", "data-target", "href"):
        value = control.get(name) or ""
        if value and (name == "aria-controls" or value[0] == "#"):
            return value.removeprefix("#").split(" ")[0]
    return ""


def _tabs_by_position(panels: Sequence[Element]) -> dict[Element, Element]:
    """The tab of each panel: the tab at the same position in the row beside the panels, or beside their parent."""
    groups: dict[Element, list[Element]] = {}
    for panel in panels:
        if (siblings := panel.getparent()) is not None:
            groups.setdefault(siblings, []).append(panel)
    tabs: dict[Element, Element] = {}
    for siblings, group in groups.items():
        around = siblings.getparent()
        for row in (siblings, siblings.getprevious(), None if around is None else around.getprevious()):
            row_tabs = _row_tabs(row, siblings) if row is not None else []
            if len(row_tabs) == len(group):
                tabs |= zip(group, row_tabs, strict=True)
                break
    return tabs


def _row_tabs(row: Element, siblings: Element) -> list[Element]:
    tabs = with_attribute(row, "role", "tab")
    if tabs or row is siblings or "tab" not in (row.get("class") or "").lower():
        return tabs
    return next((found for tag in ("li", "button", "label", "a") if (found := list(row.iter(tag)))), [])


def _name_by_inputs(main: Element) -> None:
    """Name panels of tabs that are radio inputs: their labels are in a row, or each is before its panel."""
    labels = {label.get("for") or "": label for label in main.iter("label")}
    if not labels:
        return
    groups: dict[str, list[str]] = {}
    for control in main.iter("input"):
        if (control.get("type") or "").lower() == "radio":
            groups.setdefault(control.get("name") or "", []).append(control.get("id") or "")
    names = [[labels[key] for key in keys if key in labels] for keys in groups.values()]
    names += [list(group.iter("label")) for group in main.iter("div") if "code-group" in (group.get("class") or "")]
    for group in names:
        panels = _panels_after(group) or _panels_beside(group)
        for label, panel in zip(group, panels, strict=False):
            _insert_name(panel, text_of(label))
            drop(label)


def _panels_after(labels: Sequence[Element]) -> list[Element]:
    """The element after each label, if each has one of its own; [] otherwise."""
    panels: list[Element] = []
    for label in labels:
        panel = label.getnext()
        while panel is not None and panel.tag == "input":
            panel = panel.getnext()
        if panel is None or panel.tag not in {"div", "section", "pre", "figure", "ul"} or (label.tail or "").strip():
            return []
        panels.append(panel)
    is_tab = len(panels) > 1 or any("tab" in name for panel in panels for name in classes(panel))
    return panels if is_tab and len(set(panels)) == len(panels) else []


def _panels_beside(labels: Sequence[Element]) -> list[Element]:
    """The children of the element after a row of labels, or the elements after the last label: one for each label."""
    row = labels[0].getparent() if labels else None
    if row is None:
        return []
    siblings = [*labels[-1].itersiblings("div", "section")]
    if len(siblings) == len(labels) and not any(True for sibling in siblings for _ in sibling.iter("label")):
        return siblings
    panels = list(row.getnext()) if row.getnext() is not None else []  # type: ignore[arg-type]  # not None
    return panels if len(panels) == len(labels) and all(panel.tag in BLOCKS for panel in panels) else []


def _insert_name(panel: Element, name: str) -> None:
    if not name:
        return
    if panel.tag in {"pre", "ul"}:
        paragraph = etree.Element("p")
        panel.addprevious(paragraph)
    else:
        paragraph = etree.Element("p")
        paragraph.tail, panel.text = panel.text, None
        panel.insert(0, paragraph)
    etree.SubElement(paragraph, "strong").text = name
    panel.set(OPENED, "")


def _open_panels(main: Element, controls: _Controls) -> None:
    """Keep what buttons disclose, and the names of these buttons: the questions of a list of answers."""
    buttons = [button for button in controls.buttons if _target_of(button) or button.get("aria-expanded")]
    if not buttons:
        return
    by_id = {element.get("id"): element for element in with_attribute(main, "id")}
    for button in dict.fromkeys(buttons):
        if button.get("role") == "tab" or button.get("aria-haspopup") or button.get("data-toggle") in _TAB_KINDS:
            continue
        panel = by_id.get(_target_of(button), None if _target_of(button) else _element_after(button))
        if panel is None or _is_menu(panel) or button in set(panel.iterdescendants()):
            continue
        panel.set(OPENED, "")
        name = text_of(button)
        if any(map(str.isalnum, name)) and not _GENERIC.fullmatch(name) and _is_button(button):
            _keep_name(button)


def _is_button(element: Element) -> bool:
    return element.tag == "button" or element.get("role") == "button"


def _element_after(button: Element) -> Element | None:
    """The element after a button, or after an element that contains nothing else."""
    element = button
    for _ in range(_LEVELS_UP):
        if (after := element.getnext()) is not None:
            return after
        parent = element.getparent()
        if parent is None or text_of(parent) != text_of(button):
            return None
        element = parent
    return None


def _is_menu(panel: Element) -> bool:
    if panel.tag in {"nav", "dialog", "menu"} or panel.get("role") in _MENU_ROLES or not has_text(panel):
        return True
    return link_share(panel) > _MENU_SHARE


def _keep_name(button: Element) -> None:
    """Turn a button into its words: bold in a paragraph, unless its parent is a title already."""
    parent = button.getparent()
    is_title = parent is not None and (parent.tag in HEADINGS or parent.tag in {"summary", "dt", "strong", "b"})
    has_blocks = any(child.tag in BLOCKS for child in button.iterdescendants())
    if not is_title and not has_blocks:
        embolden(button)
    button.tag = "span" if is_title else "div" if has_blocks else "p"
    if button.get("role"):
        del button.attrib["role"]
