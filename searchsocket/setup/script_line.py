"""Search in a site of another framework: files that it copies as they are, and a line that loads them."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from searchsocket.setup.changes import Change
from searchsocket.setup.client_files import component_files
from searchsocket.setup.draft import AT_CORNER, Ours, Paste, Plan, ReadText
from searchsocket.setup.frameworks import MARK, Framework
from searchsocket.setup.site import SiteFacts


def with_script(
    read: ReadText, facts: SiteFacts, framework: Framework, endpoint: str, made: Plan, ours: Ours
) -> Iterator[Change]:
    """Files that the framework copies as they are, and the line that loads them."""
    folder = str(PurePosixPath(facts.source or ".") / framework.static / "searchsocket").removeprefix("./")
    files = {**dict(component_files()), "search.js": _script(endpoint)}
    for name, text in files.items():
        yield made.own(f"{folder}/{name}", read(f"{folder}/{name}"), text, ours)
    src = f"{facts.base}/{MARK}"
    old = read(facts.config) or ""
    if MARK in old:
        return
    changed = framework.edit(old, src) if framework.edit else None
    if changed is None:
        why = f"{facts.config} could not be parsed" if framework.edit else "templates differ between sites"
        where = facts.config if framework.edit else framework.where
        made.pastes.append(Paste(where, framework.paste.format(src=src) + "\n", why))
    else:
        yield Change(facts.config, old, changed)


def _script(endpoint: str) -> str:
    return f"""\
// Search on every page: a button, Ctrl+K and /. Your own <searchsocket-dialog> replaces it.
// Written by `searchsocket init`.
import './components.js';

const endpoint = '{endpoint}'; // URL of `searchsocket serve` for visitors

if (!document.querySelector('searchsocket-dialog, searchsocket-box')) {{
  const dialog = document.createElement('searchsocket-dialog');
  dialog.setAttribute('endpoint', endpoint);
  dialog.style.cssText = '{AT_CORNER}';
  document.body.append(dialog);
}}
"""
