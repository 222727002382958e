"""`searchsocket code search`, `find`, `related` and `fetch`, and code as they print it."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from searchsocket.cli.options import (
    all_of,
    continuation_option,
    count_option,
    json_option,
    language_option,
    load_scope,
    part_options,
    scope_options,
    tokens_option,
)
from searchsocket.cli.output import count, not_searched, safe, warn
from searchsocket.cli.results import more_lines, print_answer
from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.capabilities import FIND_CODE, RELATED_CODE, SEARCH_CODE
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.search.answer import CodeAnswer, CodeResult, CodeStatus, CodeSynced
from searchsocket.extensions.code.search.fetch import FetchedLines, LinesLeft, fetched_code
from searchsocket.extensions.code.search.find_all import (
    CodeFindAnswer,
    CodeOccurrence,
    about_no_occurrence,
    occurrences_in_files,
)
from searchsocket.extensions.code.search.related import RelatedCode
from searchsocket.extensions.code.search.results import numbered_lines
from searchsocket.extensions.code.serving.part import CodePart
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.search.bounds import MAX_CODE_OCCURRENCES, MAX_CODE_TOP_K, MAX_LINES, MAX_PLACES, MAX_RELATED_CODE
from searchsocket.serving.capabilities.base import SHELL, A, Capability, R, Services
from searchsocket.serving.scopes import ReadableScopes
from searchsocket.text.hidden import visible

# `path` and `languages`.
files_options = all_of(
    language_option,
    click.option("--path", default="", metavar="PATH", help="Only in this folder, or files that match this glob."),
)

_LISTED_ID = re.compile(r"[^\[\]\s,\"']+")


class CodeScope(NamedTuple):
    """The services for a project's source code, and a scope."""

    code: CodeService
    scope: str
    services: Services


def open_scope(root: Path, scope_name: str | None) -> CodeScope:
    """Open the source code of the project in `root`."""
    project, scope = load_scope(root, scope_name)
    code = open_code(project, os.environ, on_error=warn)
    services = Services(
        project,
        ReadableScopes(project, os.environ),
        _no_service,
        _no_service,
        {"code": lambda: CodePart(lambda: code, None)},
    )
    return CodeScope(code, scope.name, services)


def answer_of(capability: Capability[R, A], root: Path, scope_name: str | None, **fields: object) -> A:
    """Answer a request about source code."""
    source = open_scope(root, scope_name)
    request = capability.request.model_construct(None, scope=source.scope, **fields)
    return capability.run(source.services, request, SHELL)


def _no_service() -> NoReturn:
    raise AssertionError("a command over source code needs no other service")


def not_searched_lines(answer: CodeFindAnswer | CodeStatus | CodeSynced) -> Iterator[str]:
    """Yield a line about the files that are not searched, if there are any."""
    yield from not_searched([(each.page, each.reason) for each in answer.skipped], answer.skip_reasons)


def result_lines(result: CodeResult) -> Iterator[str]:
    """Yield the lines of a result: its place, kind and name, and its first lines of code."""
    first, _, last = result.lines.partition("-")
    name = f"  {result.kind} {click.style(safe(result.symbol), bold=True)}" if result.symbol else ""
    changed = click.style("  has changed since it was indexed", fg="yellow") if result.changed_since else ""
    yield f"{file_line(result.file, int(first))}{name}  {result.score:.2f}{changed}"
    lines = list(numbered_lines(result.preview, int(first)))
    for number, line in lines:
        yield numbered(number, marked(safe(line.expandtabs(4)), result.why.terms))
    if (remaining := int(last) - int(first) + 1 - len(lines)) > 0:
        yield click.style(f"         … {remaining} more line{'s' if remaining > 1 else ''}", dim=True)


def file_line(file: str, line: int, column: int = 0) -> str:
    """`file:line`, or `file:line:column`; a name keeps its hidden characters, as codes, and is one line."""
    name = visible(file).replace("\n", "⟨U+000A⟩")
    return click.style(name, fg="cyan") + f":{line}" + (f":{column}" if column else "")


def numbered(number: int, line: str) -> str:
    """Return a line after its number."""
    return f"  {click.style(f'{number:>5}', dim=True)}  {line}"


def marked(line: str, terms: Sequence[str]) -> str:
    """Highlight the words of the query."""
    pattern = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    if not pattern:
        return line
    return re.sub(f"(?i)({pattern})", lambda match: bright(match[0]), line)


def bright(text: str) -> str:
    """Highlight a match."""
    return click.style(text, fg="yellow", bold=True)


@click.command()
@click.argument("query", nargs=-1)
@click.option("--q", "text", default="", metavar="TEXT", help="The query, instead of QUERY.")
@scope_options
@count_option("--limit", MAX_CODE_TOP_K, 10, "Maximum number of results.", "--top-k", "top_k")
@files_options
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only definitions of this kind, e.g. function.")
@click.option("--exported", is_flag=True, help="Only definitions that other files can use.")
@count_option("--per-file", MAX_CODE_TOP_K, 3, "Maximum number of results per file.", "max_per_file")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@part_options
@json_option
def search(
    query: tuple[str, ...], text: str, root: Path, scope_name: str | None, as_json: bool, **fields: object
) -> None:
    """Find code by meaning, words and names of definitions.

    \b
    Example:
      searchsocket code search how are tokens checked
      searchsocket code search Parser.parse --path 'src/**/*.ts' --json
    """
    if bool(query) == bool(text):
        raise click.UsageError("pass either QUERY or --q")
    answer = answer_of(SEARCH_CODE, root, scope_name, q=text or " ".join(query), **fields)
    print_answer(answer, _answer_lines(answer), as_json=as_json, notes=answer.notes)


def _answer_lines(answer: CodeAnswer) -> Iterator[str]:
    if not answer.results:
        yield "no code matches this query closely"
    for result in answer.results:
        yield from result_lines(result)
        if result.parts:
            largest = sorted(result.parts.items(), key=lambda part: -part[1])
            parts = " + ".join(f"{name} {part:.3f}" for name, part in largest)
            yield f"score {result.score:.3f} = {parts}"
        yield ""
    yield from more_lines(answer.continuation_token)


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
    print_answer(answer, _occurrence_lines(answer, whole_words), as_json=as_json)


def _occurrence_lines(answer: CodeFindAnswer, whole_words: bool) -> Iterator[str]:
    yield from map(_occurrence_line, answer.occurrences)
    if answer.occurrences:
        yield ""
    yield click.style(occurrences_in_files(answer, whole_words=whole_words), dim=True)
    if reason := about_no_occurrence(answer):
        yield click.style(reason, dim=True)
    yield from (click.style(line, dim=True) for line in not_searched_lines(answer))
    if answer.continuation:
        yield click.style(f"more with --continuation {answer.continuation}", dim=True)


def _occurrence_line(occurrence: CodeOccurrence) -> str:
    [(start, end)] = occurrence.marks
    ranges = ((0, start), (start, end), (end, None))
    before, match, after = (safe(occurrence.text[first:last].expandtabs(4)) for first, last in ranges)
    place = file_line(occurrence.file, occurrence.line, occurrence.column)
    return f"{place}  {before.lstrip()}{bright(match)}{after}"


@click.command()
@click.argument("subject")
@scope_options
@count_option("--limit", MAX_RELATED_CODE, 5, "Maximum number of definitions, and of pages.", "top_k")
@part_options
@json_option
def related(subject: str, root: Path, scope_name: str | None, as_json: bool, **fields: object) -> None:
    """Show code and pages related to a definition or a page.

    For code: similar code, and pages that document it. For a page: the code that it mentions. SUBJECT is the name of
    a definition, a line of a file, or a page of the site.

    \b
    Example:
      searchsocket code related verifyToken
      searchsocket code related src/auth/token.ts:45
      searchsocket code related /docs/sign-in --json
    """
    answer = answer_of(RELATED_CODE, root, scope_name, **fields, **_subject(subject))
    print_answer(answer, _related_lines(answer, of_page=subject.startswith("/")), as_json=as_json)


def _subject(text: str) -> dict[str, object]:
    """Return the fields of the request for a page, a line of a file, a file or a definition."""
    if text.startswith("/"):
        return {"url": text}
    file, mark, line = text.rpartition(":")
    line = line.partition("-")[0]
    if mark and line.isascii() and line.isdecimal() and len(line) < 10:
        return {"file": file, "line": int(line)}
    return {"file" if "/" in text else "symbol": text}


def _related_lines(answer: RelatedCode, *, of_page: bool) -> Iterator[str]:
    for result in answer.code:
        yield from result_lines(result)
        yield ""
    for page in answer.pages:
        section = f" › {safe(page.section_title)}" if page.section_title not in ("", page.title) else ""
        yield f"{click.style(safe(page.title) or page.url, bold=True)}{section}  {click.style(page.href, fg='cyan')}"
        yield f"   {safe(page.text)}"
        yield ""
    definitions = f"{count(len(answer.code), 'definition')} named on" if of_page else f"{len(answer.code)} near"
    pages = "" if of_page else f", {count(len(answer.pages), 'page')} documenting it"
    yield click.style(f"{definitions} {safe(answer.subject)}{pages}", dim=True)
    yield from more_lines(answer.continuation_token)


@click.command()
@click.argument("places", nargs=-1)
@click.option("--id", "--ids", "ids", multiple=True, metavar="ID", help="Chunk id from a result, or a list of them.")
@scope_options
@count_option("--max-lines", MAX_LINES, MAX_LINES, "Maximum number of lines per place.")
@tokens_option
@json_option
def fetch(
    places: tuple[str, ...],
    ids: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    max_lines: int,
    max_tokens: int | None,
    as_json: bool,
) -> None:
    """Print lines of indexed files.

    At most five places with 120 lines each, read from the files as they are now. PLACES are FILE:FIRST-LAST, as in
    results.

    \b
    Example:
      searchsocket code fetch src/auth/token.ts:45-78
      searchsocket code fetch src/auth/token.ts:45 src/use.ts --max-lines 20 --json
    """
    ids = tuple(each for listed in ids for each in _LISTED_ID.findall(listed))
    if not 1 <= len(places) + len(ids) <= MAX_PLACES:
        raise click.UsageError("pass one to five places")
    source = open_scope(root, scope_name)
    files = [_file(source, place, max_lines) for place in places]
    files += source.code.fetch_chunks(_chunk_ids(source, ids), source.scope, max_lines) if ids else []
    left: Sequence[LinesLeft] = ()
    if as_json or max_tokens:
        answer = fetched_code(source.scope, files, max_tokens)
        if as_json:
            print_answer(answer, (), as_json=True)
            return
        files, left = list(answer.fetched), answer.left
    for each in files:
        if each.changed_since:
            click.echo(f"note: {each.file} has changed since it was indexed", err=True)
        if len(files) > 1:
            click.echo(file_line(each.file, each.first_line))
        for line in each.text:
            number, mark, text = line.partition("| ")
            click.echo(click.style(number + mark, dim=True) + safe(text))
    for more in left:
        click.echo(click.style(f"more: {safe(more.file)}:{more.first_line}-{more.last_line}", dim=True))


def _chunk_ids(source: CodeScope, ids: Sequence[str]) -> list[str]:
    """Return ids as results have them; the numbers of `code serve` are accepted too.

    Raises:
        InvalidRequest: A number is unknown.
    """
    numbers = ChunkIds(source.code.home.state_dir)
    chunk_ids = [numbers.record_id(source.scope, int(each)) if each.isdecimal() else each for each in ids]
    if None in chunk_ids:
        raise InvalidRequest(f"unknown chunk id {ids[chunk_ids.index(None)]}: search again")
    return [each for each in chunk_ids if each is not None]


def _file(source: CodeScope, place: str, max_lines: int) -> FetchedLines:
    path, mark, lines = place.rpartition(":")
    first, _, last = lines.partition("-")
    if not mark or not _is_number(first) or not _is_number(last or first):
        path, first, last = place, "1", str(max_lines)
    return source.code.fetch_file(path, int(first), int(last or first), source.scope, max_lines)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
