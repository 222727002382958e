"""The tree-sitter grammars, each from its own package: the extra `searchsocket[code]`."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.definitions.limits import ParseLimits

# Bounds make the time linear in the size of a file, whatever it contains.
_ARGUMENTS = r"\((?:[^(){};]|\((?:[^(){};]|\([^(){};]{0,100}\)){0,200}\)){0,500}\)"
_CAPITALS = r"[A-Z][A-Z0-9_]+"
_MACRO = rf"{_CAPITALS}\b(?:[ \t]*{_ARGUMENTS})?"
_START = r"(?<!\\\n)^[ \t]*"  # of a line that does not continue a macro's definition
_TYPE_ARGUMENTS = r"(?:<[^;{}()]{0,200}>)?"
_TWO_NAMES = re.compile(r"(?:^|_)TEST(?:_[A-Z]{1,2})?$|^BENCHMARK|_METHOD$")  # macros whose second argument is a member
_NAMED_SECOND = re.compile(r"PER_CPU|^ABSL_FLAG|^MOCK_(?:CONST_)?METHOD$")
_NO_FUNCTION = re.compile(r"FOR|EACH|^IF|^ELSE|WHILE|SWITCH|CASE|CATCH|^TRY")
_VALUES = frozenset(["int", "char", "bool", "long", "short", "float", "double", "void"])
_QUALIFIERS = frozenset(["struct", "union", "enum", "class", "const", "unsigned", "signed", "auto", "static"])
_TYPES = _VALUES | _QUALIFIERS
_NO_TYPE = _QUALIFIERS | frozenset(
    ["return", "else", "extern", "inline", "constexpr", "typedef", "case", "throw", "goto", "new", "delete", "define"]
)
_MOST_COLLECTIONS = 200  # nobody writes 100 levels by hand
_LINE_END = re.compile(rb"[\r\n]")
_INDICATOR = re.compile(rb"[-?:](?=[ \t]|\Z)")
MODULES = {  # language -> module and function; a dialect uses the closest grammar
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "css": ("tree_sitter_css", "language"),
    "elixir": ("tree_sitter_elixir", "language"),
    "go": ("tree_sitter_go", "language"),
    "html": ("tree_sitter_html", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "json": ("tree_sitter_json", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "markdown": ("tree_sitter_markdown", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "svelte": ("tree_sitter_svelte", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "toml": ("tree_sitter_toml", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "vue": ("tree_sitter_html", "language"),
    "yaml": ("tree_sitter_yaml", "language"),
    "zig": ("tree_sitter_zig", "language"),
}
LANGUAGES = frozenset(MODULES)


def _compile(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.MULTILINE | re.ASCII)


# `SYSCALL_DEFINE2(node_count, ...) {` defines a function.
_FUNCTION = _compile(
    r"(?<!\\\n)^((?:static[ \t]+)?)", rf"({_CAPITALS}\w*)[ \t]*({_ARGUMENTS})(?:{_ARGUMENTS})?(?=\s*\{{)"
)
# `static DEFINE_MUTEX(cart_lock);` defines a variable, and `MOCK_METHOD(int, count, ());` a function.
_VARIABLE = _compile(
    rf"({_START}(?:static[ \t]+)?)((?:\w+_)?DEFINE_\w+|LIST_HEAD|ABSL_FLAG|MOCK_\w*METHOD\w*)",
    rf"[ \t]*({_ARGUMENTS})(?=\s*;)",
)
# `class SHOP_API Cart : public Base {`, `struct PACKED(1) line {`
_BEFORE_CLASS = _compile(
    r"(?<![\w<,.])((?:class|(?:struct|union|enum(?:[ \t]+class)?)(?=\s+(?:[A-Z_][A-Z0-9_]*\b|__\w+|alignas)))\s+)",
    rf"((?:(?!final\b)\w+(?:[ \t]*{_ARGUMENTS})?\s+){{1,4}})",
    rf"(?=(?!final\b)[A-Za-z_][\w:]*{_TYPE_ARGUMENTS}\s*(?:final\b\s*)?(?:\{{|:[^:]))",
)
# `void printflike(1, 2) log_text(...)`
_NUMBERS = _compile(r"\b[A-Za-z_]\w*[ \t]*\([ \t]*\d+[ \t]*(?:,[ \t]*\d+[ \t]*)*\)(?=\s+\*?\w+[ \t]*\()")
# A line with macros only, above a definition.
_ALONE = _compile(rf"{_START}{_MACRO}(?:[ \t]+{_MACRO})*[ \t]*$", r"(?=\n[ \t]*(?:[a-z#~/}\n]|[A-Z]\w*[ \t:<*&]+\w))")
# `SHOP_API Cart* open_cart(...)`
_BEFORE_STATEMENT = _compile(
    rf"({_START}(?:(?:static|inline|extern|virtual)[ \t]+)*)({_MACRO}[ \t]+)",
    rf"(?=(?:{_CAPITALS}[ \t]+)*(?:[a-z_]\w*|[A-Z]\w*[a-z]\w*)(?:::\w+)*{_TYPE_ARGUMENTS}",
    r"[ \t]*[*&]*[ \t]+[*&]*[A-Za-z_~])",
)
_IN_TYPEDEF = _compile(rf"(?<=typedef )({_MACRO})(?=\s+\w+[\s*]+\()")
# `static int __init start(void)`, `void WINAPI open(...)`, but not `static __u32 count(...)`
_BEFORE_NAME = _compile(
    rf"(\b\w+|[*&>])([ \t]+)(__(?!u?int|[usb](?:8|16|32|64)\b|[lb]e(?:16|32|64)\b|m\d)\w+|{_CAPITALS})",
    r"(?=[ \t]+[A-Za-z_]\w*[ \t]*\()",
)
# `void add(int count) REQUIRES(lock) override;`
_AFTER_ARGUMENTS = _compile(
    rf"(?<=\))(\s*(?:(?:const|noexcept|override|final)\b\s*)*)(?:{_MACRO}\s*)+",
    r"(?=[;{=]|override\b|const\b|noexcept\b|final\b|:[^:])",
)
# `int total GUARDED_BY(lock);`
_AFTER_MEMBER = _compile(rf"(\b\w+|>)([\s*&]+)(\w+)(\s+{_CAPITALS}[ \t]*{_ARGUMENTS})(?=\s*[;=])")


def without_macros(source: bytes, language: str) -> bytes:
    """Rewrite the macros of a file in C or C++; the result has the same lines and length."""
    text = source.decode("latin-1")  # a character per byte
    text = _FUNCTION.sub(lambda match: _function(match, is_cpp=language == "cpp"), text)
    text = _VARIABLE.sub(_variable, text)
    text = _BEFORE_CLASS.sub(_without_group(2), text)
    text = _NUMBERS.sub(_without_group(0), text)
    text = _ALONE.sub(_without_group(0), text)
    text = _BEFORE_STATEMENT.sub(_without_group(2), text)
    text = _IN_TYPEDEF.sub(_without_group(1), text)
    text = _BEFORE_NAME.sub(lambda match: match[0] if match[1] in _NO_TYPE else _without_group(3)(match), text)
    text = _AFTER_ARGUMENTS.sub(lambda match: match[1] + _spaces(match[0][len(match[1]) :]), text)
    text = _AFTER_MEMBER.sub(lambda match: match[0] if _is_call(match) else _without_group(4)(match), text)
    return text.encode("latin-1")


def _without_group(group: int) -> Callable[[re.Match[str]], str]:
    def replacement(match: re.Match[str]) -> str:
        first, last = match.start(group) - match.start(), match.end(group) - match.start()
        return match[0][:first] + _spaces(match[0][first:last]) + match[0][last:]

    return replacement


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _function(match: re.Match[str], *, is_cpp: bool) -> str:
    names = _names(match[3])
    if not names or _NO_FUNCTION.search(match[2]):
        return match[0]
    if len(names) > 1 and _TWO_NAMES.search(match[2]):
        name = f"{names[0]}::{names[1]}" if is_cpp else names[1]
    else:
        name = names[0]
    return _padded(f"{name}()" if is_cpp else f"int {name}()", match[0])


def _variable(match: re.Match[str]) -> str:
    names = _names(match[3])
    arguments = match[3][1:-1].split(",")
    if len(arguments) > 1 and _NAMED_SECOND.search(match[2]):
        names = [name for name in names if name == arguments[1].strip()]
    if not names:
        return match[0]
    brackets = "()" if "METHOD" in match[2] else ""
    return match[1] + _padded(f"int {names[0]}{brackets}", match[0][len(match[1]) :])


def _padded(text: str, replaced: str) -> str:
    """A text with the lines and the length of the text that it replaces."""
    if len(text) > len(replaced) or "\n" in replaced[: len(text)]:
        return replaced
    return text + _spaces(replaced[len(text) :])


def _names(arguments: str) -> list[str]:
    """The arguments that are names, but no types."""
    parts = (part.strip() for part in arguments[1:-1].split(","))
    return [part for part in parts if part.isidentifier() and part not in _TYPES]


def _is_call(match: re.Match[str]) -> bool:
    """Return True for `return left MACRO(right);` and `static int MACRO(right);`."""
    return match[1] in _NO_TYPE or match[3] in _NO_TYPE | _VALUES


def is_too_deep(language: str, source: bytes) -> bool:
    """Return True if the parser must not read a file."""
    return language == "yaml" and any(count > _MOST_COLLECTIONS for count in _collections(source))


def _collections(source: bytes) -> Iterator[int]:
    """An upper bound of the open collections at each line: two per column in which one starts, and those of the line.

    Two, because the items of a list may be in the column of its key.
    """
    columns: list[int] = []
    for line in _LINE_END.split(source):
        text = line.lstrip(b" \t")
        if not text:
            continue
        column = len(line) - len(text)
        while columns and columns[-1] >= column:
            columns.pop()
        columns.append(column)
        yield 2 * len(columns) + len(_INDICATOR.findall(text))


if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree


def installed() -> bool:
    """Return True if files are split at definitions, because the grammars can be loaded."""
    return parser_of("python") is not None


def available() -> bool:
    """Return True if the grammars are installed; loads nothing."""
    return all(find_spec(name) is not None for name in ("tree_sitter", MODULES["python"][0]))


def parser_of(language: str) -> "Parser | None":
    """A new parser of a language, for one thread; None if its package is not installed, or there is none."""
    grammar = grammar_of(language)
    if grammar is None:
        return None
    from tree_sitter import Parser

    return Parser(grammar)


@cache
def grammar_of(language: str) -> "Language | None":
    """The grammar of a language; None if its package is not installed, or there is none."""
    if language not in MODULES:
        return None
    module, function = MODULES[language]
    try:
        from tree_sitter import Language

        return Language(getattr(import_module(module), function)())
    except (ImportError, AttributeError, ValueError):  # ValueError: incompatible with the installed tree-sitter version
        return None


def parse(language: str, source: bytes, limits: ParseLimits) -> "Tree | None":
    """Parse a file; None if there is no parser, or if this file is too deep or needs too much work for it.

    Raises:
        ParserTooCostly: See `ParseLimits.parse`.
    """
    parser = parser_of(language)
    if parser is None or is_too_deep(language, source):
        return None
    return limits.parse(parser, without_macros(source, language) if language in ("c", "cpp") else source)
