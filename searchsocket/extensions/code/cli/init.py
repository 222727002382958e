"""`searchsocket code init`: enable the source code index of a project."""

from pathlib import Path

import click

from searchsocket.cli.init import ignore_state
from searchsocket.cli.options import new_project_option, result_options
from searchsocket.cli.output import print_json, say
from searchsocket.errors import StateUnavailable
from searchsocket.project.settings.load import config_table, tables_of

CONFIG_NAME = "searchsocket.toml"
IGNORE_NAME = ".searchsocketignore"
IGNORE = """\
# Files to leave out of the index, in the syntax of .gitignore. Dependencies, build output, lock files, keys
# and passwords are always left out.
# /legacy/
# *.generated.ts
"""
_TABLE = "[{name}]\nenable = true # `searchsocket index` also indexes the source code\n"


@click.command()
@new_project_option
@result_options
def init(root: Path, as_json: bool) -> None:
    """Enable the source code index for this project.

    Sets code.enable in the configuration and writes a .searchsocketignore. Keeps existing files.

    \b
    Example:
      searchsocket code init --project my-site
    """
    written = {**_configure(root), IGNORE_NAME: _write(root / IGNORE_NAME, IGNORE), ".gitignore": ignore_state(root)}
    if as_json:
        print_json({"written": [name for name, is_new in written.items() if is_new]})
        return
    for name, is_new in written.items():
        say(f"{'wrote' if is_new else 'kept '} {name}{'' if is_new else ' (already enabled)'}")
    say('\nNext:\n  1. searchsocket code sync\n  2. searchsocket code search "a question"')


def _configure(root: Path) -> dict[str, bool]:
    """Add a table for the code to the project's configuration file; return its name, and True if it changed."""

    path, keys = config_table(root)
    if path is None:
        return {CONFIG_NAME: _write(root / CONFIG_NAME, _TABLE.format(name="code"))}
    if "code" in tables_of(path, keys):
        return {path.name: False}
    try:
        with open(path, "a+", encoding="utf-8", newline="") as file:
            file.seek(0)
            text = file.read()
            file.write(
                ("" if not text or text.endswith("\n") else "\n") + "\n" + _TABLE.format(name=".".join([*keys, "code"]))
            )
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror}") from error
    return {path.name: True}


def _write(path: Path, text: str) -> bool:

    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror}") from error
    return True
