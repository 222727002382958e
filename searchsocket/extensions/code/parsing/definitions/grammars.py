"""The tree-sitter grammars, each from its own package: the extra `searchsocket[code]`."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.definitions.depth import is_too_deep
from searchsocket.extensions.code.parsing.definitions.limits import ParseLimits
from searchsocket.extensions.code.parsing.definitions.macros import without_macros

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree

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
