"""Read the dialects of Markdown that generators of sites add, and keep plain Markdown and HTML.

Scripts, styles, comments, templates, components and marks are removed in one pass from left to right, so that a comment
in a fence, or a fence in a comment, is read correctly. Before it, bodies of blocks that are marked by their indentation
lose it, since indented text is code.
"""

import re
from itertools import islice

from searchsocket.content.markdown.directives import without_directives

_NEXT = re.compile(
    # The first line only saves time: most characters begin no mark.
    r"""(?=[`~:%\\${<!\[^+=\n]|^[ \t>\-*\dimpexort]|(?<=>)[ \t])(?:
    ^(?:(?P<fence>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,}))
        |(?P<import>import[ \t](?:[^\n;]{0,500}?[ \t]from[ \t]+|(?:[\w$]+,[ \t]*)?\{[^{};'"]{0,2000}\}\s*from[ \t]*)?
            ['"][^'"\n]{1,500}['"];?[ \t]*$)
        |(?P<export>export[ \t]+(?:(?:const|let|var|(?:async[ \t]+)?function|class|type|interface)[ \t*]+[\w$]+
                [ \t]*[=({<:]
            |default[ \t]+(?:[({[]|(?:(?:async[ \t]+)?function|class)\b|[\w$.]+[ \t]*(?:\(|;?$))))
        |(?P<container>[ \t]*:{3,}[ \t]*(?:\{[^{}\n]{0,200}\}|[\w-]{1,50})?(?P<title>[^\n]{0,300})$)
        |(?P<note>%%[ \t\n][^%]{0,2000}%%[ \t]*$))
    |(?P<math>\$\$(?=\S|\s)[^$]{1,3000}?\$\$|\$(?<![\\$\w]\$)(?![\s$])[^$\n]{0,300}?(?<=[^\s\\$])\$(?![\d$\w])
        |\\(?:\([^\n()]{1,300}?\\\)|\[[^\[\]]{1,3000}?\\\]))
    |(?P<escape>\\[\\`<>{\[=:!%])
    |(?P<role>\{[a-z][\w:.+-]{0,40}\}(?P<quote>`+)(?P<content>[^`\n]{1,300})(?P=quote)(?!`))
    |(?P<below>\n\{:(?=[ \t]*[\w.:/#])[^{}\n]{1,200}\}[ \t]*$)
    |(?P<ticks>`+)
    |<(?:(?P<comment>!--)
        |(?P<raw>script|style|svelte:head)(?=[\s>/])
        |(?P<tag>(?<!\]\(<)(?<!\]:[ ]<)(?![a-z][\w+.-]{0,30}://)/?[a-z][\w:.-]*(?=[\s/>])))
    |\{(?:(?P<block>[#](?:if|each|await|key|snippet)\s|:(?:else|then|catch)\b|/(?:if|each|await|key|snippet)\}|@(?:html|const|render|debug|attach)\s)
        |(?P<expression>/\*)
        |(?P<highlight>(?:%-?|\{[<%])[ \t]*highlight[ \t]+(?P<language>[\w+-]{1,30})[^\n]{0,200}?(?:%|[%>]\})\})
        |(?P<hidden>%-?[ \t]*comment[ \t]*-?%\}|::comment\})
        |(?P<literal>\{(?P<opening>[<%])/\*(?P<shown>[^{}]{0,500}?)\*/(?P<closing>[%>])\}\})
        |(?P<critic>\+\+(?P<added>[^{}]{1,500}?)\+\+\}|--(?P<deleted>[^{}]{1,500}?)--\}|~~(?P<old>[^{}]{0,300}?)~>(?P<new>[^{}]{0,300}?)~~\}
            |==(?P<chosen>[^{}]{1,500}?)==\}|>>(?P<said>[^{}]{1,500}?)<<\})
        |(?P<template>%(?:[^{]|\{(?!%)){0,500}?%\}|\{[<%][^{}]{0,2000}[%>]\}\}|\#-?\s[^{}]{0,1000}?\#\})
        |(?P<target>(?<=\]\(\{)\{(?P<value>[^{}\n]{0,300})\}\}(?P<rest>[^()\s]{0,300}))
        |(?P<attributes>(?<!\{\{)(?:(?::(?=[ \t]*[\w.:/#])|[\w-]+=")[^{}\n]{1,200}\}
            |(?:(?<=[\])`*>":]\{)|(?=[^{}\n]{0,250}\}[ \t]*(?:\||$)))[ \t]*[.#][\w:-]+(?:[ \t][^{}\n]{0,200})?\}
            |(?<=[\])`*_]\{)[ \t]+[a-z][\w-]*(?:=[^\s{}]{0,100})?(?:[ \t][^{}\n]{0,200})?\}
            |[ \t]+[\w-]+=(?:"[^"{}\n]{0,200}"|[^\s"{}]{1,200})(?:[ \t][^{}\n]{0,200})?\}(?=[ \t]*$))))
    |(?P<link>!?\[\[(?P<page>[^\[\]|\n]{1,200})(?:\|(?P<alias>[^\[\]\n]{1,200}))?\]\](?![(\[]))
    |(?P<component>:(?<![\w:`]:)[a-z][\w-]{0,40}(?:\[(?P<text>[^\[\]\n]{1,200})\](?:\{[^{}\n]{0,200}\})?|\{[^{}\n]{0,200}\}))
    |(?P<aside>\^\[(?P<words>[^\[\]\n]{1,500})\])
    |(?P<keys>\+\+(?<![\w+]\+\+)(?P<names>"?\w[\w-]{0,20}"?(?:\+"?[\w-]{1,20}"?){0,4})\+\+(?![\w+]))
    |(?P<inserted>\^\^(?=\S)[^\^\n]{1,200}(?<=\S)\^\^)
    |(?P<lowered>~(?<=\w~)\w{1,10}~(?![~/]))
    |(?P<raised>\^(?<=\w\^)\w{1,10}\^(?!\^))
    |(?P<block_id>\^(?<=\s\^)[A-Za-z0-9][\w-]{3,40}[ \t]*$)
    |(?P<icon>:(?:material|octicons|fontawesome|simple)-[\w-]{1,60}:)
    |(?P<alert>(?<=>)[ \t]*\[![\w-]{1,30}\][+-]?)
    |(?P<marked>==(?<![\w=]==)(?=[^\s=])[^=\n]{1,200}(?<=\S)==(?![\w=])))""",
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
_ATTRIBUTE = re.compile(rf"""\s([^\s"'<>/={{}}]{{1,50}})(?:=("[^"]*"|'[^']*'|{_BRACES}|[^\s"'<>=`]+))?(?=[\s/>])""")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z][\w-]*")
_HIGHLIGHT_END = re.compile(r"\{(?:%-?|\{[<%])[ \t]*(?:end|/)highlight[ \t]*(?:-?%|[%>]\})\}")
_HIDDEN_END = re.compile(r"\{(?:%-?[ \t]*endcomment[ \t]*-?%|:/(?:comment)?)\}")
_MAX_COMMENT_CHARS = 4_000  # in an expression of MDX
_ID = re.compile(r"(?:(?<=[\s{:])#|\sid=[\"']?)([^\s{}#\"']+?)(?=[\s}\"']|\.[a-zA-Z])")
_TEMPLATE = re.compile(r"(['\"])\{\{([^{}\n]{0,300})\}\}([^'\"{}]{0,300})\1")
_TEMPLATE_PATH = re.compile(r"""-?[ \t]*['"]([^'"]*)['"]""")
_TEMPLATE_BASE = re.compile(r"base|\bsite\.url\b", re.IGNORECASE)
_MAX_LINE = 300  # characters of a line that are read backwards
_BRACED_END = re.compile(r"\{[^{}]*\}\s*$")
_UNDERLINE = re.compile(r"[^\n]{0,200}\n[ \t]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_SHOWN_VALUE = r"""(?:"([^"{}]{1,500})"|'([^'{}]{1,500})')"""
_POSITIONAL = re.compile(
    r"""\{\{[<%]\s*(?:tab|tabitem|details|expand|notice|accordion|collapse|step|card)\b[^"{}]{0,100}"([^"{}]{1,200})"\s*/?[%>]\}\}"""
)
_ITEMS = re.compile(r"\sitems=\{\[([^\[\]{}]{1,500})\]\}")
_ITEM = re.compile(r"""["']([^"']{1,100})["']""")
_CODE = re.compile(r"\scode=\{`([^`]{1,5000})`\}")
_HAS_MARKDOWN = re.compile(r"\smarkdown(?:=[\"']?\w+[\"']?)?(?=[\s>])")
_TEX = re.compile(r"\\[A-Za-z]{2}|[\^_]")
_MARKUP = re.compile(r"[!-/:-@\[-`{-~]")
_TARGET = re.compile(r"[ \t]*<[^<>]*>$")
_NAMING = re.compile(rf"\s(?:title|label|header|question|summary)={_SHOWN_VALUE}")
_DESCRIBING = re.compile(rf"\s(?:description|caption|content)={_SHOWN_VALUE}")
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
        The text, and False; or "", and True if the page is noindex. That is so if a tag outside code has
        `noindex_attr`, or a robots meta or comment asks for it. With an end comment, `<!-- /noindex -->`, only the
        text between them is removed.
    """
    text = _without_indentation(without_directives(text))
    parts: list[str] = []
    at = 0
    while match := _NEXT.search(text, at):
        parts.append(text[at : match.start()])
        kind = match.lastgroup if match.lastgroup != "mark" else "fence"
        end, text_left = _read_construct(text, match, str(kind))
        if kind in {"tag", "raw"}:
            tag = text[match.start() : end]
            if _carries(tag, noindex_attr) or (robots and _ROBOTS.search(tag)):
                return "", True
        elif kind == "comment" and _NOINDEX.fullmatch(text, match.start(), end):
            return "", True
        parts.append(text_left)
        at = max(end, match.end() if kind != "ticks" else end)
    return "".join([*parts, text[at:]]), False


def _read_construct(text: str, match: re.Match[str], kind: str) -> tuple[int, str]:
    """Return the end of a construct, and the text that remains of it."""
    start = match.start()
    if kind == "fence":
        end = _fence_end(text, match)
        return end, text[start:end]
    if kind == "ticks":
        paragraph = text.find("\n\n", match.end(), match.end() + 2000)
        limit = paragraph if paragraph >= 0 else match.end() + 2000
        close = re.compile(rf"(?<!`){match[0]}(?!`)").search(text, match.end(), limit)
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
        before = _line_before(text, start)
        if _HAS_MARKDOWN.search(tag):  # then a block of HTML contains Markdown
            return end, f"{_plain_tag(tag)}\n\n"
        return end, _plain_tag(tag) or ("" if before.strip() else _titled(tag, "   " if before else ""))
    if kind == "block":
        return _brace_end(text, start), ""
    if kind == "export":
        return _export_end(text, match.end()), ""
    if kind == "expression":
        end = text.find("*/}", match.end(), match.end() + _MAX_COMMENT_CHARS)
        return (end + 3, "") if end >= 0 else (match.end(), match[0])
    if kind == "hidden":
        close = _HIDDEN_END.search(text, match.end())
        return (close.end() if close else len(text)), ""
    if kind == "highlight":
        close = _HIGHLIGHT_END.search(text, match.end())
        end = close.end() if close else len(text)
        code = text[match.end() : close.start() if close else end].strip("\n")
        return end, f"\n```{match['language']}\n{code}\n```\n"
    return match.end(), _remaining(text, match, kind)


def _remaining(text: str, match: re.Match[str], kind: str) -> str:
    """Return the text that remains of a construct without a body of its own."""
    if kind == "escape":
        return match[0]
    if kind == "template":
        before = _line_before(text, match.start())
        return "" if before.strip() else _titled(match[0], before)
    if (inline := _inline(match, kind)) is not None:
        return inline
    if kind == "container":
        indent = match[0][: len(match[0]) - len(match[0].lstrip())]
        return _paragraph(_BRACED_END.sub("", match["title"]).strip().strip("[]"), indent)
    if kind == "link":  # `[[page#section|alias]]`; of an embedded file and a list of contents nothing remains
        page, _, section = match["page"].strip("\\ ").partition("#")
        section = "" if section.startswith("^") else section
        is_text = not match[0].startswith("!") and page.lower() not in ("toc", "_toc_")
        return (match["alias"] or page or section).strip() if is_text else ""
    if kind == "target":  # of a link, in a template: `{{ '/docs/rope' | relative_url }}`
        return _address(match["value"], match["rest"])
    if kind == "marked":
        return match[0][2:-2]
    own = _ID.search(match[0]) if kind in ("attributes", "below") else None
    if kind == "below":  # a block, on the next line
        is_heading = _line_before(text, match.start()).lstrip().startswith("#")
        return f" {{#{own[1]}}}" if own and is_heading else "\n"
    return f"{{#{own[1]}}}" if own and _is_heading(text, match) else ""


def _inline(match: re.Match[str], kind: str) -> str | None:
    """Return the text of a mark inside a line; None for another construct."""
    if kind == "math":
        mark = "$$" if match[0].startswith(("$$", "\\[")) else "$"
        tex = match[0].strip("$") if match[0][0] == "$" else match[0][2:-2]
        if match[0][0] == "\\" and not _TEX.search(tex):
            return match[0]  # escaped brackets
        escaped = _MARKUP.sub(lambda sign: f"&#{ord(sign[0])};", tex)  # which neither Markdown nor HTML reads
        return f'<samp data-ss-math="{mark}">{escaped.strip()}</samp>'
    if kind == "role":  # of MyST: {ref}`the list <berths>`
        words = _TARGET.sub("", match["content"]).strip("~! ")
        return words if match[0].startswith(("{ref}", "{doc}", "{term}", "{abbr}", "{numref}")) else f"`{words}`"
    if kind == "literal":  # a shortcode that is shown
        return f"{{{{{match['opening'].replace('<', chr(92) + '<')}{match['shown']}{match['closing']}}}}}"
    if kind == "critic":
        deleted = match["deleted"] or match["old"]
        return (f"~~{deleted}~~ " if deleted else "") + next(
            filter(None, match.group("added", "new", "chosen", "said")), ""
        )
    if kind == "component":  # :badge[Beta]{color="red"}
        return match["text"] or ""
    if kind == "aside":
        return f" ({match['words']})"
    if kind == "keys":
        return "+".join(name.strip('"').capitalize() for name in match["names"].split("+"))
    if kind in ("inserted", "lowered"):
        return match[0].strip("^~")
    if kind == "raised":
        return match[0][:-1]
    return "" if kind == "block_id" else None


def _paragraph(text: str, indent: str = "") -> str:
    return f"\n\n{indent}**{text}**\n\n" if text else "\n"


def _titled(tag: str, indent: str) -> str:
    """Return the title and description that a component shows, as paragraphs: `<Accordion title="Is it free?">`.

    Args:
        indent: Of both, and of what follows the tag; they stay in a list item, and are no code.
    """
    title, description = _NAMING.search(tag) or _POSITIONAL.match(tag), _DESCRIBING.search(tag)
    paragraphs = [f"**{(title[1] or title[2]).strip()}**"] if title else []
    if items := _ITEMS.search(tag):
        paragraphs.append(", ".join(_ITEM.findall(items[1])))
    if description:
        paragraphs.append((description[1] or description[2]).strip())
    if code := _CODE.search(tag):
        paragraphs.append(f"```\n{code[1].strip(chr(10))}\n```")
    return "".join([*(f"\n\n{indent}{paragraph}" for paragraph in paragraphs), f"\n\n{indent}"]) if paragraphs else ""


def _address(template: str, rest: str) -> str:
    """Return the address that a template and the text after it write; "" if only the build knows it."""
    path = _TEMPLATE_PATH.match(template)
    if path:
        return path[1] + rest
    return rest if _TEMPLATE_BASE.search(template) else ""


def _line_before(text: str, at: int) -> str:
    """Return the text before a position on its line, `_MAX_LINE` characters at most."""
    start = max(0, at - _MAX_LINE)
    return text[max(start, text.rfind("\n", start, at) + 1) : at]


def _is_heading(text: str, match: re.Match[str]) -> bool:
    before = _line_before(text, match.start()).lstrip()
    return before.startswith("#") or _UNDERLINE.match(text, match.end()) is not None


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
            line = _paragraph(block["title"] or block["tab"] or "", line[: len(line) - len(line.lstrip())])
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
    attributes = "".join(map(_plain_attribute, _ATTRIBUTE.finditer(tag, name.end())))
    return f"<{name[1]}{attributes}{' /' if tag.endswith('/>') else ''}>"


def _plain_attribute(match: re.Match[str]) -> str:
    """Return an attribute as HTML has it; "" for a directive, or a value that only the build knows."""
    name, value = match.groups("")
    if not _ATTRIBUTE_NAME.fullmatch(name):
        return ""
    if "{" not in value:
        return match[0]
    template = _TEMPLATE.fullmatch(value)
    address = _address(template[2], template[3]) if template else ""
    return f' {name}="{address}"' if address else ""


def _carries(tag: str, attribute: str) -> bool:
    return bool(attribute) and re.search(rf"\s{re.escape(attribute)}(?=[\s=/>])", tag, re.IGNORECASE) is not None
