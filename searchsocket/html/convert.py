"""A settled tree to Markdown, with markdownify."""

import re
from typing import Any

from bs4 import BeautifulSoup, Tag
from lxml import etree
from markdownify import ATX, MarkdownConverter

from searchsocket.html import tables
from searchsocket.html.anchors import ANCHOR
from searchsocket.html.code import LANGUAGE
from searchsocket.html.tree import BLOCKS, HEADINGS, Element, clean_text

_SPACE = re.compile(r"\s+")
_SPECIAL = re.compile(r"[\\`*_<&~\[]")
_ESCAPED = re.compile(
    r"""\\(?=[!-/:-@\[-`{-~])      # a backslash that would escape
    |`
    |(?<!\s)\*|\*(?!\s)            # a star that could open or close
    |(?<![0-9A-Za-z])_(?=\S)|(?<=\S)_(?![0-9A-Za-z])   # an underscore outside a word
    |<(?=[A-Za-z/!?])              # a tag
    |&(?=\#?\w{1,31};)             # a character reference
    |~(?=~)
    |(?<=\])\((?=[^\s)])           # [text](address)
    """,
    re.VERBOSE,
)
_LINE_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-{2,}\s*$|\|)|(\d{1,9})([.)])(?=\s|$)|(?::)(?=\s)")
_ANCHOR_UNSAFE = re.compile(r"[\s{}\x00-\x1f\x7f]")
_LOOKS_LIKE_ANCHOR = re.compile(r"\{(?=#[^{}]*\}\s*$)")
_TICKS = re.compile("`+")
_POWER = re.compile(r"[+\-−–]?\d{1,4}|[a-z](?:[+\-−]\d)?")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
# What no rule below reads: each attribute less is one dictionary entry less for every element.
_UNUSED_ATTRIBUTES = (
    "class", "style", "id", "title", "target", "rel", "role", "tabindex", "dir", "lang", "width", "height", "align",
    "valign", "name", "aria-label", "aria-hidden", "data-state", "onclick", "summary", "border", "cellpadding",
)  # fmt: skip
_FENCE = re.compile(r"^[ >]*(?:[-*+] |\d{1,9}\. )*(`{3,})")


def to_markdown(main: Element, *, keep_tables: bool = True) -> str:
    """The Markdown of a settled main content: the same bytes for the same tree, no trailing spaces."""
    etree.strip_attributes(main, *_UNUSED_ATTRIBUTES)
    fragment = etree.tostring(main, encoding="unicode", method="html", with_tail=False)
    soup = BeautifulSoup(clean_text(fragment.replace("&nbsp;", " ")), "lxml", multi_valued_attributes=None)
    return tidy(_Converter(keep_tables).convert_soup(soup))


def tidy(text: str) -> str:
    """At most one blank line and no spaces at line ends outside fences; nothing around the whole."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        line = line.rstrip()
        match = _FENCE.match(line)
        if match and (not fence or (len(match[1]) >= len(fence) and line.endswith(match[1]))):
            fence = "" if fence else match[1]
        elif not fence and not line.strip(" >") and lines and not lines[-1].strip(" >") and line == lines[-1]:
            continue
        lines.append(line)
    return "\n".join(lines).strip("\n")


class _Converter(MarkdownConverter):
    """markdownify's rules where they fit ours, and ours where a search index needs more."""

    class Options:
        heading_style = ATX
        bullets = "-"
        autolinks = False

    def __init__(self, keep_tables: bool) -> None:
        super().__init__()
        self._keep_tables = keep_tables

    def process_tag(self, node: Any, parent_tags: set[str] | None = None) -> str:
        """One element: markdownify's own way, without its walks to the root for each element."""
        parents = parent_tags or set()
        inside = parents | {node.name}
        if node.name in HEADINGS or node.name in {"td", "th"}:
            inside.add("_inline")
        if node.name in {"pre", "code", "kbd", "samp"}:
            inside.add("_noformat")
        parts: list[str] = []
        verbatim = "pre" in inside
        for child in node.children:
            if isinstance(child, Tag):
                part = self.process_tag(child, inside)
            elif verbatim or not child.isspace() or not self._is_between_blocks(child, node.name):
                part = self.process_text(child, inside)
            else:
                continue
            if part:
                _join(parts, part, verbatim=verbatim)
        text = "".join(parts)
        convert = self.get_conv_fn_cached(node.name)  # type: ignore[attr-defined]
        return convert(node, text, parent_tags=parents) if convert else text

    @staticmethod
    def _is_between_blocks(text: Any, parent: str) -> bool:
        """Whether blank text only separates blocks in the source."""
        before, after = text.previous_sibling, text.next_sibling
        return _is_block(before) or _is_block(after) or (parent in BLOCKS and (before is None or after is None))

    def process_text(self, el: Any, parent_tags: set[str] | None = None) -> str:
        """One text node: whitespace collapsed (there are no soft line ends), what Markdown would misread escaped."""
        parents = parent_tags or set()
        text = str(el)
        if "pre" in parents:
            return text
        text = _SPACE.sub(" ", text)
        before, after = el.previous_sibling, el.next_sibling
        parent = el.parent.name
        starts = _is_block(before) or (before is None and parent in BLOCKS) or _is_break(before)
        if starts:
            text = text.lstrip(" ")
        if _is_block(after) or (after is None and parent in BLOCKS) or _is_break(after):
            text = text.rstrip(" ")
        if "_noformat" in parents:
            return text
        if _SPECIAL.search(text):
            text = _ESCAPED.sub(r"\\\g<0>", text)
        if starts and not parents & HEADINGS and (match := _LINE_START.match(text)):
            text = f"{match[1]}\\{text[len(match[1]) :]}" if match[1] else "\\" + text
        return text

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        href = el.get("href")
        if "_noformat" in parent_tags or not href or "a" in parent_tags:
            return text
        if "\n" in text:
            return text
        core = text.strip()
        if not core:
            return " " if text else ""
        core = (
            core if core.startswith("![") else core.replace("]", "\\]") if core.count("[") != core.count("]") else core
        )
        link = f"{' ' if text[0] == ' ' else ''}[{core}]({href}){' ' if text[-1] == ' ' else ''}"
        if el.get("data-ss-block"):
            return f"\n\n{link}\n\n"
        follows = el.next_sibling
        return link + " " if isinstance(follows, Tag) and follows.name == "a" else link

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "pre" in parent_tags or "_noformat" in parent_tags:
            return "\n"
        return " " if parent_tags & HEADINGS else "\n"

    def convert_b(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return _marked("**", text, parent_tags, {"b", "strong"})

    def convert_em(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return _marked("*", text, parent_tags, {"em", "i"})

    def convert_del(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return _marked("~~", text, parent_tags, {"del", "s"})

    convert_strong, convert_i, convert_s, convert_strike = convert_b, convert_em, convert_del, convert_del

    def convert_code(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "_noformat" in parent_tags:
            return text
        code = text.replace("\n", " ").strip(" ")
        if not code:
            return " " if text else ""
        ticks = "`" * (max((len(run) for run in _TICKS.findall(code)), default=0) + 1)
        pad = " " if code.startswith("`") or code.endswith("`") else ""
        outer = "" if not text.startswith(" ") else " ", "" if not text.endswith(" ") else " "
        return f"{outer[0]}{ticks}{pad}{code}{pad}{ticks}{outer[1]}"

    convert_kbd = convert_code

    def convert_samp(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        math = el.get("data-ss-math")
        if not math:
            return self.convert_code(el, text, parent_tags)
        if math == "$$" and not parent_tags & (HEADINGS | {"td", "th", "a"}):
            return f"\n\n$$\n{text}\n$$\n\n"
        return f"{math}{text}{math}"

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        before = el.previous_sibling
        base = (
            str(before)[-1:]
            if before is not None and not isinstance(before, Tag)
            else "x"
            if before is not None
            else ""
        )
        return f"^{text}" if _POWER.fullmatch(text) and (base.isalnum() or base == ")") else text

    def convert_sub(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = text.strip("\n")
        if not text.strip():
            return ""
        if "_inline" in parent_tags:
            lines = [self.convert_code(el, line, set()) for line in text.split("\n") if line.strip()]
            return "\n" + "\n".join(lines) + "\n"
        fence = "`" * max(3, max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
        return f"\n\n{fence}{el.get(LANGUAGE) or ''}\n{text}\n{fence}\n\n"

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = _SPACE.sub(" ", text).strip()
        if "_inline" in parent_tags or ("li" in parent_tags and not text):
            return f" {text} "
        if not text:
            return ""
        text = _LOOKS_LIKE_ANCHOR.sub(r"\\{", text)
        anchor = el.get(ANCHOR)
        mark = f" {{#{_ANCHOR_UNSAFE.sub(_percent, str(anchor))}}}" if anchor else ""
        return f"\n\n{'#' * max(1, min(6, n))} {text}{mark}\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = text.strip()
        if not text:
            return "\n"
        number, task = el.get("data-ss-number"), el.get("data-ss-task")
        bullet = f"{number}. " if number else "- "
        text = f"[{task}] {text}" if task else text
        indent = "\n" + " " * len(bullet)
        return bullet + text.replace("\n", indent) + "\n"

    def convert_list(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n{text.rstrip()}\n" if "li" in parent_tags else f"\n\n{text.strip()}\n\n"

    convert_ul, convert_ol = convert_list, convert_list

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        alt = str(el.get("alt") or "")
        if "_inline" in parent_tags:
            return alt
        alt = alt.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        return f"![{alt}]({el.get('src') or ''})"

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = _SPACE.sub(" ", text).strip()
        if not text:
            return "\n"
        marked = text if "*" in text or "`" in text else f"**{text}**"
        return f"\n\n{marked}\n"

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = text.strip().replace("\n", "\n  ")
        return f"\n: {text}\n" if text else "\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        text = text.strip().replace("\\|", "|").replace("|", "\\|")
        text = _BLANK_LINES.sub("\n", text).replace("\n", "<br>")
        header = el.name == "th" or (
            el.parent is not None and el.parent.parent is not None and el.parent.parent.name == "thead"
        )
        return tables.encode_cell(_SPACE.sub(" ", text), el.get("colspan"), el.get("rowspan"), header=header)

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text.replace("\n", "") + tables.ROW

    def convert_caption(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text.strip().replace("\n", " ") + "\n\n" if text.strip() else ""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        caption, separator, rest = text.partition("\n\n") if el.find("caption", recursive=False) else ("", "", text)
        if tables.CELL in caption:
            caption, rest = "", text
        rows = tables.decode_rows(rest)
        loose = rest.rpartition(tables.ROW)[2].strip()  # text that stands behind the last row
        if "td" in parent_tags or "th" in parent_tags:
            return " " + tables.as_lines(rows).replace("\\|", "|") + f" {loose} "
        grid = tables.as_markdown(rows) if self._keep_tables else tables.as_lines(rows)
        return f"\n\n{caption.strip()}{separator}{grid}\n\n{loose}\n\n"


def _join(parts: list[str], part: str, *, verbatim: bool) -> None:
    """Append a part; where two meet, the larger number of line ends counts, at most two."""
    if parts and not verbatim and part[0] == " " and parts[-1][-1] == " ":
        part = part[1:]
    elif parts and not verbatim and part[0] == "\n" and parts[-1][-1] == "\n":
        last = parts[-1].rstrip("\n")
        rest = part.lstrip("\n")
        ends = max(len(parts[-1]) - len(last), len(part) - len(rest))
        parts[-1] = last + "\n" * min(2, ends)
        if not parts[-1]:
            parts.pop()
        part = rest
    if part:
        parts.append(part)


def _marked(mark: str, text: str, parent_tags: set[str], same: set[str]) -> str:
    """Emphasis, unless it is in code, a heading, itself, or around several blocks."""
    core = text.strip()
    if not core or "\n\n" in core or "_noformat" in parent_tags or parent_tags & (HEADINGS | same):
        return text
    return f"{' ' if text[0].isspace() else ''}{mark}{core}{mark}{' ' if text[-1].isspace() else ''}"


def _is_block(node: Any) -> bool:
    return isinstance(node, Tag) and node.name in BLOCKS


def _is_break(node: Any) -> bool:
    return isinstance(node, Tag) and node.name == "br"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
