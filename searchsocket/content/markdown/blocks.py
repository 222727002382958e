"""Parse mirror Markdown into a flat list of blocks; chunking cuts between blocks (spec 9.1).

The rules are those of CommonMark and GitHub tables, without raw HTML blocks, which the mirror does not contain.
One pass over the lines, no recursion: the time is linear on any input.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

BlockKind = Literal["heading", "code", "table", "blockquote", "list", "paragraph"]

_LIST_ITEM = re.compile(r"( *)([-+*]|\d{1,9}[.)])( +|$)")
_FENCE = re.compile(r"( *)(`{3,}|~{3,})(.*)", re.DOTALL)
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)", re.DOTALL)
_ANCHOR = re.compile(r"\{#([^\s{}]+)\}$")
_DELIMITER_CELL = re.compile(r":?-+:?")
_INTERRUPTERS = frozenset(">#`~-*_+")  # and digits: a line that starts with another character continues a paragraph
_MAX_LEAD = 1_000  # columns of indentation that are distinguished


@dataclass(frozen=True, slots=True)
class Block:
    """One block as written on the page, without the blank lines around it."""

    kind: BlockKind
    text: str  # a fence that the page never closes is closed here
    level: int = 0  # 1..6 for headings
    title: str = ""  # inline Markdown of a heading, without its anchor
    anchor: str = ""  # of a heading: `x y` for a trailing `{#x%20y}`
    items: tuple[str, ...] = ()  # the outermost items of a list, with their markers
    lines: tuple[int, int] = field(default=(0, 0), compare=False)  # first and last on the page, from 1


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence."""

    indent: int
    mark: str  # the run of backticks or tildes

    def closed_by(self, line: str) -> bool:
        """Return True if `line` is the closing fence: same character, at least as long, nothing after it."""
        match = _FENCE.fullmatch(line) if self.mark in line else None
        return (
            match is not None
            and match[2][0] == self.mark[0]
            and len(match[2]) >= len(self.mark)
            and not match[3].strip()
            and len(match[1]) <= self.indent + 3
        )


def parse_blocks(markdown: str) -> list[Block]:
    """Cut Markdown into its outermost blocks, in page order."""
    lines = split_lines(markdown)
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        if not lines[at] or lines[at].isspace():
            at += 1
            continue
        at, block = _read_block(lines, at)
        blocks.append(block)
    return blocks


def split_lines(markdown: str) -> list[str]:
    """Lines without their ends, leading tabs widened. Only CR and LF end a line: U+2028 and form feeds are text."""
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if "\t" not in markdown:
        return lines
    return [_widen(line) if line[:1] in " \t" and "\t" in line else line for line in lines]


def opening_fence(line: str) -> Fence | None:
    """The fence that `line` opens, at any indentation."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line)
    if match is None or (match[2][0] == "`" and "`" in match[3]):
        return None
    return Fence(len(match[1]), match[2])


def is_delimiter_row(line: str) -> bool:
    """Return True if `line` is the delimiter row `| --- | :-: |` of a table."""
    if "|" not in line or "-" not in line or line.strip("|-: \t"):
        return False
    cells = line.strip().strip("|").split("|")
    return all(_DELIMITER_CELL.fullmatch(cell.strip()) for cell in cells)


def item_content(line: str) -> int | None:
    """The column of the content of the list item that starts on `line`; None if no item starts there."""
    item = _item(line)
    return None if item is None else item[0]


def _item(line: str) -> tuple[int, str] | None:
    """The column of the content of a list item, and the kind of its marker: `-`, `+`, `*`, `.` or `)`."""
    match = _LIST_ITEM.match(line)
    if match is None or is_rule(line):
        return None
    # More than four blanks after the marker mean an indented code block inside the item.
    return match.end(2) + (len(match[3]) if 1 <= len(match[3]) <= 4 else 1), match[2][-1]


def _read_block(lines: Sequence[str], at: int) -> tuple[int, Block]:
    line = lines[at]
    indent = _indent(line)
    if indent >= 4:
        return _read_indented_code(lines, at)
    char = line[indent]
    if char in "`~" and (fence := opening_fence(line)) is not None:
        return _read_fence(lines, at, fence)
    if char == "#" and (heading := _heading(line, at + 1)) is not None:
        return at + 1, heading
    if char == ">":
        return _read_quote(lines, at)
    if (char in "-+*" or char.isdecimal()) and (item := _item(line)) is not None:
        return _read_list(lines, at, *item)
    if _starts_table(lines, at):
        return _read_table(lines, at)
    return _read_paragraph(lines, at)


def _read_indented_code(lines: Sequence[str], at: int) -> tuple[int, Block]:
    end = last = at + 1
    while end < len(lines) and (_indent(lines[end]) >= 4 or not lines[end].strip()):
        end += 1
        if lines[end - 1].strip():
            last = end
    return last, Block("code", "\n".join(lines[at:last]), lines=(at + 1, last))


def _read_fence(lines: Sequence[str], at: int, fence: Fence) -> tuple[int, Block]:
    for end in range(at + 1, len(lines)):
        if fence.closed_by(lines[end]):
            return end + 1, Block("code", "\n".join(lines[at : end + 1]), lines=(at + 1, end + 1))
    closing = " " * fence.indent + fence.mark
    return len(lines), Block("code", "\n".join([*lines[at:], closing]), lines=(at + 1, len(lines)))


def _heading(line: str, number: int = 0) -> Block | None:
    match = _HEADING.fullmatch(line) if "#" in line else None
    if match is None:
        return None
    title, anchor = _without_anchor(match[2].strip())
    bare = title.rstrip("#")
    if bare != title and (not bare or bare[-1] in " \t"):  # a closing run of hashes
        title = bare.rstrip()
        if not anchor:
            title, anchor = _without_anchor(title)
    return Block("heading", line.strip(), len(match[1]), title, anchor, lines=(number, number))


def _without_anchor(title: str) -> tuple[str, str]:
    start = title.rfind("{#")
    match = _ANCHOR.match(title, start) if start >= 0 and title[start - 1 : start] != "\\" else None
    return (title[:start].rstrip(), unquote(match[1])) if match else (title, "")


def _read_quote(lines: Sequence[str], at: int) -> tuple[int, Block]:
    end = at
    lazy = False  # the next line may continue a quoted paragraph without its own `>`
    fence: Fence | None = None
    while end < len(lines):
        bare = lines[end].lstrip(" ")
        if bare.startswith(">") and len(lines[end]) - len(bare) < 4:
            inner = bare[1:].removeprefix(" ")
            fence, in_fence = _track(fence, inner)
            lazy = bool(inner.strip()) and fence is None and not in_fence and _heading(inner) is None
        elif not lazy or not lines[end].strip() or _interrupts(lines, end) or _started_item(lines[end]) is not None:
            break
        end += 1
    return end, Block("blockquote", "\n".join(lines[at:end]), lines=(at + 1, end))


def _read_list(lines: Sequence[str], at: int, content: int, kind: str) -> tuple[int, Block]:
    starts = [at]
    fence, lazy = _track(None, lines[at][content:])[0], True
    end = last = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip():
            lazy = False
        elif _indent(line) >= content:
            fence, in_fence = _track(fence, line[content:])
            lazy = not in_fence
        elif (item := _started_item(line)) is not None:
            if item[1] != kind:
                break
            # The item ends here, and with it a fence that it left open.
            starts.append(end)
            content, lazy = item[0], True
            fence = _track(None, line[content:])[0]
        elif not lazy or fence is not None or _interrupts(lines, end):
            break
        end += 1
        last = end if line.strip() else last
    borders = [*starts[1:], last]
    items = tuple("\n".join(lines[a:b]).rstrip() for a, b in zip(starts, borders, strict=True))
    return last, Block("list", "\n".join(lines[at:last]), items=items, lines=(at + 1, last))


def _read_table(lines: Sequence[str], at: int) -> tuple[int, Block]:
    end = at + 2
    while end < len(lines) and lines[end].strip() and _indent(lines[end]) < 4:
        if _interrupts(lines, end, table=False):
            break
        end += 1
    return end, Block("table", "\n".join(lines[at:end]), lines=(at + 1, end))


def _read_paragraph(lines: Sequence[str], at: int) -> tuple[int, Block]:
    end = at + 1
    while end < len(lines) and lines[end].strip():
        if (level := _underline(lines[end])) and not is_rule(lines[at]):
            title, anchor = _without_anchor(" ".join(" ".join(lines[at:end]).split()))
            text = "\n".join(lines[at : end + 1])
            return end + 1, Block("heading", text, level, title, anchor, lines=(at + 1, end + 1))
        if _interrupts(lines, end) or is_rule(lines[at]):
            break
        end += 1
    return end, Block("paragraph", "\n".join(lines[at:end]).strip("\n"), lines=(at + 1, end))


def _interrupts(lines: Sequence[str], at: int, *, table: bool = True) -> bool:
    """Return True if the line starts a new block without a blank line before it."""
    line = lines[at]
    indent = _indent(line)
    if indent >= 4:
        return False
    char = line[indent]
    if char not in _INTERRUPTERS and not char.isdecimal():
        return table and _starts_table(lines, at)
    if char == ">" or _heading(line) is not None or opening_fence(line) is not None or is_rule(line):
        return True
    match = _LIST_ITEM.match(line)
    if match is not None and line[match.end() :].strip() and (not match[2][0].isdigit() or match[2][:-1] == "1"):
        return True
    return table and _starts_table(lines, at)


def _started_item(line: str) -> tuple[int, str] | None:
    """The list item that starts on the line. Inside a list or quote any item ends a paragraph, not only a first one."""
    return _item(line) if _indent(line) < 4 else None


def _starts_table(lines: Sequence[str], at: int) -> bool:
    return "|" in lines[at] and at + 1 < len(lines) and is_delimiter_row(lines[at + 1]) and _indent(lines[at + 1]) < 4


def _track(fence: Fence | None, line: str) -> tuple[Fence | None, bool]:
    """Return the fence that is open after `line`, and True if the line belongs to a fence."""
    if fence is not None:
        return (None if fence.closed_by(line) else fence), True
    new_fence = opening_fence(line)
    return new_fence, new_fence is not None


def _underline(line: str) -> int:
    """The heading level that `===` or `---` gives to the paragraph above; 0 for any other line."""
    if ("=" not in line and "-" not in line) or _indent(line) >= 4:
        return 0
    bare = line.strip()
    return (1 if bare[0] == "=" else 2) if bare and bare[0] in "=-" and not bare.strip(bare[0]) else 0


def is_rule(line: str) -> bool:
    """Return True if `line` is a thematic break: three or more of `-`, `*` or `_`, and nothing else."""
    if line.strip("-*_ \t") or not line:
        return False
    bare = line.replace(" ", "").replace("\t", "")
    return len(bare) >= 3 and not bare.strip(bare[0])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _widen(line: str) -> str:
    """Replace leading tabs by spaces up to the next multiple of four."""
    lead = line[: len(line) - len(line.lstrip(" \t"))][:_MAX_LEAD]
    return lead.expandtabs(4) + line[len(lead) :]
