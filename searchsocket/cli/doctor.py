"""`searchsocket doctor`: check the setup and suggest fixes (spec 17)."""

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from searchsocket.cli import examine, exits
from searchsocket.cli.options import json_option, project_option
from searchsocket.cli.output import CheckLine, DoctorCheck, print_json, safe
from searchsocket.errors import PermissionDenied, SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.project.project import Project, open_project
from searchsocket.system.errors import system_error


@click.command()
@project_option
@json_option
def doctor(root: Path, as_json: bool) -> None:
    """Check the setup and suggest fixes.

    Checks the configuration, the site, the state folder, models, services and every file of every live generation.
    Exits with 1 if a check fails.

    \b
    Example:
      searchsocket doctor
    """
    lines = list(_check(root))
    healthy = all(line.ok for line in lines)
    if as_json:
        print_json({"ok": healthy, "checks": [asdict(line) for line in lines]})
    else:
        for line in lines:
            click.echo(f"{_mark(line)}  {line.name:<14} {safe(line.detail)}")
            if line.fix:
                click.echo(f"{'':<24}{click.style('fix:', bold=True)} {safe(line.fix)}")
    if not healthy:
        raise SystemExit(exits.FAILED)


def _mark(line: CheckLine) -> str:
    if not line.ok:
        return click.style("BROKEN", fg="red", bold=True)
    return click.style("note  ", fg="yellow") if line.fix else click.style("ok    ", fg="green")


def _check(root: Path) -> Iterator[CheckLine]:

    try:
        project = open_project(root, os.environ)
    except SearchSocketError as error:
        yield CheckLine(
            "configuration", False, str(error), "fix the file or variable above; the other checks were skipped"
        )
        return

    yield CheckLine("configuration", True, f"project {project.id} in {project.root}")
    checks: list[tuple[str, Callable[[], Iterator[CheckLine]], str]] = [
        ("scope", lambda: examine.scope(project), "pass --scope, or change scope.mode"),
        ("project", lambda: examine.project_name(project), "give each project its own state.dir"),
        ("source", lambda: examine.source(project), "build the site, or set source.static_output_dir"),
        ("state", lambda: examine.state_folder(project), "make the folder writable, or free space"),
        ("locks", lambda: examine.locks(project), "make the folder writable"),
        ("model", lambda: examine.model(project), "correct [embeddings]"),
        ("reranker", lambda: examine.reranker(project), "correct [rerank]"),
        ("index", lambda: examine.index(project), "run `searchsocket index --force`, or `searchsocket rollback`"),
        ("curation", lambda: examine.curation(project), "correct the line above in curation.toml"),
        *_of_extensions(project),
        ("vectors", lambda: examine.vectors(project), "start the server, or correct its address and key"),
        ("cluster", lambda: examine.cluster(project), "correct or unset run.dask_address"),
        ("leftovers", lambda: examine.leftovers(project), "make the folder readable"),
        ("dagster", lambda: examine.dagster(project), "correct or unset DAGSTER_HOME"),
    ]
    causes = set[str]()  # a cause may break several checks; only the first reports it
    for name, check, fix in checks:
        try:
            for line in check():
                if line.ok or line.detail not in causes:
                    yield line
                if not line.ok:
                    causes.add(line.detail)
        except (OSError, SearchSocketError) as error:
            problem = system_error("cannot use", project.state_dir, error) if isinstance(error, OSError) else error
            if str(problem) not in causes:
                causes.add(str(problem))
                is_final = isinstance(problem, PermissionDenied)
                yield CheckLine(name, False, str(problem), problem.fix or ("" if is_final else fix))


def _of_extensions(project: Project) -> Iterator[tuple[str, Callable[[], Iterator[CheckLine]], str]]:
    for extension in extensions():
        if extension.checks:
            check: DoctorCheck = load(extension.checks)
            yield extension.name, partial(check.run, project), check.fix
