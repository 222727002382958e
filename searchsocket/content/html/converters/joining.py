"""Join pieces of Markdown."""

import re

from searchsocket.content.html.text_markdown import PRE

_FENCE = re.compile(r"^[ >]*(?:[-*+] |\d{1,9}\. )*(`{3,})")


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
