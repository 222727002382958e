"""A comment and the function below it, in languages whose functions end with a brace: JavaScript, Java, Go, Rust."""

import re
from collections.abc import Iterator
from itertools import takewhile

from training.mining.sentences import first_sentence, spaced, trimmed

LINE_COMMENTS = {".go": "//", ".rs": "///"}
MAX_LINES = 60
Found = tuple[str, str, str]  # kind, query, passage

_BLOCK = re.compile(r"/\*\*(?!\*)((?:[^*]|\*(?!/))*)\*/[ \t]*\n(?:[ \t]*[@#].*\n)*[ \t]*(?=[A-Za-z_$])")
_LEAD = re.compile(r"^\s*\*\s?", re.MULTILINE)
_NAME = re.compile(r"(?:function\*?|func(?: \([^)]*\))?|fn|const|let|class|get|set)\s+(\w+)|(\w+)\s*(?:<[^>]*>)?\(")
_TAG = re.compile(r"^\s*@(?:description|summary|desc)\s+|^\s*@\w+.*", re.MULTILINE)


def brace_pairs(source: str, suffix: str) -> Iterator[Found]:
    """Comment and code; a name's words and the comment."""
    for comment, start in _comments(source, suffix):
        code = _function(source[start:].split("\n", MAX_LINES)[:MAX_LINES])
        query = first_sentence(comment)
        if query is None or not code:
            continue
        if len(code) > 2:
            yield "docstring", query, trimmed(code)
        name = _NAME.search(code[0])
        words = spaced(name[1] or name[2]) if name else ""
        if len(words.split()) > 1:
            yield "name", words, trimmed(comment.splitlines())


def _comments(source: str, suffix: str) -> Iterator[tuple[str, int]]:
    """Each comment's text, and where what it is about begins."""
    marker = LINE_COMMENTS.get(suffix)
    if marker is None:
        for found in _BLOCK.finditer(source):
            text = _LEAD.sub("", found[1])
            yield _TAG.sub("", text), found.end()
        return
    block: list[str] = []
    at = 0
    for line in source.splitlines(keepends=True):
        bare = line.strip()
        if bare.startswith(marker):
            block.append(bare[len(marker) :].removeprefix(" "))
        elif block and bare.startswith("#["):
            pass  # an attribute between a comment and its function
        else:
            if block and re.match(r"(pub(\([^)]*\))? |async |unsafe |const )*(fn|func)\b", bare):
                yield "\n".join(block), at
            block = []
        at += len(line)


def _function(lines: list[str]) -> list[str]:
    """The lines up to the brace that closes the first one; none where none opens within the head."""
    depth, found = 0, []
    for number, line in enumerate(lines):
        found.append(line)
        depth += line.count("{") - line.count("}")
        if depth <= 0 and ("}" in line or line.rstrip().endswith(";")):
            return found if number else list(takewhile(bool, found))
    return found if depth > 0 else []
