"""Names of syntax nodes and of their parents."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_CHARS = 200
_FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "function", "function_definition"}
    | {"generator_function", "lambda", "func_literal"}
)
_CLASSES = frozenset({"class", "class_expression"})
_NAME_FIELDS = ("name", "key", "property", "left", "pattern")
_NAMED_BY_CHILD = {
    "rule_set": ("selectors",),
    "keyframes_statement": ("keyframes_name",),
    "table": ("bare_key", "dotted_key", "quoted_key"),
    "table_array_element": ("bare_key", "dotted_key", "quoted_key"),
    "pair": ("bare_key", "dotted_key", "quoted_key", "string"),
    "const_element": ("name",),
    "property_element": ("variable_name",),
    "snippet_statement": ("snippet_start",),
    "element": ("start_tag", "self_closing_tag"),
    "section": ("atx_heading", "setext_heading"),
    "snippet_start": ("snippet_name",),
    "test_declaration": ("string",),
    "type_alias": ("identifier",),
    "variable_declaration": ("identifier",),
}
_NAMED_IN_CHILD = {"assignment_statement": "variable_list", "property_declaration": "variable_declaration"}
# Kinds of `class_declaration` by its keyword, and of a constant in Zig by its value.
_KEYWORDS = {"struct": "struct", "enum": "enum", "interface": "interface", "extension": "impl"}
_CONTAINERS = {
    "struct_declaration": "struct",
    "union_declaration": "struct",
    "opaque_declaration": "struct",
    "enum_declaration": "enum",
    "error_set_declaration": "enum",
}
_KINDS_IN_ELIXIR = {
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
_IMPORTS = re.compile(rb"[^=]*=\s*(?:@import\b|require\b)")
_ID = re.compile(r"""\bid\s*=\s*["']?([^"'\s>{}]+)""")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")  # in a heading: only the visible text is part of the name
_TYPE_ARGUMENTS = re.compile(r"<.*>", re.DOTALL)


def text_of(node: "Node") -> str:
    """The text of a node on one line, shortened."""
    raw = (node.text or b"")[: 4 * _MAX_CHARS].decode("utf-8", "replace")
    return " ".join(raw.split())[:_MAX_CHARS]


def names_of(node: "Node") -> tuple[tuple[str, ...], "Node"]:
    """The name of a definition with its qualifiers (`C::run` is a member of `C`), and the node of the name.

    Returns:
        An empty tuple of names if it has none.
    """
    if node.type in ("element", "section", "media_statement", "supports_statement", "at_rule", "snippet_statement"):
        return _of_markup(node)
    if node.type == "impl_item":
        owner = node.child_by_field_name("type") or node
        return (_TYPE_ARGUMENTS.sub("", text_of(owner)),), owner
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        return _of_method_in_go(node, receiver)
    if node.type == "call":
        return _of_call_in_elixir(node)
    if node.type in ("variable_declaration", "assignment_statement") and _IMPORTS.match(node.text or b""):
        return (), node  # what another file defines
    declarator = node.child_by_field_name("declarator")
    name_node = _innermost(declarator) if declarator else _find_name_node(node)
    if name_node is None or name_node.type.endswith(("_pattern", "identifiers")):
        return (), node  # `{ a, b } = ...` unpacks what others define
    if name_node.type == "user_type" and node.type != "class_declaration":  # the result of an operator in Swift
        return (), node
    name = text_of(name_node).strip("\"'`")
    if name_node.type in ("qualified_identifier", "nested_namespace_specifier"):
        return tuple(_TYPE_ARGUMENTS.sub("", part) for part in re.split(r"::", name) if part), name_node
    if node.type == "assignment_expression":
        return _of_assignment(name), name_node
    if name_node.type in ("dot_index_expression", "method_index_expression"):
        return tuple(re.split(r"[.:]", name)), name_node
    return ((name,) if name else ()), name_node


def _find_name_node(node: "Node") -> "Node | None":
    for field in _NAME_FIELDS:
        if name_node := node.child_by_field_name(field):
            return name_node.child_by_field_name("bound_identifier") or name_node
    if inner_type := _NAMED_IN_CHILD.get(node.type):
        inner = next((child for child in node.named_children if child.type == inner_type), None)
        return _find_name_node(inner) if inner else None
    if node.type == "init_declaration":
        return next((child for child in node.children if child.type == "init"), None)
    child_types = _NAMED_BY_CHILD.get(node.type, ())
    return next((child for child in node.named_children if child.type in child_types), None)


def _innermost(node: "Node") -> "Node | None":
    """The name node in a declarator such as `*(*f[3])(int)`."""
    for _ in range(50):
        declarators = (child for child in node.named_children if child.type.endswith("declarator"))
        inner = node.child_by_field_name("declarator") or next(declarators, None)
        if inner is None:
            break
        node = inner
    if node.type.endswith(("identifier", "_name")) or node.type == "qualified_identifier":
        return node
    return next((child for child in node.named_children if child.type.endswith("identifier")), None)


def _of_method_in_go(node: "Node", receiver: "Node") -> tuple[tuple[str, ...], "Node"]:
    name_node = node.child_by_field_name("name") or node
    words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", text_of(receiver)))
    return (*words[-1:], text_of(name_node)), name_node


def _of_call_in_elixir(node: "Node") -> tuple[tuple[str, ...], "Node"]:
    """The name that `defmodule`, `def` and the like define: a call, as all else in Elixir."""
    arguments = next((child for child in node.named_children if child.type == "arguments"), None)
    if arguments is None or not arguments.named_children or target_of(node) not in _KINDS_IN_ELIXIR:
        return (), node
    name_node = arguments.named_children[0]
    if name_node.type == "binary_operator" and (guarded := name_node.child_by_field_name("left")):
        is_guarded = any(child.type == "when" for child in name_node.children)
        name_node = guarded if is_guarded else name_node
    if name_node.type == "call":
        name_node = name_node.child_by_field_name("target") or name_node
    if name_node.type not in ("alias", "identifier") or name_node.text == b"unquote":
        return (), node
    implemented = re.search(r"\bfor:\s*([\w.]+)", text_of(arguments)) if target_of(node) == "defimpl" else None
    return (f"{text_of(name_node)}.{implemented[1]}" if implemented else text_of(name_node),), name_node


def target_of(call: "Node") -> str:
    """The name of the function that a call in Elixir calls."""
    target = call.child_by_field_name("target")
    return text_of(target) if target else ""


def _of_assignment(name: str) -> tuple[str, ...]:
    """The name in `module.exports.run`, `Parser.prototype.run` or `this.run`."""
    parts = [part for part in name.split(".") if part not in ("module", "exports", "prototype", "this", "window")]
    if name in ("module.exports", "exports"):
        return ("default",)
    return tuple(parts) if all(re.fullmatch(r"[\w$#]+", part) for part in parts) else ()


def _of_markup(node: "Node") -> tuple[tuple[str, ...], "Node"]:
    if node.type == "element":
        tag = next((child for child in node.named_children if child.type.endswith("tag")), None)
        match = _ID.search(text_of(tag)) if tag else None
        return ((f"#{match[1]}",) if match else ()), node
    if node.type == "snippet_statement":
        start = _find_name_node(node)
        name_node = _find_name_node(start) if start else None
        return ((text_of(name_node),) if name_node else ()), node
    if node.type == "section":
        heading = _find_name_node(node)
        name_node = heading.child_by_field_name("heading_content") if heading else None
        title = _LINK.sub(r"\1", text_of(name_node)).strip() if name_node else ""
        return ((title,) if title else ()), node
    head = text_of(node).partition("{")[0].strip()
    return ((head,) if head else ()), node


def kind_of(node: "Node", kind: str, name: str, *, inside: str) -> str:
    """The kind of a definition, from its syntax and its value.

    Args:
        kind: The kind of its statement.
        inside: Kind of its parent; "" at the top.
    """
    if node.type == "call":
        return _KINDS_IN_ELIXIR[target_of(node)]
    if node.type == "class_declaration":
        keywords = [_KEYWORDS[child.type] for child in node.children if child.type in _KEYWORDS]
        return keywords[0] if keywords else kind
    if node.type == "variable_declaration" and (container := _CONTAINERS.get(node.named_children[-1].type)):
        return container
    value = _value_of(node)
    if value is not None and value.type in _FUNCTIONS:
        return "method" if inside == "class" or kind == "field" else "function"
    if value is not None and value.type in _CLASSES:
        return "class"
    if kind == "type":
        type_node = node.child_by_field_name("type")
        kinds = {"struct_type": "struct", "interface_type": "interface"}
        return kinds.get(type_node.type, kind) if type_node is not None else kind
    if kind == "function" and inside in ("class", "struct", "impl", "interface"):
        return "method"
    if kind == "variable" and node.type == "declaration":
        return "function" if _declares_function(node) else kind
    if kind == "variable" and inside in ("class", "struct"):
        return "field"
    if kind == "variable" and name.isupper() and len(name) > 1:
        return "constant"
    return kind


def _value_of(node: "Node") -> "Node | None":
    if value := node.child_by_field_name("value") or node.child_by_field_name("right"):
        return value
    values = node.named_children[-1] if node.type == "assignment_statement" else None
    return values.child_by_field_name("value") if values else None


def _declares_function(node: "Node") -> bool:
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        if inner.type == "function_declarator":
            return True
        inner = inner.child_by_field_name("declarator")
    return False
