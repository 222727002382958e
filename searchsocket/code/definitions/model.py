"""Definitions of a source file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name that a file gives to something."""

    name: str  # as it is written
    parents: tuple[str, ...]  # the names around it, outermost first
    kind: str  # function, class, method, ... as `types.ChunkKind` has them
    line: int  # that the name stands in, from 1
    exported: bool  # others can use it

    @property
    def qualified(self) -> str:
        """The name with those around it: `Parser.parse`."""
        return ".".join((*self.parents, self.name))


@dataclass(frozen=True, slots=True)
class Definition:
    """Some lines that define something: one definition, or several that stand in one statement."""

    symbols: tuple[Symbol, ...]  # at least one
    first: int  # with the comments and decorators above it, from 1
    last: int  # included
    signature: str = ""  # up to its body, in one line
    doc: str = ""  # the comment above it, or its docstring
    members: tuple["Definition", ...] = ()  # in rising order of lines, none of which two share
    is_stub: bool = False  # says what a function takes and gives, and not what it does

    @property
    def main(self) -> Symbol:
        """The main name."""
        return self.symbols[0]
