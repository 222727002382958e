"""Cut the documents of a collection roughly as the product cuts pages: at headings, then between paragraphs."""

import re
from dataclasses import dataclass

from bench.relevance.collection import Collection

MAX_CHARS = 2200
MIN_CHARS = 250

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*(?:\{#[^}]*\})?\s*#*$")
_FENCE = re.compile(r"^\s*(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of a document."""

    document: int  # position of the document in its collection
    title: str
    headings: tuple[str, ...]
    text: str

    @property
    def embedded(self) -> str:
        """The text that the product embeds: title, heading path, text."""
        path = " > ".join(h for h in self.headings if h != self.title)
        return "\n".join(part for part in (self.title, path, self.text) if part)


def passages(collection: Collection) -> list[Passage]:
    """Passages of all documents, in order; every document has at least one."""
    chunks = []
    for number, document in enumerate(collection.documents):
        pieces = _merged(_sections(document.text)) or [((), "")]
        chunks += [
            Passage(number, document.title, path, piece) for path, text in pieces for piece in _cut(text, MAX_CHARS)
        ]
    return chunks


def _sections(text: str) -> list[tuple[tuple[str, ...], str]]:
    sections: list[tuple[tuple[str, ...], list[str]]] = [((), [])]
    path: list[tuple[int, str]] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and fence:
            fence = ""
        heading = None if fence else _HEADING.match(line)
        if heading:
            level = len(heading[1])
            path = [*(step for step in path if step[0] < level), (level, heading[2].replace("`", ""))]
            sections.append((tuple(name for _, name in path), []))
        else:
            sections[-1][1].append(line)
    # A heading without text stays: its words are often what is asked for.
    joined = [(path, "\n".join(lines).strip()) for path, lines in sections]
    return [(path, text) for path, text in joined if path or text]


def _merged(sections: list[tuple[tuple[str, ...], str]]) -> list[tuple[tuple[str, ...], str]]:
    """Join a section that is too small with the next one, under the first one's path."""
    merged: list[tuple[tuple[str, ...], str]] = []
    for path, text in sections:
        if merged and len(merged[-1][1]) < MIN_CHARS and len(merged[-1][1]) + len(text) < MAX_CHARS:
            heading = path[-1] if path and path != merged[-1][0] else ""
            merged[-1] = (merged[-1][0] or path, "\n".join(p for p in (merged[-1][1], heading, text) if p))
        else:
            merged.append((path, text))
    return merged


def _cut(text: str, limit: int) -> list[str]:
    pieces = [""]
    for paragraph in re.split(r"\n\s*\n", text):
        for start in range(0, max(len(paragraph), 1), limit):
            part = paragraph[start : start + limit]
            if pieces[-1] and len(pieces[-1]) + len(part) > limit:
                pieces.append(part)
            else:
                pieces[-1] = f"{pieces[-1]}\n\n{part}" if pieces[-1] else part
    return pieces
