"""`python -m bench.code.definitions FOLDER...`: recall of definitions, by language.

The union of two oracles is the reference: Universal Ctags, and the query `tags.scm` that a grammar's package contains.
Counted are functions, methods, classes, interfaces, structs, enums, traits, modules, types and macros, but no local
functions, fields, variables or imports. A definition is found if the file has a symbol of its name at its line.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.extensions.code.parsing.chunks import chunk_source
from searchsocket.extensions.code.parsing.definitions.grammars import MODULES, parser_of
from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.extensions.code.parsing.languages import header_language, is_header
from searchsocket.extensions.code.parsing.reading import source_text
from searchsocket.extensions.code.parsing.split import MAX_LINE_CHARS
from searchsocket.types import Chunk, Lines

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

# Kinds of definitions, by language of ctags: letters of `ctags --list-kinds-full`.
CTAGS_KINDS = {
    "C": "fsugtd", "C++": "fcsugtdn", "C#": "cdgimnst", "Elixir": "pmfcdegiaor", "Go": "fsitna", "Java": "acgim",
    "JavaScript": "fcmgGS", "Kotlin": "coimT", "Lua": "f", "PHP": "cift", "Python": "cfm", "Ruby": "cfmSaA",
    "Rust": "nsicfgtMP", "Sh": "f", "TypeScript": "fcigmnGa",
}  # fmt: skip
_NAMES = {"C": "c", "C++": "cpp", "C#": "csharp", "Sh": "bash"}  # of ctags; others are ours in lower case
# Languages whose query completes that of the grammar.
_MORE_TAGS = {"typescript": ["javascript"], "tsx": ["javascript", "typescript"], "cpp": []}
_TAG_FOLDERS = {"csharp": "tree_sitter_c-sharp", "tsx": "tree_sitter_typescript"}
_NO_KINDS = frozenset({"constant", "variable", "field", "property"})
_LOCAL = frozenset(
    {"function_declaration", "generator_function_declaration", "function_definition", "function_item", "method",
     "variable_declarator", "class_definition", "class_declaration", "function_expression", "init_declarator",
     "local_function_statement", "function_declarator", "declaration", "class", "struct_item", "enum_item", "impl_item",
     "type_item", "struct_specifier", "enum_specifier", "union_specifier", "class_specifier", "type_definition",
     "mod_item", "trait_item", "type_spec", "preproc_def", "preproc_function_def", "type_alias_declaration",
     "interface_declaration", "enum_declaration", "val_definition", "trait_definition", "object_definition"}
)  # fmt: skip
_FUNCTIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "function_definition", "function_item", "method",
     "method_definition", "method_declaration", "singleton_method", "local_function_statement", "function_expression",
     "arrow_function", "constructor_declaration", "init_declaration", "lambda_expression", "func_literal", "do_block"}
)  # fmt: skip
_JOINED = frozenset({"cpp", "elixir", "tsx", "typescript"})  # overloads and clauses of a function are one definition
_TEXTS = ("comment", "string_content", "string_fragment", "heredoc", "quoted_content", "template_string")
_LINES = 1  # by which the line of a name may differ


@dataclass(frozen=True, slots=True, order=True)
class Named:
    """A definition in a file."""

    line: int
    name: str


def main(arguments: Sequence[str]) -> None:
    """Print a row per language and folder, and examples of differences."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.code.definitions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a folder of source code")
    parser.add_argument("--missed", type=int, default=0, help="number of missed definitions to print per language")
    parser.add_argument("--more", type=int, default=0, help="number of definitions in no oracle to print per language")
    parser.add_argument("--language", default="", help="only files of this language")
    options = parser.parse_args(arguments)
    total: Counter[tuple[str, str]] = Counter()
    for folder in options.folders:
        for language, counts in sorted(_compare_folder(folder, options).items()):
            print(f"{language} | {folder.name} | {_row(counts)}", flush=True)
            total.update({(language, kind): number for kind, number in counts.items()})
    for language in sorted({language for language, _ in total}):
        print(f"{language} | all | {_row({kind: n for (name, kind), n in total.items() if name == language})}")


def _row(counts: dict[str, int]) -> str:
    union, found = counts.get("union", 0), counts.get("found", 0)
    ours, known = counts.get("ours", 0), counts.get("known", 0)
    return (
        f"{counts.get('files', 0)} files | {union} | {found / max(union, 1):.3f} | local {counts.get('local', 0)} | "
        f"ours {ours}, in the union {known / max(ours, 1):.3f}"
    )


def _compare_folder(folder: Path, options: argparse.Namespace) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    ctags = tags_of_ctags(folder)
    printed: Counter[tuple[str, str]] = Counter()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        data = path.read_bytes()
        text, _ = source_text(data)
        language = header_language(text) if is_header(path.name) else language_of(path.name)
        if language not in MODULES or options.language not in ("", language) or len(data) > 1_000_000:
            continue
        if 2 * sum(len(line) for line in text.split("\n") if len(line) > MAX_LINE_CHARS) > len(text):
            continue  # minified, so it is not parsed
        relative = str(path.relative_to(folder))
        tree = parser_of(language).parse(text.encode("utf-8", "replace"))  # type: ignore[union-attr]
        union = {*ctags.get((relative, language), ()), *tags_of_grammar(language, tree)}
        if not union:
            continue
        chunks = chunk_source(path.name, text, language)
        locals_, ours = local_lines(tree), our_definitions(chunks)
        counts[language]["files"] += 1
        lines = text.split("\n")
        for named in _distinct(union):
            if _is_text(named, lines[named.line - 1], tree):
                continue
            if language in ("c", "cpp") and _is_attribute(named, lines[named.line - 1]):
                continue
            if (named.line, named.name) in locals_:
                counts[language]["local"] += 1
                continue
            counts[language]["union"] += 1
            if has(named, ours, language) or (language in _JOINED and is_in_chunk(named, chunks)):
                counts[language]["found"] += 1
            elif printed["missed", language] < options.missed:
                printed["missed", language] += 1
                print(f"  missed {relative}:{named.line} {named.name} | {lines[named.line - 1].strip()[:100]}")
        for named in ours:
            counts[language]["ours"] += 1
            if any(abs(named.line - other.line) <= _LINES and last(named.name) == last(other.name) for other in union):
                counts[language]["known"] += 1
            elif printed["more", language] < options.more:
                printed["more", language] += 1
                print(f"  more {relative}:{named.line} {named.name} | {lines[named.line - 1].strip()[:100]}")
    return counts


def _is_attribute(named: Named, line: str) -> bool:
    """Return True for a macro such as `GUARDED_BY(lock)` that belongs to the definition before it."""
    is_macro = named.name.isupper() or re.search(rf"\b{re.escape(named.name)}\(\s*\d+\s*,\s*\d+\s*\)$", line)
    return bool(is_macro) and not line.startswith((named.name, "#"))


def _is_text(named: Named, line: str, tree: "Tree") -> bool:
    """Return True if a name is in a string or a comment, which ctags reads as code in some languages."""
    column = len(line[: max(line.find(last(named.name)), 0)].encode())
    leaf = tree.root_node.descendant_for_point_range((named.line - 1, column), (named.line - 1, column))
    return leaf is not None and any(word in leaf.type for word in _TEXTS)


def our_definitions(chunks: Sequence[Chunk]) -> list[Named]:
    """The definitions of a file, without fields and variables."""
    found = []
    for chunk in chunks:
        assert isinstance(chunk.at, Lines)
        for defined in chunk.at.defines:
            line, kind, qualified = defined.split(":", 2)
            if kind not in _NO_KINDS:
                found.append(Named(int(line), qualified))
    return found


def is_in_chunk(named: Named, chunks: Sequence[Chunk]) -> bool:
    """Return True if a chunk of that name has the line: overloads and clauses of a function are one definition."""
    ats = [chunk.at for chunk in chunks if isinstance(chunk.at, Lines)]
    return any(
        at.first <= named.line <= at.last and last(named.name) in map(last, (at.symbol, *at.heading_path)) for at in ats
    )


def has(named: Named, ours: Sequence[Named], language: str) -> bool:
    """Return True if a definition of an oracle is among ours."""
    name = "default" if named.name == "exports" else last(named.name)  # `module.exports = function () {}`
    is_macro = language in ("c", "cpp") and named.name.isupper()  # `TEST_F(Cart, Empty)` defines no TEST_F
    return any(
        abs(named.line - one.line) <= _LINES
        and (name in map(last, one.name.split(".")) or is_macro or one.name.endswith(named.name))
        for one in ours
    )


def last(name: str) -> str:
    """The last part of a qualified name."""
    parts = [part for part in re.split(r"::|[.:#]", name) if part]
    return parts[-1].strip("\"'` ").replace(" ", "") if parts else name


def _distinct(union: set[Named]) -> list[Named]:
    """One definition per line and name; both oracles name most."""
    return [*{(named.line, last(named.name)): named for named in sorted(union)}.values()]


def tags_of_ctags(folder: Path) -> dict[tuple[str, str], set[Named]]:
    """Definitions by file and language."""
    maps = [f"--map-{language}=+.{suffix}" for language, suffix in (("Kotlin", "kts"), ("TypeScript", "mts"))]
    kinds = [f"--kinds-{language}={kinds}" for language, kinds in CTAGS_KINDS.items()]
    languages = f"--languages={','.join(CTAGS_KINDS)}"
    command = ["ctags", "--recurse", "--output-format=json", "--fields=+nKlE", "--sort=no", "-f", "-", languages]
    lines = subprocess.run([*command, *maps, *kinds, "."], cwd=folder, capture_output=True, check=True).stdout
    found: dict[tuple[str, str], set[Named]] = defaultdict(set)
    for line in lines.splitlines():
        tag = json.loads(line.decode("utf-8", "replace"))
        if tag["_type"] != "tag" or _is_no_definition(tag):
            continue
        language = _NAMES.get(tag["language"], tag["language"].lower())
        named = Named(tag["line"], tag["name"])
        path = tag["path"].removeprefix("./")
        found[path, language].add(named)
        if language == "typescript":
            found[path, "tsx"].add(named)
        if language == "c" or language == "cpp":
            found[path, "cpp" if language == "c" else "c"] = found[path, language]
    return found


def _is_no_definition(tag: dict[str, str]) -> bool:
    """Return True for tags of ctags that name something else, such as lambdas, imports and lists in Bash."""
    name, language, text = tag["name"], tag["language"], tag.get("pattern", "")
    return (
        "anonymous" in tag.get("extras", "")
        or "reference" in tag.get("extras", "")
        or name.startswith("<")
        or (language == "Ruby" and tag["kind"] == "accessor" and name.endswith("="))  # `x` is its name
        or (language == "Sh" and "=" in name)
        or (language == "Kotlin" and _in_kotlin(name, text) is None)
        or (language == "Lua" and _in_lua(name, text) is None)
        or (language == "C#" and "using" in text)
        or (language == "JavaScript" and ".prototype" in text and re.search(r"function|=>|\bclass\b", text) is None)
        or (language == "JavaScript" and tag["kind"] == "class" and re.search(r"[=:]\s*\{", text) is not None)
    )


def _in_kotlin(name: str, text: str) -> re.Match[str] | None:
    before = r"\b(?:class|interface|object|fun|typealias)\s+(?:<[^<>]*>\s*)?(?:[\w.<>?, *]*\.)?"
    return re.search(rf"{before}`?{re.escape(name)}\b", text)


def _in_lua(name: str, text: str) -> re.Match[str] | None:
    end = re.escape(last(name))
    return re.search(rf"function\s+[\w.:]*\b{end}\b|{end}\s*=\s*function\b", text)


@cache
def tags_query(language: str) -> "Query | None":
    """The query of the grammar's package; None if it has none."""
    from tree_sitter import Query

    parser = parser_of(language)
    texts = [text for name in [*_MORE_TAGS.get(language, []), language] if (text := _tags_scm(name))]
    return Query(parser.language, "\n".join(texts)) if texts and parser else None  # type: ignore[arg-type]


def _tags_scm(language: str) -> str:
    module = Path(import_module(MODULES[language][0]).__file__ or "")
    folder = module.parent.parent / _TAG_FOLDERS.get(language, module.parent.name)
    path = folder / "queries" / "tags.scm"
    return path.read_text() if path.is_file() and language != "tsx" else ""


def tags_of_grammar(language: str, tree: "Tree") -> Iterator[Named]:
    """Definitions by the grammar's own query."""
    from tree_sitter import QueryCursor

    query = tags_query(language)
    if query is None:
        return
    for _, captures in QueryCursor(query).matches(tree.root_node):
        kinds = [name.removeprefix("definition.") for name in captures if name.startswith("definition.")]
        if not kinds or kinds[0] in _NO_KINDS or "name" not in captures:
            continue
        node, name = captures[f"definition.{kinds[0]}"][0], captures["name"][0]
        if node.type in ("enum_specifier", "class_specifier") and node.child_by_field_name("body") is None:
            continue  # a use, or the declaration of a type that another file defines
        if node.type in ("namespace_definition", "package_clause") and node.child_by_field_name("body") is None:
            continue  # the package of a file
        yield Named(name.start_point.row + 1, (name.text or b"").decode("utf-8", "replace"))


def local_lines(tree: "Tree") -> set[tuple[int, str]]:
    """Lines and names of definitions inside of functions, which other code cannot use."""
    found: set[tuple[int, str]] = set()
    waiting: list[tuple[Node, bool]] = [(tree.root_node, False)]
    while waiting:
        node, inside = waiting.pop()
        if inside and node.type in _LOCAL:
            name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
            while name is not None and (inner := name.child_by_field_name("declarator")):
                name = inner
            if name is not None:
                found.add((name.start_point.row + 1, (name.text or b"").decode("utf-8", "replace")))
        deeper = inside or (node.type in _FUNCTIONS and _is_named(node))
        own = node.child_by_field_name("declarator")
        waiting.extend((child, inside if child == own else deeper) for child in node.named_children)
    return found


def _is_named(node: "Node") -> bool:
    parent = node.parent
    return (
        node.child_by_field_name("name") is not None
        or node.child_by_field_name("declarator") is not None
        or (parent is not None and parent.type in ("variable_declarator", "assignment_expression", "pair"))
    )


if __name__ == "__main__":
    main(sys.argv[1:])
