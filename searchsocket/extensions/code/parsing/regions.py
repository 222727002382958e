"""Files with several languages: each part of a component or page is read by its own grammar."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

MIXED = frozenset({"svelte", "vue", "html"})
_STYLES = {"scss": "scss", "sass": "scss", "less": "less"}
_SCRIPTS = {"ts": "typescript", "typescript": "typescript", "tsx": "tsx"}
_LANGUAGE = re.compile(r"""\blang\s*=\s*["']?(\w+)""")
_MAX_DEPTH = 4  # elements around a script


@dataclass(frozen=True, slots=True)
class Region:
    """Lines in a different language than the rest of the file."""

    language: str
    first: int  # with its tags, from 1
    last: int  # inclusive
    start_row: int  # of its text, from 0
    source: bytes


def regions_of(root: "Node") -> Iterator[Region]:
    """Yield the scripts and styles of a parsed file, in order."""
    waiting = [(child, 0) for child in reversed(root.named_children)]
    while waiting:
        node, depth = waiting.pop()
        if node.type in ("script_element", "style_element"):
            raw = next((child for child in node.named_children if child.type == "raw_text"), None)
            if raw is not None and raw.text:
                first, last = node.start_point.row + 1, node.end_point.row + 1
                yield Region(_language(node), first, last, raw.start_point.row, raw.text)
        elif depth < _MAX_DEPTH and node.type in ("element", "ERROR"):
            waiting.extend((child, depth + 1) for child in reversed(node.named_children))


def _language(node: "Node") -> str:
    match = _LANGUAGE.search((node.named_children[0].text or b"").decode("utf-8", "replace").casefold())
    name = match[1] if match else ""
    return _STYLES.get(name, "css") if node.type == "style_element" else _SCRIPTS.get(name, "javascript")
