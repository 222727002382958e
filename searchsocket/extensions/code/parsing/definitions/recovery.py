"""Find definitions where a grammar gave up: by the words at the start of a line, and by indentation.

One construct that a grammar does not know can cost the rest of a file. This reads only statements with an error, and
adds only what the tree lacks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.definitions.model import Definition, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

_MODIFIERS = (
    r"(?:(?:@\w+(?:\([^()\n]*\))?|public|private|protected|internal|open|final|abstract|sealed|static|override|inline|"
    r"suspend|tailrec|operator|infix|external|expect|actual|annotation|data|value|inner|enum|companion|export|default|"
    r"declare|async|unsafe|const|extern|pub(?:\([^()\n]*\))?|fileprivate|mutating|nonmutating|dynamic|required|"
    r"convenience|indirect|virtual|explicit|constexpr|implicit|local|partial|readonly|case)\s+)*"
)
_KINDS = {
    "fun": "function", "func": "function", "function": "function", "fn": "function", "def": "function",
    "defp": "function", "defmacro": "macro", "macro_rules!": "macro", "class": "class", "object": "class",
    "record": "class", "actor": "class", "struct": "struct", "union": "struct", "interface": "interface",
    "trait": "interface", "protocol": "interface", "enum": "enum", "namespace": "module", "module": "module",
    "mod": "module", "defmodule": "module", "extension": "impl", "type": "type", "typealias": "type",
}  # fmt: skip
_WORDS = {  # language -> words that start a definition
    "c": "struct union enum",
    "cpp": "class struct union enum namespace",
    "csharp": "class struct interface enum record namespace",
    "elixir": "def defp defmacro defmodule",
    "go": "func type",
    "java": "class interface enum record",
    "javascript": "function class",
    "kotlin": "fun class interface object typealias",
    "lua": "function",
    "php": "function class interface trait enum",
    "python": "def class",
    "ruby": "def class module",
    "rust": "fn struct enum trait mod macro_rules! union type",
    "scala": "def class trait object type",
    "swift": "func class struct enum protocol extension actor typealias",
    "tsx": "function class interface enum namespace type",
    "typescript": "function class interface enum namespace type",
    "zig": "fn",
}
# Statements that some definitions become without an error: `@Kind(1) annotation class Price` in Kotlin.
_MISREAD = {"kotlin": frozenset({"annotated_expression", "infix_expression"})}
_NAME = (
    r"(?:interface\s+)?(?:<[^<>\n]*>\s*)?(?:\([^()\n]*\)\s*)?(?:self\.|(?:[\w<>?,]+(?:\.|::))*)(?P<name>[$\w]+[?!=]?)"
)
_BY_WORD = {
    language: re.compile(rf"^[ \t]*{_MODIFIERS}(?P<word>{'|'.join(map(re.escape, words.split()))})\s*\*?\s+{_NAME}")
    for language, words in _WORDS.items()
}
_IN_SHELL = re.compile(r"[ \t]*(?:function[ \t]+|(?=[\w.:-]+[ \t]*\(\)))(?P<name>[\w.:-]+)")
# A function without a word for it: `Status Cart::add(int lines) const {`. The brace may be on one of the next lines.
_BEFORE_NAME = re.compile(r"[ \t]*[\w~@\[][\w<>,:&*\[\]?~@ \t]*")
_FORM_NAME = re.compile(r"(?<![\w:~])(?P<owner>(?:\w+::)*)(?P<name>~?\w+|operator\W{1,3})\s*$")
_FORM_END = re.compile(r"[\w\s,.<>:&]{0,200}\{")
_TYPE_END = re.compile(r"(?:<[^;{}()]*>)?\s*(?:final\b\s*)?(?::[^;{}()]*)?\{")
_STATEMENT = re.compile(
    r"\s*(?:return|else|if|for|while|switch|case|throw|new|delete|do|catch|using|typedef|await|yield|goto|sizeof)\b"
)
_BY_FORM_LANGUAGES = frozenset({"c", "cpp", "java", "csharp", "javascript", "typescript", "tsx"})
_NO_NAMES = frozenset({"if", "for", "while", "switch", "catch", "sizeof", "decltype", "function", "foreach", "using"})
_TYPED = frozenset({"c", "cpp", "java", "csharp"})  # a function there has a type before its name
_NO_CODE = ("comment", "string", "content", "heredoc", "text", "preproc")
_FORM_LINES, _FORM_CHARS = 12, 1_000  # of the head of a function
_CLOSING = re.compile(r"\s*(?:[\])}]|end\b|fi\b|done\b)")


def add_lost(definitions: Sequence[Definition], root: "Node", source: bytes, language: str) -> tuple[Definition, ...]:
    """Add the definitions that statements with an error lack."""
    statements = _damaged(root, language) if language == "bash" or language in _WORDS else []
    if not statements:
        return tuple(definitions)
    lines = source.decode("utf-8", "replace").split("\n")
    names = {(symbol.line, symbol.name) for definition in definitions for symbol in definition.all_symbols}
    level = tuple(definitions)
    for found in _headers(lines, root, statements, language):
        symbol = found.main
        if not any((symbol.line + by, symbol.name) in names for by in (-1, 0, 1)):
            level = insert(level, found, has_nested=language != "c")
    return level


def _damaged(root: "Node", language: str) -> list["Node"]:
    if root.type == "ERROR":
        return [root]
    misread = _MISREAD.get(language, ())
    return [node for node in root.named_children if node.has_error or node.type in misread]


def _headers(lines: Sequence[str], root: "Node", statements: Sequence["Node"], language: str) -> Iterator[Definition]:
    rows = sorted({row for node in statements for row in range(node.start_point.row, node.end_point.row + 1)})
    for row in rows:
        if row >= len(lines) or not (match := _match(lines, row, language)):
            continue
        leaf = root.descendant_for_point_range((row, match[1]), (row, match[1]))
        if leaf is not None and any(word in leaf.type for word in _NO_CODE):
            continue
        kind, _, parts = match
        last = last_row(lines, row)
        symbol = Symbol(parts[-1], parts[:-1], kind, row + 1, exported=True)
        yield Definition((symbol,), row + 1, last + 1, " ".join(lines[row].split()).rstrip("{=: "))


def _match(lines: Sequence[str], row: int, language: str) -> tuple[str, int, tuple[str, ...]] | None:
    """The kind, the column and the name of the definition that starts in a row."""
    line = lines[row]
    if language == "bash":
        function = _IN_SHELL.match(line)
        return ("function", function.start("name"), (function["name"],)) if function else None
    if match := _BY_WORD[language].match(line):
        rest = "\n".join([line[match.end() :], *lines[row + 1 : row + 3]])
        if language in ("c", "cpp") and not _TYPE_END.match(rest):  # a variable of a type
            return None
        return _KINDS[match["word"]], match.start("name"), (match["name"],)
    if language not in _BY_FORM_LANGUAGES or "(" not in line:
        return None
    head, _, _ = line.partition("(")
    name = _FORM_NAME.search(head)
    if name is None or name["name"] in _NO_NAMES or not _BEFORE_NAME.fullmatch(head) or _STATEMENT.match(line):
        return None
    before = head[: name.start()].strip() or (row and line[:1].strip() and lines[row - 1])  # the type, perhaps above
    if language in _TYPED and not (before and _BEFORE_NAME.fullmatch(before)):  # a call, or a constructor
        return None
    if not _ends_with_body("\n".join(lines[row : row + _FORM_LINES])[len(head) :][:_FORM_CHARS]):
        return None
    owner = tuple(part for part in name["owner"].split("::") if part)
    return "function", name.start("name"), (*owner, name["name"].strip())


def _ends_with_body(arguments: str) -> bool:
    """Return True if a text starts with arguments in brackets, and a body follows."""
    depth = 0
    for at, sign in enumerate(arguments):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return _FORM_END.match(arguments, at + 1) is not None
        if sign in ";{}" and depth <= 1:
            return False
    return False


def last_row(lines: Sequence[str], row: int) -> int:
    """The last row of a block: its lines are indented more, except those that open or close it."""
    indent, last = indent_of(lines[row]), row
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        if indent_of(line) > indent or (at <= row + _FORM_LINES and line.lstrip().startswith(("{", ")"))):
            last = at
            continue
        return at if _CLOSING.match(line) and indent_of(line) == indent else last
    return last


def indent_of(line: str) -> int:
    text = line.expandtabs(4)
    return len(text) - len(text.lstrip())


def insert(
    level: tuple[Definition, ...], lost: Definition, *, parents: tuple[str, ...] = (), has_nested: bool
) -> tuple[Definition, ...]:
    """Put a definition among others by its lines: into one of them, around some, or between two."""
    for at, around in enumerate(level):
        if not around.first < lost.first <= around.last:
            continue
        if has_nested:
            inner = replace(lost, last=min(lost.last, around.last))
            below = (*around.main.parents, around.main.name)
            members = insert(around.members, inner, parents=below, has_nested=has_nested)
            return (*level[:at], replace(around, members=members), *level[at + 1 :])
        shortened = replace(around, last=lost.first - 1, members=())
        return (*level[:at], shortened, *insert(level[at + 1 :], lost, has_nested=has_nested))
    new = replace(lost, symbols=_below(lost.symbols, parents))
    for at, other in enumerate(level):
        if other.first == lost.first:
            both = replace(new, last=other.last, symbols=(*new.symbols, *other.all_symbols))
            return (*level[:at], both, *level[at + 1 :])
    inside = tuple(other for other in level if lost.first < other.first and other.last <= lost.last)
    crossing = min((other.first for other in level if lost.first < other.first <= lost.last < other.last), default=0)
    members = tuple(_moved(other, (new.main.name,)) for other in inside)
    rest = [other for other in level if other not in inside]
    new = replace(new, last=crossing - 1 if crossing else lost.last, members=members)
    return tuple(sorted([*rest, new], key=lambda other: other.first))


def _below(symbols: Sequence[Symbol], parents: tuple[str, ...]) -> tuple[Symbol, ...]:
    return tuple(replace(symbol, parents=(*parents, *symbol.parents)) for symbol in symbols)


def _moved(definition: Definition, parents: tuple[str, ...]) -> Definition:
    members = tuple(_moved(member, parents) for member in definition.members)
    return replace(definition, symbols=_below(definition.symbols, parents), members=members)
