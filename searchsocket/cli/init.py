"""`searchsocket init`: a commented configuration and the next steps (spec 17)."""

from pathlib import Path

import click

from searchsocket.cli.options import json_option, project_option, quiet_option
from searchsocket.cli.output import print_json, say

CONFIG_NAME = "searchsocket.toml"
CONFIG = """\
# searchsocket: search for this site. Everything here is optional; what is left out is inferred.

[scope]
mode = "fixed" # "git": one index a branch; "env": the name is in $SEARCHSOCKET_SCOPE
fixed = "main"

[source]
# static_output_dir = "build" # where the built site lies; default: the first usual build folder
# exclude = ["/drafts/**"]

[embeddings]
# provider = "builtin" # offline, no key, no download; "onnx": a model of your choice

[costs.budget]
# run_usd = 1.0 # stop before a run that would cost more

[api]
# trusted_proxies = ["127.0.0.1"] # a web server or a SvelteKit hook here that says who its visitors are
"""
IGNORED = b".searchsocket/"
HOOK = """\
// src/hooks.server.ts: /api/search of your site, answered by `searchsocket serve`
// Set api.trusted_proxies = ["127.0.0.1"] in searchsocket.toml: then each visitor counts, not this server for all.
import type { Handle } from '@sveltejs/kit';

const SEARCH = 'http://127.0.0.1:8181';

export const handle: Handle = async ({ event, resolve }) => {
  if (event.url.pathname !== '/api/search') return resolve(event);
  return fetch(new URL(event.url.pathname + event.url.search, SEARCH), {
    method: event.request.method,
    headers: {
      'accept-encoding': 'identity', // fetch would unpack the answer, and its headers would say packed
      'content-type': event.request.headers.get('content-type') ?? 'application/json',
      'x-forwarded-for': event.getClientAddress() // instead of what the visitor may have sent
    },
    body: event.request.method === 'POST' ? await event.request.text() : undefined
  });
};
"""
PROXY = """\
# nginx: /api/search of your site, answered by `searchsocket serve`
location /api/search {
    proxy_pass http://127.0.0.1:8181;
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
}

# or Caddy, which sends the same headers by itself
reverse_proxy /api/search 127.0.0.1:8181

# and in searchsocket.toml: the name that visitors ask for, and whose word about their addresses counts
[api]
allowed_hosts = ["www.example.com"]
trusted_proxies = ["127.0.0.1"]
"""


@click.command()
@project_option
@quiet_option
@json_option
def init(root: Path, as_json: bool) -> None:
    """Write searchsocket.toml, and ignore the state folder in git.

    Nothing that exists is overwritten.

    \b
    Example:
      searchsocket init --project my-site
    """
    done = {CONFIG_NAME: _write_config(root), ".gitignore": ignore_state(root)}
    if as_json:
        print_json({"written": [name for name, written in done.items() if written]})
        return
    for name, written in done.items():
        say(f"{'wrote' if written else 'kept '} {name}{'' if written else ' (it was there already)'}")
    from searchsocket.sources.find import uses

    say("\nNext:\n  1. build your site, e.g. `npm run build`\n  2. searchsocket index\n"
               '  3. searchsocket search "a question"\n  4. searchsocket serve\n'
               "\nTo answer /api/search of your site itself:\n")  # fmt: skip
    say(HOOK if uses(root, "SvelteKit") else PROXY)


def _write_config(root: Path) -> bool:
    from searchsocket.errors import StateUnavailable

    shared = root / "pyproject.toml"
    if shared.is_file() and b"[tool.searchsocket" in shared.read_bytes():
        return False  # two files that configure one project would be an error
    try:
        with open(root / CONFIG_NAME, "x", encoding="utf-8") as file:
            file.write(CONFIG)
    except FileExistsError:
        return False
    except OSError as error:
        raise StateUnavailable(f"cannot write {root / CONFIG_NAME}: {error.strerror}") from error
    return True


def ignore_state(root: Path) -> bool:
    from searchsocket.errors import StateUnavailable

    path = root / ".gitignore"
    try:
        old = path.read_bytes() if path.exists() else b""
        if {b"/" + IGNORED, IGNORED, IGNORED.rstrip(b"/")} & {line.strip() for line in old.splitlines()}:
            return False
        with open(path, "ab") as file:  # appended, so that what is there stays as it is
            file.write((b"" if not old or old.endswith(b"\n") else b"\n") + IGNORED + b"\n")
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror}") from error
    return True
