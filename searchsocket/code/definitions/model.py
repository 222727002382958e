"""Definitions of a source file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that a file defines."""

    name: str  # as written
    parents: tuple[str, ...]  # the names around it, outermost first
    kind: str  # function, class, method, ... see `types.ChunkKind`
    line: int  # line of the name, from 1
    exported: bool  # usable from other files

    @property
    def qualified(self) -> str:
        """The name with its parents: `Parser.parse`."""
        return ".".join((*self.parents, self.name))


@dataclass(frozen=True, slots=True)
class Definition:
    """Lines that define something: one definition, or several in one statement."""

    symbols: tuple[Symbol, ...]  # at least one
    first: int  # with the comments and decorators above it, from 1
    last: int  # inclusive
    signature: str = ""  # text up to its body, on one line
    doc: str = ""  # the comment above it, or its docstring
    members: tuple["Definition", ...] = ()  # in line order, without shared lines
    is_stub: bool = False  # a signature without a body

    @property
    def main(self) -> Symbol:
        """The main name."""
        return self.symbols[0]
