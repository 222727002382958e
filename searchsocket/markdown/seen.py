"""What readers see of short texts, block by block: found once for all that is made of it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from searchsocket.markdown.blocks import parse_blocks
from searchsocket.markdown.lines import Line, block_lines


class SeenBlock(NamedTuple):
    """A block with the lines that are seen of it."""

    kind: str  # see `Block`, like the next two
    title: str
    anchor: str
    lines: tuple[Line, ...]


Seen = tuple[SeenBlock, ...]

_known: ContextVar[Mapping[str, Seen]] = ContextVar("_known", default=MappingProxyType({}))


def seen_blocks(markdown: str) -> Seen:
    """The blocks of a short text. Those of the last texts stay at hand: one is embedded, and then kept, or quoted."""
    return _known.get().get(markdown) or _found(markdown)


@lru_cache(maxsize=512)
def _found(markdown: str) -> Seen:
    blocks = parse_blocks(markdown)
    return tuple([SeenBlock(block.kind, block.title, block.anchor, tuple(block_lines(block))) for block in blocks])


@contextmanager
def known_blocks(known: Mapping[str, Seen]) -> Iterator[None]:
    """Within the block, these are the blocks of these texts."""
    before = _known.set(known)
    try:
        yield
    finally:
        _known.reset(before)
