"""A Python function's docstring and its code without it."""

import ast
import warnings
from collections.abc import Iterator

from training.mining.sentences import first_sentence, spaced, trimmed

MIN_BODY_LINES = 2
Found = tuple[str, str, str]  # kind, query, passage


def python_pairs(source: str) -> Iterator[Found]:
    """Docstring and code; a name's words and the docstring; nothing where the file is not Python 3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes in other people's strings
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.end_lineno is None:
            continue
        comment, said = ast.get_docstring(node), node.body[0]
        query = first_sentence(comment) if comment else None
        if query is None or comment is None or said.end_lineno is None:
            continue
        head, body = lines[node.lineno - 1 : said.lineno - 1], lines[said.end_lineno : node.end_lineno]
        if len(body) >= MIN_BODY_LINES:
            yield "docstring", query, trimmed(head + body)
        words = spaced(node.name)
        if len(words.split()) > 1:
            yield "name", words, trimmed(comment.splitlines())
