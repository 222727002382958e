"""Reduce content files to Markdown: remove scripts, styles, comments, Svelte blocks and components.

One pass from left to right, so that a comment in a fence, or a fence in a comment, is read correctly.
"""

import re

_NEXT = re.compile(
    r"""(?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,}))
    |(?P<ticks>`+)
    |(?P<comment><!--)
    |<(?P<raw>script|style|svelte:head)(?=[\s>/])
    |(?P<tag></?[A-Za-z][\w:.-]*(?=[\s/>]))
    |(?P<block>\{(?:[#](?:if|each|await|key|snippet)\s|:(?:else|then|catch)\b|/(?:if|each|await|key|snippet)\}|@(?:html|const|render|debug|attach)\s))
    |(?P<import>^import[ \t](?:[^\n;]{0,500}?[ \t]from[ \t]+)?['"][^'"\n]{1,500}['"];?[ \t]*$)""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
# Possessive and bounded throughout: a failed match costs a bounded number of characters.
_STRINGS = r"""\"[^"\n]{0,500}+\"|'[^'\n]{0,500}+'|`[^`]{0,500}+`|["'`]"""
_INNERMOST = r"\{[^{}]{0,500}+\}"
_INNER = rf"\{{(?>[^{{}}\"'`]{{1,500}}+|{_STRINGS}|{_INNERMOST}){{0,30}}+\}}"
_BRACES = rf"\{{(?>[^{{}}\"'`]{{1,1000}}+|{_STRINGS}|{_INNER}){{0,50}}+\}}"
_BRACED = re.compile(_BRACES)
_TAG_REST = re.compile(rf"""(?>[^<>{{}}"']{{1,1000}}+|"[^"]{{0,1000}}+"|'[^']{{0,1000}}+'|{_BRACES}){{0,100}}+>""")
_ATTRIBUTE = re.compile(r"""\s([A-Za-z][\w-]{0,50})(?:=("[^"{}]*"|'[^'{}]*'|[^\s"'{}<>=`]+))?(?=[\s/>])""")
_ROBOTS = re.compile(r"<meta\b[^>]{0,200}robots[^>]{0,200}\b(?:noindex|none)\b", re.IGNORECASE)

_NOINDEX = re.compile(r"<!--\s*noindex\s*-->", re.IGNORECASE)
_NOINDEX_END = re.compile(r"<!--\s*/noindex\s*-->", re.IGNORECASE)


def strip_svelte(text: str, noindex_attr: str, *, robots: bool = True) -> tuple[str, bool]:
    """Keep only Markdown and plain HTML.

    Args:
        robots: False ignores robots metas.

    Returns:
        The text, and True if the page is noindex. That is so if a tag outside code has `noindex_attr`, or a robots
        meta or comment asks for it. With an end comment, `<!-- /noindex -->`, only the text between them is removed.
    """
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
        return (end, _plain_tag(text[start:end])) if end else (match.end(), match[0])
    if kind == "block":
        return _brace_end(text, start), ""
    return match.end(), ""


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
