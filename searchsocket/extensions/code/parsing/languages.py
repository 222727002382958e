"""Languages that the text of a file decides: the parts of a component or page, and a header `.h`.

The text alone decides, not the files beside it, so that a header has one language however an index was updated.
"""

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


_NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"|^[ \t]*\#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)__cplusplus.{0,4000}?^[ \t]*\#[ \t]*(?:endif|else)",
    re.DOTALL | re.MULTILINE,
)
_OBJECTIVE_C = re.compile(r"^[ \t]*@(?:interface|protocol|class)\b|^[ \t]*\#[ \t]*import\b", re.MULTILINE)
_CPP = re.compile(
    r"""^[ \t]*(?:
        (?:class|friend|explicit|virtual|typename|consteval|constinit)[ \t]+[A-Za-z_]
        | template[ \t]*< | (?:inline[ \t]+)?namespace\b[^;=()]{0,200}\{ | using[ \t]+\w | enum[ \t]+(?:class|struct)\b
        | (?:public|private|protected)[ \t]*(?:slots|Q_SLOTS)?[ \t]*:
        | \#[ \t]*include[ \t]*<\w+>
    )
    | \w[ \t]*::[ \t]*[~\w] | \bstruct[ \t]+(?:\w+[ \t]+)?\w+[ \t]*(?:final[ \t]*)?:[ \t]*[A-Za-z_][^;]{0,500}\{
    | \b(?:static|dynamic|reinterpret|const)_cast[ \t]*< | \boperator[ \t]*(?:[-+*/%^&|~!=<>\[(,]|new\b|delete\b)
    | \)[ \t]*(?:const[ \t]*)?noexcept\b | =[ \t]*(?:default|delete)[ \t]*; | \bconst[ \t]+\w+[ \t]*&[ \t]*\w+[ \t]*[,)]
    """,
    re.MULTILINE | re.VERBOSE,
)
_MAX_CHARS = 500_000
LANGUAGES = ("c", "cpp", "objective-c")


def is_header(name: str) -> bool:
    """Return True if the name of a file does not tell in which of `LANGUAGES` it is."""
    return name.casefold().endswith(".h")


def header_language(text: str) -> str:
    """The language of a header."""
    code = _NO_CODE.sub(_lines, text[:_MAX_CHARS])
    if _OBJECTIVE_C.search(code):
        return "objective-c"
    return "cpp" if _CPP.search(code) else "c"


def _lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n") or " "
