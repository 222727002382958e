"""Calls that define something: `def` in Elixir, `define_method` and `attr_reader` in Ruby."""

import re
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.definitions.model import SymbolName, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ELIXIR = {
    "def": "function",
    "defp": "function",
    "defdelegate": "function",
    "defmacro": "macro",
    "defmacrop": "macro",
    "defguard": "macro",
    "defguardp": "macro",
    "defmodule": "module",
    "defprotocol": "interface",
    "defimpl": "impl",
}
_ELIXIR_ATTRIBUTES = {
    "callback": "function",
    "macrocallback": "macro",
    "type": "type",
    "typep": "type",
    "opaque": "type",
}
_RUBY = frozenset({"attr", "attr_accessor", "attr_reader", "attr_writer"})  # each argument is a name
_RUBY_FIRST = frozenset({"alias_method", "define_method", "define_singleton_method"})  # only the first argument is
DEFINING_CALLS = {"elixir": frozenset(_ELIXIR), "ruby": _RUBY | _RUBY_FIRST}  # language -> names of functions
_CLASS_MAKERS = re.compile(r"(?:::)?(?:(?:Struct|Class|Module)\.new|Data\.define)\b")
_RUBY_NAME = re.compile(r":?[\"']?([A-Za-z_]\w*[?!=]?|[^\w\s\"':]+)[\"']?")


def names_of_call(call: "Node") -> tuple[SymbolName, ...]:
    """The names that a call in Elixir or Ruby defines."""
    if target := call.child_by_field_name("target"):
        return _names_in_elixir(call, text_of(target))
    method = call.child_by_field_name("method")
    arguments = call.child_by_field_name("arguments")
    name = text_of(method) if method else ""
    if arguments is None or name not in DEFINING_CALLS["ruby"]:
        return ()
    nodes = arguments.named_children[: 1 if name in _RUBY_FIRST else None]
    literals = [node for node in nodes if node.type in ("simple_symbol", "string")]
    matches = ((node, _RUBY_NAME.fullmatch(text_of(node))) for node in literals)
    return tuple(SymbolName((match[1],), node, "method") for node, match in matches if match)


def makes_class(value: "Node") -> bool:
    """Return True for `Struct.new(...)` and the like in Ruby."""
    receiver = value.child_by_field_name("receiver") if value.type == "call" else None
    method = value.child_by_field_name("method") if receiver else None
    if receiver is None or method is None:
        return False
    return _CLASS_MAKERS.fullmatch(f"{text_of(receiver)}.{text_of(method)}") is not None


def _names_in_elixir(call: "Node", target: str) -> tuple[SymbolName, ...]:
    """The name that `defmodule`, `def` and the like define: a call, as all else in Elixir."""
    arguments = next((child for child in call.named_children if child.type == "arguments"), None)
    if arguments is None or not arguments.named_children or target not in _ELIXIR:
        return ()
    name_node = arguments.named_children[0]
    if name_node.type == "binary_operator" and (guarded := name_node.child_by_field_name("left")):
        is_guarded = any(child.type == "when" for child in name_node.children)
        name_node = guarded if is_guarded else name_node
    if name_node.type == "call":
        name_node = name_node.child_by_field_name("target") or name_node
    if name_node.type not in ("alias", "identifier") or name_node.text == b"unquote":
        return ()
    implemented = re.search(r"\bfor:\s*([\w.]+)", text_of(arguments)) if target == "defimpl" else None
    name = f"{text_of(name_node)}.{implemented[1]}" if implemented else text_of(name_node)
    return (SymbolName((name,), name_node, _ELIXIR[target]),)


def names_of_attribute(node: "Node") -> tuple[SymbolName, ...]:
    """The name that `@callback` or `@type` in Elixir defines."""
    call = node.child_by_field_name("operand")
    target = call.child_by_field_name("target") if call else None
    kind = _ELIXIR_ATTRIBUTES.get(text_of(target)) if target else None
    if call is None or kind is None or not call.named_children[1:]:
        return ()
    name_node = next(iter(call.named_children[1].named_children), None)
    while name_node is not None and name_node.type == "binary_operator":  # `handle(binary) :: t when t: var`
        name_node = name_node.child_by_field_name("left")
    if name_node is not None and name_node.type == "call":
        name_node = name_node.child_by_field_name("target")
    if name_node is None or name_node.type != "identifier":
        return ()
    return (SymbolName((text_of(name_node),), name_node, kind),)
