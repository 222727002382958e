"""Definitions of a source file, and their descriptions: signature, comment, and if other files can use them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_NAME, _MAX_SIGNATURE, _MAX_DOC = 200, 300, 1_000  # characters
_BODIES = ("body", "value", "right")
_COMMENT_MARKS = re.compile(
    r"^\s*(?:/\*\*?|\*/|\*|///?!?|//!?|#+!?|---?|<!--|\"\"\"|''')\s?|\s*(?:\*/|-->|\"\"\"|''')\s*$"
)
_ELIXIR_DOC = re.compile(r'@doc\s+(?:~[sS])?"+(.*?)"+$', re.DOTALL)  # of Elixir
_HIDDEN = frozenset({"private", "protected", "internal", "static"})


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
class SymbolName:
    """A name as a syntax tree has it: `C::run` is `run` in `C`."""

    parts: tuple[str, ...]  # at least one
    node: "Node"  # of the name
    kind: str = ""  # "": follows from the definition


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

    @property
    def all_symbols(self) -> tuple[Symbol, ...]:
        """Its own symbols, then those of its members."""
        return (*self.symbols, *(symbol for member in self.members for symbol in member.all_symbols))


def text_of(node: "Node") -> str:
    """The text of a node on one line, shortened."""
    raw = (node.text or b"")[: 4 * _MAX_NAME].decode("utf-8", "replace")
    return " ".join(raw.split())[:_MAX_NAME]


def signature_of(statement: "Node", node: "Node", source: bytes) -> str:
    """The text of a statement up to the body of its definition, on one line."""
    body = next((child for name in _BODIES if (child := node.child_by_field_name(name))), None)
    body = body or next((child for child in node.named_children if child.type.endswith(("_body", "do_block"))), None)
    inner = body.child_by_field_name("body") if body is not None else None
    end = (inner or body or statement).start_byte if body is not None else statement.end_byte
    start = statement.start_byte
    text = source[start : min(end, start + 4 * _MAX_SIGNATURE)].decode("utf-8", "replace")
    if body is None or not text.strip():
        text = source[start : start + 4 * _MAX_SIGNATURE].decode("utf-8", "replace").strip().partition("\n")[0]
    return " ".join(text.split()).rstrip("{=: ")[:_MAX_SIGNATURE]


def comment_text(comments: Sequence["Node"]) -> str:
    """The text of comments, without comment marks."""
    text = "\n".join((node.text or b"").decode("utf-8", "replace") for node in comments)
    lines = [_COMMENT_MARKS.sub("", _COMMENT_MARKS.sub("", line)).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)[:_MAX_DOC]


def docstring_of(node: "Node", above: Sequence["Node"], language: str) -> str:
    """The docstring of a definition in Python, or `@doc` above one in Elixir; "" if there is none."""
    if language == "elixir":
        texts = (_ELIXIR_DOC.match((attribute.text or b"").decode("utf-8", "replace")) for attribute in above)
        return next((" ".join(text[1].split())[:_MAX_DOC] for text in texts if text), "")
    if language != "python":
        return ""
    body = node.child_by_field_name("body")
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is None or first.type != "expression_statement" or not first.named_children:
        return ""
    text = first.named_children[0]
    return comment_text([text]).strip("\"'") if text.type == "string" else ""


def is_stub(node: "Node") -> bool:
    """Return True if a function has no body, or only `...`: an overload or an abstract function."""
    if any(node.child_by_field_name(name) for name in ("value", "right")):
        return False
    body = node.child_by_field_name("body")
    if body is None:
        return node.type.endswith(("signature", "function_definition", "method_declaration"))
    inner = body.named_children[-1] if body.type == "block" and body.named_children else None
    return inner is not None and inner.text == b"..."


def is_exported(node: "Node", name: str, language: str, *, wrapped: bool, inside: str) -> bool:
    """Return True if other files can use the definition.

    Args:
        wrapped: It is inside an export statement.
        inside: Kind of its parent; "" at the top.
    """
    match language:
        case "javascript" | "typescript" | "tsx":
            assigned = node.type == "assignment_expression" and (node.text or b"").startswith((b"module.", b"exports"))
            return (
                wrapped or assigned or (bool(inside) and not name.startswith("#") and "private" not in _modifiers(node))
            )
        case "python" | "ruby" | "bash":
            return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
        case "go":
            return name[:1].isupper()
        case "rust":
            return inside == "interface" or any(child.type == "visibility_modifier" for child in node.named_children)
        case "java" | "csharp":
            return inside == "interface" or "public" in _modifiers(node)
        case "php" | "c" | "cpp":
            return _HIDDEN.isdisjoint(_modifiers(node) - ({"static"} if language == "php" else set()))
        case "scala" | "kotlin" | "swift":
            return not any(word.startswith(("private", "fileprivate")) for word in _modifiers(node))
        case "elixir":
            return not (node.text or b"").startswith((b"defp ", b"defmacrop ", b"defguardp "))
        case "zig":
            return any(child.type == "pub" for child in node.children)
        case "lua":
            return not (node.text or b"").startswith(b"local ")
    return True


def _modifiers(node: "Node") -> set[str]:
    kinds = ("modifiers", "modifier", "accessibility_modifier", "visibility_modifier", "storage_class_specifier")
    words = [child.text or b"" for child in node.children if child.type in kinds]
    return set(b" ".join(words).decode("utf-8", "replace").split())
