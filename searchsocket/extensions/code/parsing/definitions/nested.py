"""Positions of the definitions inside other code, found by a query of the parser, which is faster than a walk here."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.definitions.calls import DEFINING_CALLS
from searchsocket.extensions.code.parsing.definitions.grammars import grammar_of
from searchsocket.extensions.code.parsing.definitions.names import CLASSES, CONTAINERS, FUNCTIONS
from searchsocket.extensions.code.parsing.definitions.rules import RULES

if TYPE_CHECKING:
    from tree_sitter import Node, Query

# Kinds of definitions that count inside functions; a variable there is local.
NESTED_KINDS = frozenset(
    {"function", "method", "class", "interface", "struct", "enum", "impl", "module", "macro", "type"}
)


@dataclass(frozen=True, slots=True)
class NestedPositions:
    """Positions in a file at which definitions may start."""

    starts: Sequence[int]  # in bytes, in order

    @classmethod
    def of(cls, language: str, root: "Node") -> "NestedPositions":
        """Find them in a parsed file."""
        query = _query_of(language)
        if query is None:
            return cls(())
        from tree_sitter import QueryCursor

        return cls(sorted(node.start_byte for node in QueryCursor(query).captures(root).get("definition", ())))

    def are_in(self, node: "Node") -> bool:
        """Return True if a definition may start in a node."""
        at = bisect_left(self.starts, node.start_byte)
        return at < len(self.starts) and self.starts[at] < node.end_byte


@cache
def _query_of(language: str) -> "Query | None":
    rules, grammar = RULES[language], grammar_of(language)
    if grammar is None:
        return None
    types = {node for node, kind in rules.kinds.items() if kind in NESTED_KINDS} | FUNCTIONS | CLASSES | set(CONTAINERS)
    patterns = [
        f"({name}) @definition"
        for name in sorted(types - {"call", "unary_operator"})
        if grammar.id_for_node_kind(name, True)
    ]
    if calls := DEFINING_CALLS.get(language):
        field, names = "target" if language == "elixir" else "method", " ".join(f'"{name}"' for name in sorted(calls))
        patterns.append(f"(call {field}: (identifier) @name (#any-of? @name {names})) @definition")
    if not patterns:
        return None
    from tree_sitter import Query

    return Query(grammar, "\n".join(patterns))
