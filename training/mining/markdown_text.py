"""A page's title and its beginning, a heading and its section, a sentence and the code below it."""

import re
from collections.abc import Iterator

from training.mining.sentences import MAX_PASSAGE_CHARS, first_sentence

MIN_SECTION_CHARS, MIN_CODE_CHARS = 120, 40
GENERIC = frozenset(
    ("parameters", "returns", "example", "examples", "see also", "usage", "overview", "introduction", "notes",
     "installation", "license", "options", "contributing", "changelog", "references", "syntax", "remarks", "links",
     "resources", "summary", "details", "description")
)  # fmt: skip
Found = tuple[str, str, str]  # kind, query, passage

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,4})\s+(.+?)\s*#*\s*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>\n]{1,200}>|\{[^}\n]*\}")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


def markdown_pairs(source: str) -> Iterator[Found]:
    """Pairs of one page."""
    front = _FRONT.match(source)
    title = _TITLE.search(front[1]) if front else None
    body = source[front.end() :] if front else source
    # A line of shell that begins with `#` is no heading.
    masked = _FENCE.sub(lambda found: found[0].replace("#", "\0"), body)
    yield from _code_pairs(body)
    heads = list(_HEADING.finditer(masked))
    page = _plain(title[1]) if title else ""
    starts = [(page, 0, 0), *((_plain(head[2]), head.start(), head.end()) for head in heads)]
    ends = [start for _, start, _ in starts[1:]] + [len(masked)]
    for (name, _, start), end in zip(starts, ends, strict=True):
        text = _plain(masked[start:end])
        page = page or name
        if not name or not name.isascii() or len(text) < MIN_SECTION_CHARS:
            continue
        if name == page:
            yield "title", name, text
        elif name.lower() in GENERIC:
            yield "title-heading", f"{page}: {name}", text
        else:
            yield "heading", name, text


def _code_pairs(body: str) -> Iterator[Found]:
    """The first sentence of the paragraph above a block of code, and the block."""
    for fence in _FENCE.finditer(body):
        above = body[: fence.start()].rstrip()
        paragraph = above[above.rfind("\n\n") + 2 :] if "\n\n" in above else above
        code = "\n".join(fence[0].split("\n")[1:-1])
        query = first_sentence(_LINK.sub(r"\1", paragraph).lstrip("-*># "))
        if query and len(code) >= MIN_CODE_CHARS:
            yield "para-code", query.rstrip(":"), code[:MAX_PASSAGE_CHARS]


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(r"\1", text).replace("\0", "#").replace("`", "").split())[:MAX_PASSAGE_CHARS]
