"""Read the dialects of Markdown that generators of sites add, and keep plain Markdown and HTML.

Scripts, styles, comments, templates, components and marks are removed in one pass from left to right, so that a comment
in a fence, or a fence in a comment, is read correctly. Before it, bodies of blocks that are marked by their indentation
lose it, since indented text is code.
"""

import re
from itertools import islice

_NEXT = re.compile(
    r"""^(?:(?P<fence>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,}))
        |(?P<import>import[ \t](?:[^\n;]{0,500}?[ \t]from[ \t]+|(?:[\w$]+,[ \t]*)?\{[^{};'"]{0,2000}\}\s*from[ \t]*)?
            ['"][^'"\n]{1,500}['"];?[ \t]*$)
        |(?P<export>export[ \t]+(?:(?:const|let|var|(?:async[ \t]+)?function|class|type|interface)[ \t*]+[\w$]+
                [ \t]*[=({<:]
            |default[ \t]+(?:[({[]|(?:(?:async[ \t]+)?function|class)\b|[\w$.]+[ \t]*(?:\(|;?$))))
        |(?P<container>[ \t]*:{3,}[ \t]*(?:\{[^{}\n]{0,200}\}|[\w-]{1,50})?(?P<title>[^\n]{0,300})$)
        |(?P<note>%%[ \t\n][^%]{0,2000}%%[ \t]*$))
    |(?P<ticks>`+)
    |<(?:(?P<comment>!--)
        |(?P<raw>script|style|svelte:head)(?=[\s>/])
        |(?P<tag>/?[A-Za-z][\w:.-]*(?=[\s/>])))
    |\{(?:(?P<block>[#](?:if|each|await|key|snippet)\s|:(?:else|then|catch)\b|/(?:if|each|await|key|snippet)\}|@(?:html|const|render|debug|attach)\s)
        |(?P<expression>/\*)
        |(?P<highlight>(?:%-?|\{[<%])[ \t]*highlight[ \t]+(?P<language>[\w+-]{1,30})[^\n]{0,200}?(?:%|[%>]\})\})
        |(?P<template>%[^\n]{0,500}?%\}|\{[<%][^{}]{0,2000}[%>]\}\})
        |(?P<target>(?<=\]\(\{)\{-?[ \t]*(?:['"](?P<path>[^'"{}\n]{0,300})['"])?[^{}\n]{0,300}\}\})
        |(?P<attributes>(?::|[\w-]+=")[^{}\n]{1,200}\}|[ \t]*[.#][\w:-]+(?:[ \t][^{}\n]{0,200})?\}))
    |(?P<link>!?\[\[(?P<page>[^\[\]|\n]{1,200})(?:\|(?P<alias>[^\[\]\n]{1,200}))?\]\](?!\())
    |(?P<alert>(?<=>)[ \t]*\[![\w-]{1,30}\][+-]?)
    |(?P<marked>(?<![\w=])==(?=[^\s=])[^=\n]{1,200}(?<=\S)==(?![\w=]))""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# Possessive and bounded throughout: a failed match costs a bounded number of characters.
_STRINGS = r"""\"[^"\n]{0,500}+\"|'[^'\n]{0,500}+'|`[^`]{0,500}+`|["'`]"""
_INNERMOST = r"\{[^{}]{0,500}+\}"
_INNER = rf"\{{(?>[^{{}}\"'`]{{1,500}}+|{_STRINGS}|{_INNERMOST}){{0,30}}+\}}"
_MIDDLE = rf"\{{(?>[^{{}}\"'`]{{1,500}}+|{_STRINGS}|{_INNER}){{0,30}}+\}}"
_BRACES = rf"\{{(?>[^{{}}\"'`]{{1,1000}}+|{_STRINGS}|{_MIDDLE}){{0,50}}+\}}"
_BRACED = re.compile(_BRACES)
_TAG_REST = re.compile(rf"""(?>[^<>{{}}"']{{1,1000}}+|"[^"]{{0,1000}}+"|'[^']{{0,1000}}+'|{_BRACES}){{0,100}}+>""")
_ATTRIBUTE = re.compile(r"""\s([A-Za-z][\w-]{0,50})(?:=("[^"{}]*"|'[^'{}]*'|[^\s"'{}<>=`]+))?(?=[\s/>])""")
_HIGHLIGHT_END = re.compile(r"\{(?:%-?|\{[<%])[ \t]*(?:end|/)highlight[ \t]*(?:-?%|[%>]\})\}")
_ID = re.compile(r"#([^\s{}.#]+)")
_BRACED_END = re.compile(r"\{[^{}]*\}\s*$")
_UNDERLINE = re.compile(r"[^\n]*\n[ \t]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_NAMING = re.compile(r"""\s(?:title|label|header|question|summary)=(?:"([^"{}]{1,300})"|'([^'{}]{1,300})')""")
_BLANK_LINE = re.compile(r"\n(?=[ \t]*\n)")
_MAX_BLANK_LINES = 20  # in one `export` statement
# Python-Markdown: `!!! note "Title"`, `??? note`, `=== "Tab"`, each with an indented body.
_INDENTED = re.compile(
    r"""(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+)*(?:[ \t]+"(?P<title>[^"]*)")?[ \t]*$"""
    r"""|===[+!]?[ \t]+"(?P<tab>[^"]*)"[ \t]*$"""
)
_BODY_INDENT = 4
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ROBOTS = re.compile(r"<meta\b[^>]{0,200}robots[^>]{0,200}\b(?:noindex|none)\b", re.IGNORECASE)
_NOINDEX = re.compile(r"<!--\s*noindex\s*-->", re.IGNORECASE)
_NOINDEX_END = re.compile(r"<!--\s*/noindex\s*-->", re.IGNORECASE)


def plain_markdown(text: str, noindex_attr: str, *, robots: bool = True) -> tuple[str, bool]:
    """Keep only Markdown and plain HTML.

    Args:
        robots: False ignores robots metas.

    Returns:
        The text, and True if the page is noindex. That is so if a tag outside code has `noindex_attr`, or a robots
        meta or comment asks for it. With an end comment, `<!-- /noindex -->`, only the text between them is removed.
    """
    text = _without_indentation(text)
    parts: list[str] = []
    noindex = False
    at = 0
    while match := _NEXT.search(text, at):
        parts.append(text[at : match.start()])
        kind = match.lastgroup if match.lastgroup != "mark" else "fence"
        end, text_left = _read_construct(text, match, str(kind))
        if kind in {"tag", "raw"}:
            tag = text[match.start() : end]
            noindex |= _carries(tag, noindex_attr) or (robots and _ROBOTS.search(tag) is not None)
        elif kind == "comment":
            noindex |= _NOINDEX.fullmatch(text, match.start(), end) is not None
        parts.append(text_left)
        at = max(end, match.end() if kind != "ticks" else end)
    return "".join([*parts, text[at:]]), noindex


def _read_construct(text: str, match: re.Match[str], kind: str) -> tuple[int, str]:
    """Return the end of a construct, and the text that remains of it."""
    start = match.start()
    if kind == "fence":
        end = _fence_end(text, match)
        return end, text[start:end]
    if kind == "ticks":
        close = re.compile(rf"(?<!`){match[0]}(?!`)").search(text, match.end(), match.end() + 2000)
        end = close.end() if close else match.end()
        return end, text[start:end]
    if kind == "comment":
        end = text.find("-->", match.end())
        end = len(text) if end < 0 else end + 3
        if _NOINDEX.fullmatch(text, start, end) and (close := _NOINDEX_END.search(text, end)):
            end = close.end()
        return end, ""
    if kind == "raw":
        closing = re.compile(rf"</{match['raw']}\s*>", re.IGNORECASE).search(text, match.end())
        return (closing.end() if closing else len(text)), ""
    if kind == "tag":
        end = _tag_end(text, match.end())
        if not end:
            return match.end(), match[0]
        tag = text[start:end]
        return end, _plain_tag(tag) or (_titled(tag) if _begins_line(text, start) else "")
    if kind == "block":
        return _brace_end(text, start), ""
    if kind == "export":
        return _export_end(text, match.end()), ""
    if kind == "expression":
        end = text.find("*/}", match.end())
        return (end + 3, "") if end >= 0 else (match.end(), match[0])
    if kind == "highlight":
        close = _HIGHLIGHT_END.search(text, match.end())
        end = close.end() if close else len(text)
        code = text[match.end() : close.start() if close else end].strip("\n")
        return end, f"\n```{match['language']}\n{code}\n```\n"
    return match.end(), _remaining(text, match, kind)


def _remaining(text: str, match: re.Match[str], kind: str) -> str:
    """Return the text that remains of a construct without a body of its own."""
    if kind == "container":
        return _paragraph(_BRACED_END.sub("", match["title"]).strip().strip("[]"))
    if kind == "link":  # `[[page#section|alias]]`; of an embedded file nothing remains
        page, _, section = match["page"].strip("\\ ").partition("#")
        return "" if match[0].startswith("!") else (match["alias"] or page or section).strip()
    if kind == "target":  # of a link, in a template: `{{ '/docs/rope' | relative_url }}`
        return match["path"] or ""
    if kind == "marked":
        return match[0][2:-2]
    if kind == "attributes" and (own := _ID.search(match[0])) and _is_heading(text, match):
        return f"{{#{own[1]}}}"
    return ""


def _paragraph(text: str) -> str:
    return f"\n\n**{text}**\n\n" if text else "\n"


def _titled(tag: str) -> str:
    """Return the title that a component shows, as a paragraph: `<Accordion title="Is it free?">`."""
    naming = _NAMING.search(tag)
    return _paragraph((naming[1] or naming[2]).strip()) if naming else ""


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _is_heading(text: str, match: re.Match[str]) -> bool:
    line = text[text.rfind("\n", 0, match.start()) + 1 :][:200].lstrip()
    return line.startswith("#") or _UNDERLINE.match(text, match.end()) is not None


def _export_end(text: str, at: int) -> int:
    """The end of an `export` statement: a blank line outside its braces, else the first one."""
    ends = list(islice(_BLANK_LINE.finditer(text, at), _MAX_BLANK_LINES))
    depth, start = 0, at - 1
    for end in ends:
        depth += text.count("{", start, end.start()) - text.count("}", start, end.start())
        if depth <= 0:
            return end.start()
        start = end.start()
    return ends[0].start() if ends else len(text)


def _without_indentation(text: str) -> str:
    """Move the indented bodies of notes and tabs to the margin, below their titles."""
    if not any(mark in text for mark in ("!!! ", "??? ", "???+ ", '=== "', '==="')):
        return text
    lines: list[str] = []
    bodies: list[int] = []  # the indentation of each open body, outermost first
    fence = ""
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        while line.strip() and bodies and indent < bodies[-1]:
            bodies.pop()
            fence = ""
        line = line[_BODY_INDENT * len(bodies) :] if line.strip() else ""
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip() == mark[1] and mark[1].startswith(fence):
            fence = ""
        elif not fence and (block := _INDENTED.match(line.lstrip())):
            bodies.append(indent + _BODY_INDENT)
            line = _paragraph(block["title"] or block["tab"] or "")
        lines.append(line)
    return "\n".join(lines)


def _fence_end(text: str, match: re.Match[str]) -> int:
    mark = match["mark"]
    close = re.compile(rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE).search(text, match.end())
    return close.end() if close else len(text)


def _tag_end(text: str, at: int) -> int:
    """The position after the `>` of a tag, past quotes and braces; 0 if the tag never ends."""
    match = _TAG_REST.match(text, at)
    return match.end() if match else 0


def _brace_end(text: str, at: int) -> int:
    """The position after the `}` of a block; the end of its line if it is never closed."""
    match = _BRACED.match(text, at)
    if match:
        return match.end()
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _plain_tag(tag: str) -> str:
    """Reduce an HTML tag to its plain attributes; a component tag becomes ""."""
    name = re.match(r"</?([\w:.-]+)", tag)
    if name is None or ":" in name[1] or "." in name[1] or name[1][0].isupper():
        return ""
    if tag.startswith("</"):
        return f"</{name[1]}>"
    attributes = "".join(match[0] for match in _ATTRIBUTE.finditer(tag, name.end()))
    return f"<{name[1]}{attributes}{' /' if tag.endswith('/>') else ''}>"


def _carries(tag: str, attribute: str) -> bool:
    return bool(attribute) and re.search(rf"\s{re.escape(attribute)}(?=[\s=/>])", tag, re.IGNORECASE) is not None
