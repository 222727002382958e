"""`searchsocket code related`."""

from collections.abc import Iterator
from pathlib import Path

import click

from searchsocket.cli.options import count_option, json_option, part_options, scope_options
from searchsocket.cli.output import count, safe
from searchsocket.cli.results import more_lines, print_answer
from searchsocket.extensions.code.capabilities import RELATED_CODE
from searchsocket.extensions.code.cli.requests import answer_of, result_lines
from searchsocket.extensions.code.search.related import RelatedCode
from searchsocket.search.bounds import MAX_RELATED_CODE


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
    print_answer(answer, _lines(answer, of_page=subject.startswith("/")), as_json=as_json)


def _subject(text: str) -> dict[str, object]:
    """Return the fields of the request for a page, a line of a file, a file or a definition."""
    if text.startswith("/"):
        return {"url": text}
    file, mark, line = text.rpartition(":")
    line = line.partition("-")[0]
    if mark and line.isascii() and line.isdecimal() and len(line) < 10:
        return {"file": file, "line": int(line)}
    return {"file" if "/" in text else "symbol": text}


def _lines(answer: RelatedCode, *, of_page: bool) -> Iterator[str]:
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
