"""Markdown of each element, from the Markdown of its content.

A rule receives the element, its content, and the flags of the elements around it (not of the element itself).
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from searchsocket.content.html import tables
from searchsocket.content.html.code import LANGUAGE
from searchsocket.content.html.links import ANCHOR
from searchsocket.content.html.text_markdown import (
    CELL,
    DELETED,
    EMPHASIS,
    HEADING,
    INLINE,
    ITEM,
    LINK,
    PRE,
    STRONG,
    VERBATIM,
)
from searchsocket.content.html.tree import HEADINGS, Element, clean_text

Rule: TypeAlias = Callable[[Element, str, int], str]

RULE = "---"  # a thematic break
# Escaped, so that `unquote` gives the anchor again; a lone `%` is not decoded and stays.
_ANCHOR_UNSAFE = re.compile(r"[\s{}\x00-\x1f\x7f]|%(?=[0-9A-Fa-f]{2})")
_LOOKS_LIKE_ANCHOR = re.compile(r"\{(?=#[^{}]*\}\s*$)")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_TICKS = re.compile("`+")
_POWER = re.compile(r"[+\-−–]?\d{1,4}|[a-z](?:[+\-−]\d)?")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_EDGES = " \t\r\n"


def one_line(text: str) -> str:
    """Markdown on one line, without blanks around it."""
    return " ".join(text.split())


def _link(element: Element, text: str, around: int) -> str:
    href = element.get("href")
    if not href or around & (VERBATIM | LINK) or "\n" in text:
        return text
    core = text.strip()
    if not core:
        return " " if text else ""
    if not core.startswith("![") and core.count("[") != core.count("]"):
        core = core.replace("]", "\\]")
    link = f"{' ' if text[0] == ' ' else ''}[{core}]({_address(href)}){' ' if text[-1] == ' ' else ''}"
    if element.get("data-ss-block"):
        return f"\n\n{link}\n\n"
    following = None if element.tail and clean_text(element.tail) else element.getnext()
    return link + " " if following is not None and following.tag == "a" else link


def _break(element: Element, text: str, around: int) -> str:
    return " " if around & HEADING and not around & VERBATIM else "\n"


def _strong(element: Element, text: str, around: int) -> str:
    return _emphasise("**", text, around, STRONG)


def _emphasis(element: Element, text: str, around: int) -> str:
    return _emphasise("*", text, around, EMPHASIS)


def _deleted(element: Element, text: str, around: int) -> str:
    return _emphasise("~~", text, around, DELETED)


def _emphasise(mark: str, text: str, around: int, same: int) -> str:
    """Emphasis, unless it is in code, a heading, itself, or around several blocks."""
    core = text.strip()
    if not core or around & (VERBATIM | HEADING | same) or "\n\n" in core:
        return text
    return f"{' ' if text[0].isspace() else ''}{mark}{core}{mark}{' ' if text[-1].isspace() else ''}"


def _code(element: Element, text: str, around: int) -> str:
    if around & VERBATIM:
        return text
    code = text.replace("\n", " ").strip(" ")
    if not code:
        return " " if text else ""
    ticks = "`" * (_longest_ticks(code) + 1)
    pad = " " if code[0] == "`" or code[-1] == "`" else ""
    outer = " " if text[0] == " " else "", " " if text[-1] == " " else ""
    return f"{outer[0]}{ticks}{pad}{code}{pad}{ticks}{outer[1]}"


def _sample(element: Element, text: str, around: int) -> str:
    math = element.get("data-ss-math")
    if not math:
        return _code(element, text, around)
    if math == "$$" and not around & (HEADING | CELL | LINK):
        return f"\n\n$$\n{text}\n$$\n\n"
    return f"{math}{text}{math}"


def _power(element: Element, text: str, around: int) -> str:
    if not _POWER.fullmatch(text):
        return text
    previous, parent = element.getprevious(), element.getparent()
    before = previous.tail if previous is not None else parent.text if parent is not None else ""
    base = clean_text(before)[-1:] if before else ""
    if not base and previous is not None:
        base = "x"
    return f"^{text}" if base.isalnum() or base == ")" else text


def _code_block(element: Element, text: str, around: int) -> str:
    text = text.strip("\n")
    if not text.strip():
        return ""
    if around & INLINE:
        lines = [_code(element, line, 0) for line in text.split("\n") if line.strip()]
        return "\n" + "\n".join(lines) + "\n"
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return f"\n\n{fence}{element.get(LANGUAGE) or ''}\n{text}\n{fence}\n\n"


def _longest_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0) if "`" in text else 0


def _heading(element: Element, text: str, around: int) -> str:
    text = one_line(text)
    if around & INLINE or (around & ITEM and not text):
        return f" {text} "
    if not text:
        return ""
    if "{" in text:
        text = _LOOKS_LIKE_ANCHOR.sub(r"\\{", text)
    anchor = element.get(ANCHOR)
    mark = f" {{#{_ANCHOR_UNSAFE.sub(_percent, clean_text(anchor))}}}" if anchor else ""
    return f"\n\n{'#' * int(str(element.tag)[1])} {text}{mark}\n\n"


def _item(element: Element, text: str, around: int) -> str:
    text = text.strip()
    if not text:
        return "\n"
    number, task = element.get("data-ss-number"), element.get("data-ss-task")
    bullet = f"{number}. " if number else "- "
    text = f"[{task}] {text}" if task else text
    return bullet + text.replace("\n", "\n" + " " * len(bullet)) + "\n"


def _list(element: Element, text: str, around: int) -> str:
    return f"\n{text.rstrip()}\n" if around & ITEM else f"\n\n{text.strip()}\n\n"


def _image(element: Element, text: str, around: int) -> str:
    alt = element.get("alt") or ""
    if around & INLINE:
        return alt
    alt = alt.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"![{alt}]({_address(element.get('src') or '')})"


def _term(element: Element, text: str, around: int) -> str:
    text = one_line(text)
    if not text:
        return "\n"
    return f"\n\n{text if '*' in text or '`' in text else f'**{text}**'}\n"


def _definition(element: Element, text: str, around: int) -> str:
    text = text.strip().replace("\n", "\n  ")
    return f"\n: {text}\n" if text else "\n"


def _paragraph(element: Element, text: str, around: int) -> str:
    text = text.strip(_EDGES)
    if around & INLINE:
        return f" {text} "
    return f"\n\n{text}\n\n" if text else ""


def _quote(element: Element, text: str, around: int) -> str:
    text = text.strip(_EDGES)
    if around & INLINE:
        return f" {text} "
    if not text:
        return "\n"
    quoted = "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))
    return f"\n{quoted}\n\n"


def _block(element: Element, text: str, around: int) -> str:
    text = text.strip()
    if around & INLINE:
        return f" {text} "
    return f"\n\n{text}\n\n" if text else ""


def _caption_of_figure(element: Element, text: str, around: int) -> str:
    return f"\n\n{text.strip()}\n\n"


def _rule(element: Element, text: str, around: int) -> str:
    return f"\n\n{RULE}\n\n"


def _quotation(element: Element, text: str, around: int) -> str:
    return f'"{text}"'


def _cell(element: Element, text: str, around: int) -> str:
    text = text.strip().replace("\\|", "|").replace("|", "\\|")
    if "\n" in text:
        text = _BLANK_LINES.sub("\n", text).replace("\n", "<br>")
    row = element.getparent()
    part = row.getparent() if row is not None else None
    header = element.tag == "th" or (part is not None and part.tag == "thead")
    return tables.encode_cell(one_line(text), element.get("colspan"), element.get("rowspan"), header=header)


def _row(element: Element, text: str, around: int) -> str:
    return text.replace("\n", "") + tables.ROW


def _caption(element: Element, text: str, around: int) -> str:
    return text.strip().replace("\n", " ") + "\n\n" if text.strip() else ""


def _table(element: Element, text: str, around: int, *, grid: bool) -> str:
    has_caption = element.find("caption") is not None
    caption, separator, body = text.partition("\n\n") if has_caption else ("", "", text)
    if tables.CELL in caption:
        caption, body = "", text
    rows = tables.decode_rows(body)
    loose = body.rpartition(tables.ROW)[2].strip()  # text after the last row
    if around & CELL:
        return " " + tables.as_lines(rows).replace("\\|", "|") + f" {loose} "
    lines = tables.as_markdown(rows) if grid else tables.as_lines(rows)
    return f"\n\n{caption.strip()}{separator}{lines}\n\n{loose}\n\n"


def _grid(element: Element, text: str, around: int) -> str:
    return _table(element, text, around, grid=True)


def _lines(element: Element, text: str, around: int) -> str:
    return _table(element, text, around, grid=False)


def _address(url: str) -> str:
    return url if url.isascii() else _NOT_ASCII.sub(_percent, url)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


# The flags that an element sets for everything in it; other elements set none.
MEANS: dict[str, int] = {
    **dict.fromkeys(HEADINGS, INLINE | HEADING),
    **dict.fromkeys(("td", "th"), INLINE | CELL),
    **dict.fromkeys(("code", "kbd", "samp"), VERBATIM),
    **dict.fromkeys(("b", "strong"), STRONG),
    **dict.fromkeys(("em", "i"), EMPHASIS),
    **dict.fromkeys(("del", "s"), DELETED),
    "pre": PRE | VERBATIM,
    "a": LINK,
    "li": ITEM,
}
# Elements without a rule are replaced by their content.
RULES: dict[str, Rule] = {
    **dict.fromkeys(HEADINGS, _heading),
    **dict.fromkeys(("b", "strong"), _strong),
    **dict.fromkeys(("em", "i"), _emphasis),
    **dict.fromkeys(("del", "s", "strike"), _deleted),
    **dict.fromkeys(("code", "kbd"), _code),
    **dict.fromkeys(("ul", "ol"), _list),
    **dict.fromkeys(("div", "article", "section", "dl"), _block),
    **dict.fromkeys(("td", "th"), _cell),
    "a": _link,
    "blockquote": _quote,
    "br": _break,
    "caption": _caption,
    "dd": _definition,
    "dt": _term,
    "figcaption": _caption_of_figure,
    "hr": _rule,
    "img": _image,
    "li": _item,
    "p": _paragraph,
    "pre": _code_block,
    "q": _quotation,
    "samp": _sample,
    "sup": _power,
    "table": _grid,
    "tr": _row,
}
WITHOUT_TABLES: dict[str, Rule] = RULES | {"table": _lines}
