"""Convert text nodes to Markdown: collapse whitespace, escape Markdown syntax, and join the pieces."""

import re
from typing import Final

from searchsocket.content.html.tree import clean_text

# Flags of the elements around a text, which decide how it may be formatted.
PRE: Final = 1
VERBATIM: Final = 2  # code, inline or block: nothing in it is formatted or escaped
INLINE: Final = 4  # in a heading or a cell: one line
HEADING: Final = 8
LINK: Final = 16
ITEM: Final = 32  # of a list
CELL: Final = 64  # of a table
STRONG: Final = 128
EMPHASIS: Final = 256
DELETED: Final = 512

# Kinds of boundary at the ends of a text.
BLOCK: Final = 2  # a block, or the edge of the block around the text
BREAK: Final = 1  # a line break
FLOW: Final = 0  # more of the same line

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
_LINE_STARTERS = frozenset("#-+>=|:")  # and digits
_FENCE = re.compile(r"^[ >]*(?:[-*+] |\d{1,9}\. )*(`{3,})")


def text_markdown(text: str, before: int, after: int, inside: int) -> str:
    """Convert a text node of the page to Markdown; there are no soft line ends.

    Args:
        text: As in the tree.
        before: The boundary before it: `BLOCK`, `BREAK` or `FLOW`.
        after: The boundary after it.
        inside: The flags of all elements around it; not `PRE`.
    """
    if text.isprintable() and "  " not in text:  # most texts: no control characters, nothing to collapse
        line = text.strip(" ")
    else:
        text = clean_text(text)
        line = " ".join(text.split())
    if not line:
        return "" if before or after or not text else " "
    if not before and text[0].isspace():
        line = " " + line
    if not after and text[-1].isspace():
        line += " "
    if inside & VERBATIM:
        return line
    if _is_special(line):
        line = _ESCAPED.sub(r"\\\g<0>", line)
    is_starter = line[0] in _LINE_STARTERS or line[0].isdecimal()
    if before and is_starter and not inside & HEADING and (match := _LINE_START.match(line)):
        return f"{match[1]}\\{line[len(match[1]) :]}" if match[1] else "\\" + line
    return line


def _is_special(line: str) -> bool:
    # Eight searches for single characters are ten times as fast as one regular expression.
    return (
        "_" in line
        or "`" in line
        or "*" in line
        or "<" in line
        or "[" in line
        or "&" in line
        or "\\" in line
        or "~" in line
    )


def tidy(text: str) -> str:
    """Limit blank lines to one in a row and strip line ends, outside fences; strip newlines around the text."""
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


def join(parts: list[str], part: str, inside: int) -> None:
    """Append a part; between two parts, use the larger number of newlines, at most two."""
    if parts and not inside & PRE:
        first, end = part[0], parts[-1][-1]
        if first == " " and end == " ":
            part = part[1:]
        elif first == "\n" and end == "\n":
            last = parts[-1].rstrip("\n")
            stripped = part.lstrip("\n")
            ends = max(len(parts[-1]) - len(last), len(part) - len(stripped))
            parts[-1] = last + "\n" * min(2, ends)
            part = stripped
    if part:
        parts.append(part)
