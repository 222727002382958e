"""`searchsocket.toml`, and the line that has git ignore the state folder."""

import json
import re
import tomllib
from collections.abc import Callable, Sequence

from searchsocket.setup.changes import Change
from searchsocket.setup.site import SiteFacts

NAME = "searchsocket.toml"
IGNORED = ".searchsocket/"


def ignored(read: Callable[[str], str | None]) -> Change:
    """The state folder in `.gitignore`; what is there stays as it is."""
    old = read(".gitignore")
    lines = {line.strip() for line in (old or "").splitlines()}
    if {IGNORED, f"/{IGNORED}", IGNORED.rstrip("/")} & lines:
        return Change(".gitignore", old, old or "")
    break_ = "" if not old or old.endswith("\n") else "\n"
    return Change(".gitignore", old, f"{old or ''}{break_}{IGNORED}\n")


def is_configured(read: Callable[[str], str | None]) -> bool:
    """Return True if the project has a configuration; two configuration files would be an error."""
    return read(NAME) is not None or "[tool.searchsocket" in (read("pyproject.toml") or "")


def configuration(facts: SiteFacts, origins: Sequence[str], project_id: str, default_branch: str) -> str:
    """A new `searchsocket.toml`, with what this site needs and what others often want.

    Args:
        origins: Where browsers find the site, if they ask the service themselves.
        project_id: The id of the project now, which it keeps under another name.
        default_branch: The repository's; "" outside git.
    """
    base = f'base_path = "{facts.base}" # URL path prefix of the site\n' if facts.base else ""
    if default_branch:
        scope = (
            'mode = "git" # one index per branch; "fixed": one index; "env": read the name from $SEARCHSOCKET_SCOPE\n'
        )
        public = f"scopes = {_toml([default_branch])} # branches that visitors search; an API key unlocks the others\n"
    else:
        scope = 'mode = "fixed" # "git": one index per branch; "env": read the name from $SEARCHSOCKET_SCOPE\n'
        scope, public = scope + 'fixed = "main"\n', ""
    if origins:
        hint = "" if facts.origin else "; add your site"
        cors = f"[api.cors]\nallow_origins = {_toml(origins)} # sites that may call the API{hint}\n"
        api = f"[api]\n{public}\n{cors}" if public else cors
    else:
        proxies = 'trusted_proxies = ["127.0.0.1"] # a proxy on this machine that may report visitor addresses\n'
        api = f"[api]\n{public}{'' if facts.has_server else '# '}{proxies}"
    address = f"base_url = {_toml(facts.origin)}" if facts.origin else '# base_url = "https://www.example.com"'
    return f"""\
# searchsocket: search for this site. Every setting is optional; searchsocket detects what you leave out.

[project]
id = {_toml(project_id)} # names this project's indexes; keep it when you rename the project
{address} # URL of the published site

[scope]
{scope}
[source]
{base}# static_output_dir = "build" # folder of the built site; default: detected
# exclude = ["/drafts/**"]

[embeddings]
# provider = "builtin" # works offline, needs no key; "onnx": a local model of your choice

[costs.budget]
# run_usd = 1.0 # stop a run that would cost more, before it starts

[llms]
# enable = true # write llms.txt and one Markdown file per page, for agents

[export]
# static = true # write the files of search without a server in each run

{api}"""


def _toml(value: str | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=False)


def missing_lines(text: str, facts: SiteFacts, origins: Sequence[str]) -> str:
    """The lines that an existing configuration lacks; "" if none."""
    try:
        api = tomllib.loads(text).get("api", {})
    except tomllib.TOMLDecodeError:
        return ""  # the next command says where it is broken
    if origins:
        names = re.sub(r"[_-]", "", json.dumps(api)).lower()
        return "" if "alloworigins" in names else f"[api.cors]\nallow_origins = {json.dumps(list(origins))}\n"
    is_set = {"trusted_proxies", "trustedProxies"} & set(api)
    return "" if is_set or not facts.has_server else '[api]\ntrusted_proxies = ["127.0.0.1"]\n'
