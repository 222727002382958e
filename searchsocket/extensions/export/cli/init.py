"""`searchsocket init --static`: search without a server, which each build of the site makes."""

import shlex
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from searchsocket.cli.init import set_up
from searchsocket.cli.options import with_options
from searchsocket.cli.output import safe
from searchsocket.extensions.export.after_build import (
    HOSTS,
    SERVER,
    StaticBuild,
    detect_host,
    puts_search_into_pages,
    step_changes,
)
from searchsocket.extensions.export.built_pages import FOLDER
from searchsocket.setup.changes import AnswerSource, Plan
from searchsocket.setup.plan import ServerlessSearch
from searchsocket.setup.site import SiteFacts

_OPTION = "--static"


def with_static(command: click.Command) -> click.Command:
    """Return `searchsocket init` with the option for search without a server."""

    def init(is_static: bool, **fields: Any) -> None:
        set_up(**fields, serverless=STATIC, is_serverless=is_static)

    help_text = "Search without a server: export the index with each build."
    option = click.Option([_OPTION, "is_static"], is_flag=True, help=help_text)
    changed = with_options(command, [option], after="service")
    changed.help = cleandoc(command.help or "").replace(
        "  searchsocket init --undo", f"  searchsocket init {_OPTION}\n  searchsocket init --undo"
    )
    changed.callback = init
    return changed


def _source(facts: SiteFacts, answers: str) -> AnswerSource:
    meaning = "reads the files of `searchsocket export`, by default those beside this one"
    return AnswerSource("static", f"{facts.base}/{FOLDER}/", answers, is_service=False, meaning=meaning)


def _page_step(facts: SiteFacts, answers: str) -> str:
    option = ("--answers", answers) if answers else ()
    return shlex.join(["searchsocket", "static", facts.deployed or "BUILD", *option])


def _next_steps(root: Path, draft: Plan) -> Iterator[str]:
    """Yield the commands, and the lines for the host of the site."""
    facts = draft.facts
    build = facts.command.shell
    has_export = len(draft.steps) > 1
    comment = "deploy this folder with your site" if has_export else "adds it to all pages"
    first = [build or "build your site"] if facts.framework else []
    shown = [*first, *draft.steps[:-1], f"{draft.steps[-1]}  # {comment}"]
    if draft.is_one_step:
        shown = [
            f"{build}  # {'builds, indexes and exports' if has_export else 'builds, and adds search to all pages'}"
        ]
    if has_export:  # `static` keeps its own index
        shown.append('searchsocket search "a question"')
    yield "\n".join(["\nNext:", *(f"  {safe(line)}" for line in shown)])
    if not facts.deployed:
        return  # the lines of a host would name a folder
    command = " && ".join([*([build] if build else []), *([] if draft.is_one_step else draft.steps)])
    host = detect_host(root, facts.adapter) or SERVER
    folder = safe(facts.deployed)
    export = f"{folder}/{FOLDER}" if has_export else ""
    lines = host.lines(StaticBuild(safe(command), folder, export, draft.is_one_step))
    yield f"\nOn {host.name}, {host.place}:\n\n{lines}"
    if host is SERVER:
        yield f'For {", ".join(each.name for each in HOSTS)}, see "Hosts of static files" in the documentation.'


STATIC = ServerlessSearch(
    _OPTION,
    source=_source,
    is_in_pages=puts_search_into_pages,
    step_changes=step_changes,
    page_step=_page_step,
    next_steps=_next_steps,
)
