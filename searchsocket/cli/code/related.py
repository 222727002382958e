"""`searchsocket code related`."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchsocket.cli.code.asked import asked, print_answer
from searchsocket.cli.code.printed import result_lines
from searchsocket.cli.options import json_option, part_options, project_option, scope_option
from searchsocket.cli.output import count, safe
from searchsocket.cli.results import more_lines

if TYPE_CHECKING:
    from searchsocket.search.code.related import RelatedCode, RelatedQuery


@click.command()
@click.argument("subject")
@project_option
@scope_option
@click.option(
    "--limit",
    type=click.IntRange(1, 20),
    default=5,
    show_default=True,
    help="Maximum number of definitions, and of pages.",
)
@part_options
@json_option
def related(
    subject: str,
    root: Path,
    scope_name: str | None,
    limit: int,
    max_tokens: int | None,
    token: str,
    as_json: bool,
) -> None:
    """Show code and pages related to a definition or a page.

    For code: similar code, and pages that document it. For a page: the code that it mentions. SUBJECT is the name of
    a definition, a line of a file, or a page of the site.

    \b
    Example:
      searchsocket code related verifyToken
      searchsocket code related src/auth/token.ts:45
      searchsocket code related /docs/sign-in --json
    """
    code, scope = asked(root, scope_name)
    if max_tokens or token:
        from searchsocket.serving.parts import Part, related_code_part

        answer = related_code_part(code, _query(subject, limit), Part(max_tokens, token), scope)
    else:
        answer = code.related(_query(subject, limit), scope)
    if as_json:
        print_answer(answer)
        return
    for line in _lines(answer, of_page=subject.startswith("/")):
        click.echo(line)


def _query(subject: str, limit: int) -> "RelatedQuery":
    from searchsocket.search.code.related import RelatedQuery

    if subject.startswith("/"):
        return RelatedQuery(url=subject, top_k=limit)
    file, mark, line = subject.rpartition(":")
    line = line.partition("-")[0]
    if mark and line.isascii() and line.isdecimal() and len(line) < 10:
        return RelatedQuery(file=file, line=int(line), top_k=limit)
    return RelatedQuery(file=subject, top_k=limit) if "/" in subject else RelatedQuery(symbol=subject, top_k=limit)


def _lines(answer: "RelatedCode", *, of_page: bool) -> Iterator[str]:
    for result in answer.code:
        yield from result_lines(result)
        yield ""
    for page in answer.pages:
        section = f" › {safe(page.section_title)}" if page.section_title not in ("", page.title) else ""
        yield f"{click.style(safe(page.title) or page.url, bold=True)}{section}  {click.style(page.href, fg='cyan')}"
        yield f"   {safe(page.text)}"
        yield ""
    what = f"{count(len(answer.code), 'definition')} named on" if of_page else f"{len(answer.code)} near"
    pages = "" if of_page else f", {count(len(answer.pages), 'page')} documenting it"
    yield click.style(f"{what} {safe(answer.subject)}{pages}", dim=True)
    yield from more_lines(answer.continuation_token)
