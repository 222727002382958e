"""`searchsocket code find`."""

from collections.abc import Iterator
from pathlib import Path

import click

from searchsocket.cli.options import continuation_option, count_option, json_option, scope_options, tokens_option
from searchsocket.cli.output import safe
from searchsocket.cli.results import print_answer
from searchsocket.extensions.code.capabilities import FIND_CODE
from searchsocket.extensions.code.cli.requests import answer_of, bright, file_line, files_options, not_searched_lines
from searchsocket.extensions.code.search.find_all import CodeFindAnswer, CodeOccurrence, occurrences_in_files
from searchsocket.search.bounds import MAX_CODE_OCCURRENCES


@click.command()
@click.argument("text")
@scope_options
@count_option("--limit", MAX_CODE_OCCURRENCES, 100, "Maximum number of occurrences.")
@click.option("--whole-words", is_flag=True, help="Do not match inside longer words.")
@click.option("--ignore-case", is_flag=True, help="Ignore case.")
@files_options
@continuation_option
@tokens_option
@json_option
def find(
    text: str,
    root: Path,
    scope_name: str | None,
    whole_words: bool,
    ignore_case: bool,
    as_json: bool,
    **fields: object,
) -> None:
    """List every occurrence of a text in the source files.

    Reads the files as they are now, and also matches inside longer words, like grep.

    \b
    Example:
      searchsocket code find verifyToken
      searchsocket code find --whole-words token --path src/auth --json
    """
    flags = {"whole_words": whole_words, "match_case": not ignore_case}
    answer = answer_of(FIND_CODE, root, scope_name, q=text, **flags, **fields)
    print_answer(answer, _lines(answer, whole_words), as_json=as_json)


def _lines(answer: CodeFindAnswer, whole_words: bool) -> Iterator[str]:
    yield from map(_line, answer.occurrences)
    if answer.occurrences:
        yield ""
    yield click.style(occurrences_in_files(answer, whole_words=whole_words), dim=True)
    yield from (click.style(line, dim=True) for line in not_searched_lines(answer))
    if answer.continuation:
        yield click.style(f"more with --continuation {answer.continuation}", dim=True)


def _line(occurrence: CodeOccurrence) -> str:
    [(start, end)] = occurrence.marks
    ranges = ((0, start), (start, end), (end, None))
    before, match, after = (safe(occurrence.text[first:last].expandtabs(4)) for first, last in ranges)
    place = file_line(occurrence.file, occurrence.line, occurrence.column)
    return f"{place}  {before.lstrip()}{bright(match)}{after}"
