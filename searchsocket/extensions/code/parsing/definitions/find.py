"""Find the definitions of a parsed file."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.definitions.grammars import grammar_of
from searchsocket.extensions.code.parsing.definitions.model import (
    Definition,
    Symbol,
    SymbolName,
    comment_text,
    docstring_of,
    is_exported,
    is_stub,
    signature_of,
)
from searchsocket.extensions.code.parsing.definitions.names import (
    CLASSES,
    CONTAINERS,
    DEFINING_CALLS,
    FUNCTIONS,
    kind_of,
    names_of,
    tagged,
    value_of,
)
from searchsocket.extensions.code.parsing.definitions.recovery import add_lost
from searchsocket.extensions.code.parsing.definitions.rules import RULES, LanguageRules

if TYPE_CHECKING:
    from tree_sitter import Node, Query

# Kinds of definitions that count inside functions; a variable there is local.
NESTED_KINDS = frozenset(
    {"function", "method", "class", "interface", "struct", "enum", "impl", "module", "macro", "type"}
)
_MAX_DEPTH = 40  # of nested definitions; deeper ones are text of the innermost one
_MEMBERS = frozenset(
    {"class", "struct", "interface", "impl", "module", "enum", "heading", "key", "table", "rule", "element"}
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


if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds the definitions of one file."""

    language: str
    source: bytes
    root: "Node"
    rules: LanguageRules = field(init=False)
    nested: NestedPositions = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", RULES[self.language])
        object.__setattr__(self, "nested", NestedPositions.of(self.language, self.root))

    def definitions(self) -> tuple[Definition, ...]:
        """The top-level definitions of a tree, each with its members; no two share a line."""
        root = self.root
        definitions = self._merged(self._level(root.named_children, (), "", 0))
        definitions = add_lost(definitions, root, self.source, self.language)
        exported = _names_in_exports(root) if self.language in ("javascript", "typescript", "tsx") else frozenset()
        return tuple(_mark_exported(definition, exported) for definition in definitions) if exported else definitions

    def _level(
        self, nodes: Iterable["Node"], parents: tuple[str, ...], inside: str, depth: int
    ) -> Iterator[Definition]:
        above: list[Node] = []  # comments and decorators that may belong to the next node
        last_row = -1
        for node in self._statements(nodes):
            if node.type in self.rules.comments or self._is_decorator(node):
                if above and node.start_point.row > _end_row(above[-1]) + 1:
                    above.clear()
                if node.start_point.row > last_row:  # otherwise it belongs to the code before it on the line
                    above.append(node)
                continue
            touching = above if above and node.start_point.row <= _end_row(above[-1]) + 1 else []
            if definition := self._definition(node, touching, parents, inside, depth):
                yield definition
            elif depth < _MAX_DEPTH and self.nested.are_in(node):  # for example a wrapper around a whole file
                yield from self._level(self._deeper(node.named_children), parents, inside, depth + 1)
            above = []
            last_row = _end_row(node)

    def _is_decorator(self, node: "Node") -> bool:
        return node.type in self.rules.decorators and not (node.type in self.rules.kinds and names_of(node))

    def _statements(self, nodes: Iterable["Node"]) -> Iterator["Node"]:
        """Yield the statements of a body, including those inside transparent nodes."""
        waiting = [iter(nodes)]
        while waiting:
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
            elif len(waiting) < _MAX_DEPTH and self._is_transparent(node):
                waiting.append(iter(node.named_children))
            else:
                yield node

    def _is_transparent(self, node: "Node") -> bool:
        if node.type in ("element", "namespace_definition"):  # without a name, it is text of the node around it
            return not names_of(node)
        return node.type in self.rules.through

    def _definition(
        self, outer: "Node", above: Sequence["Node"], parents: tuple[str, ...], inside: str, depth: int
    ) -> Definition | None:
        node, wrapped = self._unwrap(outer)
        symbols = self._symbols(node, parents, inside, wrapped=wrapped) if node is not None else ()
        if node is None or not symbols:
            return None
        first = min([outer.start_point.row, *(node_above.start_point.row for node_above in above)]) + 1
        comments = [node_above for node_above in above if node_above.type in self.rules.comments]
        doc = comment_text(comments) or docstring_of(node, above, self.language)
        members = self._members(node, symbols[0], depth) if depth < _MAX_DEPTH else ()
        signature = signature_of(outer, self._core(node), self.source)
        stub = symbols[0].kind in ("function", "method") and is_stub(node)
        return Definition(symbols, first, _end_row(outer) + 1, signature, doc, members, stub)

    def _merged(self, definitions: Iterable[Definition]) -> tuple[Definition, ...]:
        apart = _merge_overlapping(definitions)
        return _join_clauses(apart) if self.rules.clauses else apart

    def _core(self, node: "Node") -> "Node":
        """The first definition in a statement."""
        inner = self.rules.several[node.type][0] if node.type in self.rules.several else node.type
        return node if inner == node.type else next(iter(_descendants(node, inner)), node)

    def _unwrap(self, node: "Node") -> tuple["Node | None", bool]:
        """Return the definition inside a statement, and True if it is exported."""
        exported = False
        for _ in range(8):
            if node.type in self.rules.kinds or node.type in self.rules.several:
                return node, exported
            if node.type not in self.rules.wrappers:
                return (node, True) if exported and node.child_count else (None, False)
            exported = exported or node.type == "export_statement"
            inner_definitions = [child for child in node.named_children if self._is_definition(child)]
            if not inner_definitions and exported and (value := node.child_by_field_name("value")):
                return value, True
            if not inner_definitions:
                return None, False
            node = inner_definitions[0]
        return None, False

    def _is_definition(self, node: "Node") -> bool:
        return node.type in self.rules.kinds or node.type in self.rules.several or node.type in self.rules.wrappers

    def _symbols(self, node: "Node", parents: tuple[str, ...], inside: str, *, wrapped: bool) -> tuple[Symbol, ...]:
        kind = self.rules.kinds.get(node.type)
        if kind is not None:
            return self._symbols_of(node, node, kind, parents, inside, wrapped=wrapped)
        if node.type not in self.rules.several:  # `export default` of a value
            kind = kind_of(node.parent or node, "constant", "default", inside=inside)
            return (Symbol("default", parents, kind, node.start_point.row + 1, True),)
        inner, kind = self.rules.several[node.type]
        nodes = [node] if node.type == inner else _descendants(node, inner)
        return tuple(
            symbol
            for inner_node in nodes
            for symbol in self._symbols_of(inner_node, node, kind, parents, inside, wrapped=wrapped)
        )

    def _symbols_of(
        self, node: "Node", statement: "Node", kind: str, parents: tuple[str, ...], inside: str, *, wrapped: bool
    ) -> tuple[Symbol, ...]:
        symbols = (
            self._symbol(node, name, statement, kind, parents, inside, wrapped=wrapped) for name in names_of(node)
        )
        return tuple(symbol for symbol in symbols if symbol)

    def _symbol(
        self,
        node: "Node",
        written: SymbolName,
        statement: "Node",
        kind: str,
        parents: tuple[str, ...],
        inside: str,
        *,
        wrapped: bool,
    ) -> Symbol | None:
        name = written.parts[-1]
        # A field or pair matters only if its value is a function; every other key would be noise.
        kind = written.kind or kind_of(node, kind, name, inside=inside)
        if statement.type == "pair" and kind == "field":
            return None
        exported = is_exported(statement, name, self.language, wrapped=wrapped, inside=inside)
        return Symbol(name, (*parents, *written.parts[:-1]), kind, written.node.start_point.row + 1, exported)

    def _members(self, node: "Node", symbol: Symbol, depth: int) -> tuple[Definition, ...]:
        parents = (*symbol.parents, symbol.name)
        if symbol.kind in _MEMBERS:
            body = (tagged(node) or node).child_by_field_name("body") or _body(node)
            return self._merged(self._level((body or node).named_children, parents, symbol.kind, depth + 1))
        if not self.nested.are_in(node):
            return ()
        # A function, or an object with functions: find its definitions at any depth.
        value = value_of(self._core(node))
        children = value.named_children if value is not None else node.named_children
        return self._merged(self._level(self._deeper(children), parents, symbol.kind, depth + 1))

    def _deeper(self, nodes: Sequence["Node"]) -> Iterator["Node"]:
        waiting = list(reversed(nodes))
        while waiting:
            child = waiting.pop()
            if child.type in self.rules.comments:
                yield child
            elif self.nested.are_in(child):
                if self._is_worth_it(child):
                    yield child
                else:
                    waiting.extend(reversed(child.named_children))

    def _is_worth_it(self, node: "Node") -> bool:
        """Return True for functions and types in a function; its variables are not visible outside."""
        if node.type in ("declaration", "field_declaration"):  # in C++, `Cart cart(lines);` may declare a variable
            return False
        inner = self._unwrap(node)[0] if self._is_definition(node) else None
        if inner is None:
            return False
        kinds = {symbol.kind for symbol in self._symbols(inner, (), "", wrapped=False)}
        if inner.type == "assignment":  # in Python and Ruby, a function in a local variable
            return "class" in kinds
        return not kinds.isdisjoint(NESTED_KINDS)


def _merge_overlapping(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """Merge definitions that share a line."""
    apart: list[Definition] = []
    for definition in definitions:
        if apart and definition.first <= apart[-1].last:
            before = apart[-1]
            apart[-1] = replace(
                before,
                symbols=(*before.all_symbols, *definition.all_symbols),
                last=max(before.last, definition.last),
                members=(),
            )
        else:
            apart.append(definition)
    return tuple(apart)


def _join_clauses(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """Join consecutive definitions of one name, but no modules, which have members."""
    joined: list[Definition] = []
    for definition in definitions:
        above = joined[-1] if joined else None
        is_clause = above is not None and not above.members and not definition.members
        if above and is_clause and definition.main.qualified == above.main.qualified:
            joined[-1] = replace(above, last=definition.last)
        else:
            joined.append(definition)
    return tuple(joined)


def _body(node: "Node") -> "Node | None":
    """The child that contains a node's members, if the grammar does not name it."""
    ends = ("_body", "_list", "block", "body_statement")
    return next((child for child in reversed(node.named_children) if child.type.endswith(ends)), None)


def _descendants(node: "Node", kind: str) -> list["Node"]:
    """The nodes of a kind below a statement that are not nested in each other."""
    nodes, waiting = [], list(reversed(node.named_children))
    while waiting:
        child = waiting.pop()
        if child.type == kind:
            nodes.append(child)
        elif child.type.endswith(("_list", "declaration", "_spec_list")):
            waiting.extend(reversed(child.named_children))
    return nodes


def _end_row(node: "Node") -> int:
    """The last row of a node; a line end that belongs to it does not add a row."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point.row else row


def _names_in_exports(root: "Node") -> frozenset[str]:
    """The names in `export { a, b as c }`."""
    clauses = [
        clause
        for node in root.named_children
        if node.type == "export_statement"
        for clause in node.named_children
        if clause.type == "export_clause"
    ]
    names = [specifier.child_by_field_name("name") for clause in clauses for specifier in clause.named_children]
    return frozenset((name.text or b"").decode("utf-8", "replace") for name in names if name is not None)


def _mark_exported(definition: Definition, names: frozenset[str]) -> Definition:
    symbols = tuple(replace(symbol, exported=symbol.exported or symbol.name in names) for symbol in definition.symbols)
    return replace(definition, symbols=symbols)
