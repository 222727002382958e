"""The tree-sitter grammars, each from its own package: the extra `searchsocket[code]`."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# These grammars need quadratic or cubic time for some short damaged files: minutes for 20 KB. The limits depend only on
# the size of a file; no file of the 59 repositories of semble's benchmark needs half of them.
_LIMITED = frozenset({"elixir", "kotlin", "lua", "swift", "zig"})
_STEPS_PER_KB, _MIN_STEPS = 40, 400  # a step is a hundred operations of the parser
_BLOCK = 4_096  # bytes that the parser reads at once
_READS_PER_BLOCK = 100

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


@cache
def parser_of(language: str) -> "Parser | None":
    """The parser of a language; None if its package is not installed, or there is none."""
    if language not in MODULES:
        return None
    module, function = MODULES[language]
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(module), function)()))
    except (ImportError, AttributeError, ValueError):  # ValueError: incompatible with the installed tree-sitter version
        return None


def parse(language: str, source: bytes) -> "Tree | None":
    """Parse a file; None if there is no parser, or if a grammar of `_LIMITED` needs too much work for this file."""
    parser = parser_of(language)
    if parser is None or language not in _LIMITED:
        return parser.parse(source) if parser else None
    blocks = [source[start : start + _BLOCK] for start in range(0, len(source), _BLOCK)]
    steps, reads = _MIN_STEPS + _STEPS_PER_KB * len(source) // 1_000, _READS_PER_BLOCK * (len(blocks) + 3)

    def read(offset: int, _: object) -> bytes:
        nonlocal reads
        reads -= 1
        # tree-sitter 0.26.1 never frees what it reads: most reads return the same objects.
        return blocks[offset // _BLOCK][offset % _BLOCK :] if offset < len(source) else b""

    def is_too_much(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps -= 1
        return steps < 0 or reads < 0

    try:
        return parser.parse(read, progress_callback=is_too_much)
    except ValueError:
        parser.reset()
        return None
