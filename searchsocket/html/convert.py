"""A settled tree to Markdown: one walk over it, without another tree in between."""

import re

from searchsocket.html.rules import MEANS, RULES, WITHOUT_TABLES, Rule
from searchsocket.html.said import BLOCK, BREAK, FLOW, PRE, said
from searchsocket.html.tree import BLOCKS, Element, clean_text

_FENCE = re.compile(r"^[ >]*(?:[-*+] |\d{1,9}\. )*(`{3,})")
_EDGES = {**dict.fromkeys(BLOCKS, BLOCK), "br": BREAK}


def to_markdown(main: Element, *, keep_tables: bool = True) -> str:
    """The Markdown of a settled main content: the same bytes for the same tree, no trailing spaces.

    The walk recurses: `limit_size` bounds the depth.
    """
    return tidy(_markdown(main, str(main.tag), 0, RULES if keep_tables else WITHOUT_TABLES).strip("\n"))


def tidy(text: str) -> str:
    """At most one blank line and no spaces at line ends outside fences; nothing around the whole."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        line = line.rstrip()
        match = _FENCE.match(line) if "```" in line else None
        if match and (not fence or (len(match[1]) >= len(fence) and line.endswith(match[1]))):
            fence = "" if fence else match[1]
        elif not fence and lines and line == lines[-1] and not line.strip(" >"):
            continue
        lines.append(line)
    return "\n".join(lines).strip("\n")


def _markdown(element: Element, tag: str, around: int, rules: dict[str, Rule]) -> str:
    """One element with all that is in it."""
    inside = around | MEANS.get(tag, 0)
    edge = BLOCK if tag in BLOCKS else FLOW
    children = list(element)
    text = element.text
    if not children:
        content = _text(text, edge, edge, inside) if text else ""
    else:
        content = _joined(text, children, edge, inside, rules)
    rule = rules.get(tag)
    return content if rule is None else rule(element, content, around)


def _joined(text: str | None, children: list[Element], edge: int, inside: int, rules: dict[str, Rule]) -> str:
    """The text and the children of an element; `edge` is what the text meets at both ends of the element."""
    parts: list[str] = []
    if text and (part := _text(text, edge, _EDGES.get(children[0].tag, FLOW), inside)):
        parts.append(part)
    last = len(children) - 1
    for index, child in enumerate(children):
        name = child.tag
        if part := _markdown(child, name, inside, rules):
            _join(parts, part, inside)
        if text := child.tail:
            after = edge if index == last else _EDGES.get(children[index + 1].tag, FLOW)
            if part := _text(text, _EDGES.get(name, FLOW), after, inside):
                _join(parts, part, inside)
    return "".join(parts)


def _text(text: str, before: int, after: int, inside: int) -> str:
    return clean_text(text) if inside & PRE else said(text, before, after, inside)


def _join(parts: list[str], part: str, inside: int) -> None:
    """Append a part; where two meet, the larger number of line ends counts, at most two."""
    if parts and not inside & PRE:
        first, end = part[0], parts[-1][-1]
        if first == " " and end == " ":
            part = part[1:]
        elif first == "\n" and end == "\n":
            last = parts[-1].rstrip("\n")
            rest = part.lstrip("\n")
            ends = max(len(parts[-1]) - len(last), len(part) - len(rest))
            parts[-1] = last + "\n" * min(2, ends)
            part = rest
    if part:
        parts.append(part)
