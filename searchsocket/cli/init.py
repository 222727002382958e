"""`searchsocket init`: add search to a site after a preview; `--undo` restores the files (spec 17)."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname
from urllib.parse import urlsplit

import click

from searchsocket.cli.options import answers_address, load_project, new_project_option, result_options
from searchsocket.cli.output import count, print_json, safe, say
from searchsocket.errors import StateUnavailable
from searchsocket.project.project import Project
from searchsocket.project.scopes import default_branch
from searchsocket.setup.changes import Plan, is_ours, make, recorded_files, template, undo
from searchsocket.setup.client_files import COMPONENT, bundle_folder, is_copy
from searchsocket.setup.frameworks import FRAMEWORKS
from searchsocket.setup.plan import SERVICE, ServerlessSearch, plan
from searchsocket.setup.site import SiteFacts, detect_site
from searchsocket.web.versions.rows import version_rows, version_words

_IGNORED = b".searchsocket/"


def ignore_state(root: Path) -> bool:
    """Make git ignore the state folder; return True if it did not before.

    Raises:
        StateUnavailable: The file cannot be written.
    """

    path = root / ".gitignore"
    try:
        old = path.read_bytes() if path.exists() else b""
        if {b"/" + _IGNORED, _IGNORED, _IGNORED.rstrip(b"/")} & {line.strip() for line in old.splitlines()}:
            return False
        with open(path, "ab") as file:  # appended, so that existing lines stay unchanged
            file.write((b"" if not old or old.endswith(b"\n") else b"\n") + _IGNORED + b"\n")
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror}") from error
    return True


TAGS = """\
<script type="module" src="/searchsocket/components.js"></script>
<searchsocket-dialog endpoint="{endpoint}"></searchsocket-dialog>
"""
ANSWERS = '<script type="module" src="{answers}/dialog.js"></script>\n<searchsocket-dialog answers="{answers}" '
_MAX_NAMED = 3
_LINE_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command()
@new_project_option
@click.option("--service", metavar="URL", default="", help="URL at which browsers reach `searchsocket serve`.")
@click.option("--answers", metavar="URL", default="", help="URL or path at which browsers get answers in sentences.")
@click.option("--yes", "-y", "is_confirmed", is_flag=True, help="Write without confirmation.")
@click.option("--undo", "is_undo", is_flag=True, help="Restore the files as they were before init.")
@click.option("--no-node", is_flag=True, help="Do not run the framework's own tools; read files only.")
@result_options
def init(
    root: Path,
    service: str,
    answers: str,
    is_confirmed: bool,
    is_undo: bool,
    no_node: bool,
    as_json: bool,
) -> None:
    """Add search to this site.

    Detects the framework, shows every file that it would change, and asks before it writes. --undo restores the files.

    \b
    Example:
      searchsocket init
      searchsocket init --yes --service https://search.example.com
      searchsocket init --undo
    """
    set_up(root, service, answers, is_confirmed=is_confirmed, is_undo=is_undo, no_node=no_node, as_json=as_json)


def set_up(
    root: Path,
    service: str,
    answers: str,
    *,
    is_confirmed: bool,
    is_undo: bool,
    no_node: bool,
    as_json: bool,
    serverless: ServerlessSearch | None = None,
    is_serverless: bool = False,
) -> None:
    """Run `searchsocket init` with the values of its options.

    Args:
        serverless: The search without a service that the command offers.
        is_serverless: It is chosen.
    """
    if service and urlsplit(service).scheme not in ("http", "https"):
        raise click.UsageError(f"--service {service!r} is not a URL such as https://search.example.com")
    chosen = serverless if is_serverless else None
    if service and chosen:
        raise click.UsageError(f"{chosen.option} needs no service; remove --service")
    answers = answers_address(answers)
    project = load_project(root)
    if is_undo:
        _undo(project, is_confirmed=is_confirmed, as_json=as_json)
        return
    facts = detect_site(project.root, os.environ, run_node=not no_node)
    draft = plan(
        project.root,
        facts,
        project.id,
        default_branch=default_branch(project.root),
        service=service,
        serverless=chosen,
        answers=answers,
        ours=lambda name, text: is_ours(project, name, text),
    )
    if not as_json:
        for line in _plan_lines(draft):
            say(line)
    is_written = bool(draft.changes) and (is_confirmed or (not as_json and _confirm(len(draft.changes))))
    if is_written:
        make(project, draft.changes)
    if as_json:
        print_json(_as_json(draft, is_written=is_written))
        return
    if is_written:
        say(f"wrote {count(len(draft.changes), 'file')}; `searchsocket init --undo` restores the files")
    elif draft.changes:
        say("nothing was written; run `searchsocket init --yes` to write")
    steps = chosen.next_steps(project.root, draft) if chosen else _service_steps(draft, service, answers, serverless)
    for line in (*_manual_steps(draft), *steps):
        say(line)


def _confirm(files: int) -> bool:
    """Ask for confirmation at the terminal; return False without a terminal."""
    return sys.stdin.isatty() and click.confirm(f"Write {count(files, 'file')}?", default=True)


def _plan_lines(draft: Plan) -> Iterator[str]:

    facts = draft.facts
    choices = {
        "site": f"{facts.framework} {facts.version}".strip() + (", reported by Vite" if facts.tool else ""),
        "adapter": facts.adapter,
        "server": "yes; it serves search at the site's own address" if facts.has_server else "",
        "base path": facts.base,
        "versions": version_words(version_rows(facts.versions)),
        "build": f"{facts.build}/{'' if facts.is_built else ' (not built yet)'}" if facts.build else "",
    }
    if facts.framework:
        yield from (f"{label:<11} {safe(value)}" for label, value in choices.items() if value)
    else:
        yield safe(_unknown_site(facts))
    yield from (click.style(f"{'unclear':<11} {safe(line)}", fg="yellow") for line in facts.unknown)
    yield ""
    copies = [
        change for change in draft.changes if is_copy(change.after) or (not change.before and change.is_for_programs)
    ]
    for folder in dict.fromkeys(dirname(change.path) for change in copies):
        files = [change for change in copies if dirname(change.path) == folder]
        size = sum(len(change.after.encode()) for change in files)
        yield f"searchsocket's own files: {count(len(files), 'file')} in {safe(folder)}/, {size // 1000 + 1} kB"
    if copies:
        yield ""
    for change in draft.changes:
        if change in copies:
            continue
        for line in change.diff.splitlines():
            yield click.style(safe(line), fg=_LINE_COLOURS.get(line[:1]))
        yield ""
    if not draft.changes:
        yield "Already set up. Nothing to change." if not draft.pastes else "No file to write."


def _unknown_site(facts: SiteFacts) -> str:
    if facts.build:
        return f"No site generator found; indexing the HTML files in {facts.build}/"
    if facts.inner_sites:
        folder, others = facts.inner_sites[0], facts.inner_sites[1:]
        names = f" (also: {', '.join(others[:_MAX_NAMED])})" if others else ""
        return f"No site generator found here. There is one in {folder}/{names}: cd {folder} && searchsocket init"
    return "No site generator and no HTML found here. If your site is elsewhere, set source.static_output_dir"


def _manual_steps(draft: Plan) -> Iterator[str]:
    for paste in draft.pastes:
        yield f"\nAdd this to {safe(paste.where)} yourself ({safe(paste.why)}):\n"
        yield paste.text
    yield from (f"\nNote: {safe(note)}." for note in draft.notes)


def _service_steps(draft: Plan, service: str, answers: str, serverless: ServerlessSearch | None) -> Iterator[str]:
    facts = draft.facts
    build = f"\n  {safe(facts.command.shell or 'build your site')}" if facts.framework else ""
    has_place = facts.framework in (*FRAMEWORKS, "SvelteKit")
    if serverless and not has_place:
        step = f"{safe(serverless.page_step(facts, answers))}  # adds it to all pages"
        yield f"\nNext, for search without a server:{build}\n  {step}"
        yield f"\nOr, for search with a service:{build}"
    else:
        yield f"\nNext:{build}"
    yield '  searchsocket index\n  searchsocket search "a question"\n  searchsocket serve'
    if not has_place:
        tags = TAGS.format(endpoint=f"{service.rstrip('/') or SERVICE}/api/search")
        if answers:
            tags = tags.replace("<searchsocket-dialog ", ANSWERS.format(answers=answers))
        component = safe(str(bundle_folder() / COMPONENT))
        yield f"\nThen copy {component} to the folder searchsocket of your site, and add to each page:\n\n{tags}"
        yield f"To serve search from your own domain:\n\n{template('proxy.txt')}"


def _undo(project: Project, *, is_confirmed: bool, as_json: bool) -> None:
    names = recorded_files(project)
    if names and not (is_confirmed or as_json):
        click.echo(f"init wrote {count(len(names), 'file')}:", err=True)
        for name in names:
            click.echo(f"  {safe(name)}", err=True)
        click.confirm("Restore or delete them?", abort=True, err=True)
    undone = undo(project)
    if as_json:
        print_json({"restored": undone.restored, "removed": undone.removed, "kept": undone.kept})
        return
    for words, names in (("restored", undone.restored), ("removed ", undone.removed), ("kept    ", undone.kept)):
        for name in names:
            say(f"{words} {safe(name)}{' (changed since)' if words.startswith('kept') else ''}")
    if undone == type(undone)((), (), ()):
        say("Nothing to undo: init wrote no files here.")


def _as_json(draft: Plan, *, is_written: bool) -> dict[str, object]:
    facts = draft.facts
    return {
        "applied": is_written,
        "site": {
            "framework": facts.framework,
            "version": facts.version,
            "adapter": facts.adapter,
            "hasServer": facts.has_server,
            "basePath": facts.base,
            "build": facts.build,
            "isBuilt": facts.is_built,
            "deployed": facts.deployed,
            "askedVite": bool(facts.tool),
            "versions": version_rows(facts.versions),
        },
        "changes": [
            {"file": change.path, "isNew": change.before is None, "diff": change.diff} for change in draft.changes
        ],
        "written": [change.path for change in draft.changes] if is_written else [],
        "byHand": [{"where": paste.where, "text": paste.text, "why": paste.why} for paste in draft.pastes],
        "notUnderstood": list(facts.unknown),
        "afterBuild": list(draft.steps),
        "notes": list(draft.notes),
    }
