"""Names of syntax nodes and of their parents; and calls that define something, as `attr_reader` in Ruby does."""

import re
from collections.abc import Iterator
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


FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "function", "function_definition"}
    | {"generator_function", "lambda", "func_literal"}
)
CLASSES = frozenset({"class", "class_expression"})
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
_NAMED_BY_KEYWORD = {
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
}
_NAMED_IN_CHILD = {"assignment_statement": "variable_list", "property_declaration": "variable_declaration"}
# Kinds of `class_declaration` by its keyword, and of a constant in Zig by its value.
_KEYWORDS = {"struct": "struct", "enum": "enum", "interface": "interface", "extension": "impl"}
CONTAINERS = {
    "struct_declaration": "struct",
    "union_declaration": "struct",
    "opaque_declaration": "struct",
    "enum_declaration": "enum",
    "error_set_declaration": "enum",
}
_STATEMENTS = frozenset({"if", "for", "while", "switch", "return", "else", "do"})
_IMPORTS = re.compile(rb"[^=]*=\s*(?:@import\b|require\b)")
_IMPORT_LINES = 4  # a longer statement is no import
_OF_OBJECT = re.compile(r"^this\.|\.prototype\.")
_ID = re.compile(r"""\bid\s*=\s*["']?([^"'\s>{}]+)""")
# Types with a tag in C and C++, and statements that may define one besides their own names.
_TAGGED = {
    "struct_specifier": "struct",
    "union_specifier": "struct",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_DECLARATIONS = frozenset({"type_definition", "declaration", "field_declaration"})
_QUALIFIED = frozenset({"qualified_identifier", "nested_namespace_specifier", "scope_resolution", "template_type"})
_DECLARED_NAMES = frozenset({"qualified_identifier", "primitive_type", "operator_cast"})  # or end like a name
_CONVERSION = re.compile(r"(.*\boperator [\w:<>,*& ]*?) ?\(\)")  # `operator bool() const` in C++
_NAMED_VALUES = frozenset({"function_expression", "generator_function", "class"})
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")  # in a heading: only the visible text is part of the name
_TYPE_ARGUMENTS = re.compile(r"<.*>", re.DOTALL)


def names_of(node: "Node") -> tuple[SymbolName, ...]:
    """The names that a definition gives; empty if it has none."""
    if node.type == "call":
        return names_of_call(node)
    if node.type == "unary_operator":
        return names_of_attribute(node)
    parts, name_node = _name_of(node)
    names = [SymbolName(parts, name_node)] if parts else []
    if node.type in _DECLARATIONS:
        names += _names_of_declarators(node)
        if (tag := tagged(node)) and (tag_name := _name_of(tag))[0]:
            names.insert(0, SymbolName(*tag_name, kind=_TAGGED[tag.type]))
    value = value_of(node)
    if value is not None and value.type in _NAMED_VALUES and (inner := value.child_by_field_name("name")):
        own_name = text_of(inner)  # `exports.run = function start() {}`
        names += [SymbolName((own_name,), inner)] if own_name not in parts else []
    while value is not None and value.type == "assignment_expression":  # `exports.a = exports.b = ...`
        parts, name_node = _name_of(value)
        names += [SymbolName(parts, name_node)] if parts else []
        value = value_of(value)
    return tuple({name.parts: name for name in reversed(names)}.values())[::-1]


def _name_of(node: "Node") -> tuple[tuple[str, ...], "Node"]:
    """The main name of a definition with its qualifiers, and its node; an empty tuple if it has none."""
    if node.type in ("element", "section", "media_statement", "supports_statement", "at_rule", "snippet_statement"):
        return _of_markup(node)
    if node.type in _TAGGED and node.child_by_field_name("body") is None:
        return (), node  # a use of a type, or its declaration
    if node.type == "enum_constant" and node.child_by_field_name("body") is None:
        return (), node  # a value; one with a body is a class
    if node.type == "impl_item":
        owner = node.child_by_field_name("type") or node
        return _split(text_of(owner)), owner
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        return _of_method_in_go(node, receiver)
    if node.type in ("operator_declaration", "conversion_operator_declaration"):
        return _of_operator_in_csharp(node)
    if node.type in ("variable_declaration", "assignment_statement") and _is_import(node):
        return (), node  # what another file defines
    declarator = node.child_by_field_name("declarator")
    name_node = _innermost(declarator) if declarator else _find_name_node(node)
    if name_node is None or name_node.type.endswith(("_pattern", "identifiers")):
        return (), node  # `{ a, b } = ...` unpacks what others define
    if name_node.type == "user_type" and node.type != "class_declaration":  # the result of an operator in Swift
        return (), node
    name = text_of(name_node).strip("\"'`")
    if declarator and name in _STATEMENTS:
        return (), node  # `else if (x) { ... }` inside of `#if` in C is read as a function
    if node.type == "type_alias_statement":
        name = name.partition("[")[0]  # the type parameters of `type PairOf[T]`
    if conversion := _CONVERSION.match(name):
        return _split(conversion[1]), name_node
    if name_node.type in _QUALIFIED:
        return _split(name), name_node
    if node.type == "assignment_expression":
        return _of_assignment(name), name_node
    if name_node.type in ("dot_index_expression", "method_index_expression"):
        return tuple(re.split(r"[.:]", name)), name_node
    return ((name,) if name else ()), name_node


def tagged(node: "Node") -> "Node | None":
    """The type that a declaration in C or C++ defines beside its names: `struct cart { ... } first_cart;`."""
    tag = node.child_by_field_name("type") if node.type in _DECLARATIONS else None
    has_body = tag is not None and tag.type in _TAGGED and tag.child_by_field_name("body") is not None
    return tag if has_body else None


def _split(name: str) -> tuple[str, ...]:
    """The parts of `C::run`, without type arguments."""
    if "operator" in name:  # `operator<` has none
        return tuple(part for part in name.split("::") if part)
    return tuple(part for part in _TYPE_ARGUMENTS.sub("", name).split("::") if part)


def _names_of_declarators(node: "Node") -> Iterator[SymbolName]:
    """The names after the first in `typedef struct cart cart_t, *cart_ptr;`."""
    if node.type == "type_definition":
        for declarator in node.children_by_field_name("declarator")[1:]:
            if name_node := _innermost(declarator):
                yield SymbolName((text_of(name_node),), name_node)


def _is_import(node: "Node") -> bool:
    return node.end_point.row - node.start_point.row < _IMPORT_LINES and _IMPORTS.match(node.text or b"") is not None


def _of_operator_in_csharp(node: "Node") -> tuple[tuple[str, ...], "Node"]:
    name_node = node.child_by_field_name("operator") or node.child_by_field_name("type") or node
    return (f"operator {text_of(name_node)}",), name_node


def _find_name_node(node: "Node") -> "Node | None":
    if keyword := _NAMED_BY_KEYWORD.get(node.type):
        return next((child for child in node.children if child.type == keyword), None)
    for field in _NAME_FIELDS:
        if name_node := node.child_by_field_name(field):
            return name_node.child_by_field_name("bound_identifier") or name_node
    if inner_type := _NAMED_IN_CHILD.get(node.type):
        inner = next((child for child in node.named_children if child.type == inner_type), None)
        return _find_name_node(inner) if inner else None
    child_types = _NAMED_BY_CHILD.get(node.type, ())
    return next((child for child in node.named_children if child.type in child_types), None)


def _innermost(node: "Node") -> "Node | None":
    """The name node in a declarator such as `*(*f[3])(int)`."""
    for _ in range(50):
        inner = _inner_declarator(node)
        if inner is None:
            break
        if node.type == "operator_cast":
            break
        node = inner
    if node.type.endswith(("identifier", "_name")) or node.type in _DECLARED_NAMES:
        return node
    return next((child for child in node.named_children if child.type.endswith("identifier")), None)


def _of_method_in_go(node: "Node", receiver: "Node") -> tuple[tuple[str, ...], "Node"]:
    name_node = node.child_by_field_name("name") or node
    words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", text_of(receiver)))
    return (*words[-1:], text_of(name_node)), name_node


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
    if node.type == "class_declaration":
        keywords = [_KEYWORDS[child.type] for child in node.children if child.type in _KEYWORDS]
        return keywords[0] if keywords else kind
    if node.type == "variable_declaration" and (container := CONTAINERS.get(node.named_children[-1].type)):
        return container
    value = value_of(node)
    while value is not None and value.type == "assignment_expression":
        value = value_of(value)
    if value is not None and value.type in FUNCTIONS:
        is_method = inside == "class" or kind == "field" or _is_of_object(node)
        return "method" if is_method else "function"
    if value is not None and (value.type in CLASSES or makes_class(value)):
        return "class"
    if kind == "type":
        if tag := tagged(node):
            return _TAGGED[tag.type]
        type_node = node.child_by_field_name("type")
        kinds = {"struct_type": "struct", "interface_type": "interface"}
        return kinds.get(type_node.type, kind) if type_node is not None else kind
    if kind == "function" and inside in ("class", "struct", "impl", "interface"):
        return "method"
    if node.type in ("declaration", "field_declaration") and _declares_function(node):
        return "method" if inside in ("class", "struct") else "function"
    if kind == "variable" and node.type == "declaration":
        return kind
    if kind == "variable" and inside in ("class", "struct"):
        return "field"
    if kind == "variable" and name.isupper() and len(name) > 1:
        return "constant"
    return kind


def value_of(node: "Node") -> "Node | None":
    """The value that a definition gives to its name."""
    if value := node.child_by_field_name("value") or node.child_by_field_name("right"):
        return value
    values = node.named_children[-1] if node.type == "assignment_statement" else None
    return values.child_by_field_name("value") if values else None


def _is_of_object(node: "Node") -> bool:
    """Return True for `this.run = ...` and `Parser.prototype.run = ...` in JavaScript."""
    left = node.child_by_field_name("left")
    return left is not None and _OF_OBJECT.search(text_of(left)) is not None


def _declares_function(node: "Node") -> bool:
    """Return True if a declaration in C or C++ is that of a function, not of a pointer to one."""
    inner = _inner_declarator(node)
    while inner is not None and inner.type != "function_declarator":
        inner = _inner_declarator(inner)
    return inner is not None and not any(child.type == "parenthesized_declarator" for child in inner.named_children)


def _inner_declarator(node: "Node") -> "Node | None":
    declarators = (child for child in node.named_children if child.type.endswith("declarator"))
    return node.child_by_field_name("declarator") or next(declarators, None)
