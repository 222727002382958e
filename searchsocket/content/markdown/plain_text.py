"""The plain text of a chunk that a person reads, with its units and the sections inside it."""

from array import array
from dataclasses import dataclass

START = "I"  # type of the numbers in `ChunkText.starts`: 4 bytes


@dataclass(frozen=True, slots=True)
class Opening:
    """A heading with an anchor inside a chunk; merged small sections have them."""

    start: int  # of the heading in the chunk's text, in code points
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class ChunkText:
    """Plain text of a chunk: folded; code keeps its indentation; a heading that repeats the chunk's title is left out.

    Units are where a snippet may begin: the sentences of paragraphs and items, and every other line.
    """

    text: str
    starts: "array[int]"  # of each unit, in code points: 0 first
    kinds: str  # `LineKind` of each unit
    openings: tuple[Opening, ...] = ()  # ascending, without the heading that the chunk begins with
