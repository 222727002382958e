"""Output of a screen reader for a page: Chromium's accessibility tree, and announcements of live regions."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

SILENT = {"none", "generic", "InlineTextBox", "LineBreak", "LabelText"}
# Their names hold what is in them; and the options of a menu that is closed are read by nobody.
NAMED = {"button", "combobox", "heading", "link", "option", "LabelText"}
STATES = ("focused", "modal", "expanded", "selected", "busy", "live", "autocomplete", "hasPopup", "keyshortcuts")
ANNOUNCED = """() => {
  window.announced = [];
  for (const region of document.querySelector('searchsocket-dialog').shadowRoot.querySelectorAll('[role=status]')) {
    new MutationObserver(() => {
      const text = region.textContent.trim();
      if (text && text !== announced.at(-1)) announced.push(text);
    }).observe(region, { childList: true, subtree: true, characterData: true });
  }
}"""


@dataclass(frozen=True)
class Reader:
    """Reads a page step by step."""

    page: Page
    steps: list[str]

    def listen(self) -> None:
        self.page.evaluate(ANNOUNCED)

    def step(self, title: str) -> None:
        """Note what there is now, and what was announced since the last step."""
        announcements = self.page.evaluate("window.announced ? announced.splice(0) : []")
        tree = self.page.context.new_cdp_session(self.page).send("Accessibility.getFullAXTree")["nodes"]
        nodes = {node["nodeId"]: node for node in tree}
        lines = [f"# {title}", *(f"announced: {text}" for text in announcements), *_lines(tree[0], nodes, 0)]
        self.steps.append("\n".join(lines))


def _lines(node: dict[str, Any], nodes: dict[str, dict[str, Any]], depth: int) -> list[str]:
    role = node.get("role", {}).get("value", "")
    name = node.get("name", {}).get("value", "")
    is_silent = node["ignored"] or role in SILENT
    line = (
        [] if is_silent else ["  " * depth + " ".join([role, *([f'"{name}"'] if name else []), *_states(node, nodes)])]
    )
    below = [child for child in node.get("childIds", []) if child in nodes]
    inner = [] if role in NAMED else below
    return line + [text for child in inner for text in _lines(nodes[child], nodes, depth if is_silent else depth + 1)]


def _states(node: dict[str, Any], nodes: dict[str, dict[str, Any]]) -> list[str]:
    properties = {entry["name"]: entry["value"] for entry in node.get("properties", [])}
    states = [
        name if (value := properties[name].get("value")) is True else f"{name}={value}"
        for name in STATES
        if name in properties
    ]
    value = node.get("value", {}).get("value", "")
    by_backend = {item["backendDOMNodeId"]: item for item in nodes.values() if "backendDOMNodeId" in item}
    active = [
        by_backend[element["backendDOMNodeId"]]
        for element in properties.get("activedescendant", {}).get("relatedNodes", [])
    ]
    named = [f'active="{one["name"]["value"]}"' for one in active]
    return [
        *([f"value={value}"] if value else []),
        *(state for state in states if not state.endswith(("=False", "=off"))),
        *named,
    ]
