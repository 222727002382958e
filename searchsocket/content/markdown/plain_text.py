"""The plain text that a person reads of a chunk: what its parts are, and where sections begin inside it."""

from array import array
from dataclasses import dataclass

START = "I"  # type of the numbers in `ChunkText.starts`: 4 bytes


@dataclass(frozen=True, slots=True)
class Opening:
    """A heading with an anchor inside a chunk: small sections are merged."""

    start: int  # of the heading in the chunk's text, in code points
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The text is folded, code keeps its indentation; a heading that repeats the chunk's title is left out.

    Its units are the sentences of paragraphs and items, and every other line: what a snippet may begin at.
    """

    text: str
    starts: "array[int]"  # of each unit, in code points: 0 first
    kinds: str  # `LineKind` of each unit
    openings: tuple[Opening, ...] = ()  # ascending, without the heading that the chunk begins with
