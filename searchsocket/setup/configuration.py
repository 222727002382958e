"""Write `searchsocket.toml`, and the line for the state folder in `.gitignore`."""

import json
import re
import tomllib
from collections.abc import Callable, Sequence

from searchsocket.setup.changes import Change
from searchsocket.setup.site import SiteFacts

NAME = "searchsocket.toml"
IGNORED = ".searchsocket/"


def gitignore_change(read: Callable[[str], str | None]) -> Change:
    """Return the change that adds the state folder to `.gitignore`."""
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
    """Return a new `searchsocket.toml`, with the settings for this site and common ones as comments.

    Args:
        origins: Origins of the site, if browsers call the service directly.
        project_id: Id of the project, which stays the same if the project is renamed.
        default_branch: Default branch of the repository; "" outside git.
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
    """Return the lines that an existing configuration lacks; "" if there are none."""
    try:
        api = tomllib.loads(text).get("api", {})
    except tomllib.TOMLDecodeError:
        return ""  # the next command reports the error
    if origins:
        names = re.sub(r"[_-]", "", json.dumps(api)).lower()
        return "" if "alloworigins" in names else f"[api.cors]\nallow_origins = {json.dumps(list(origins))}\n"
    is_set = {"trusted_proxies", "trustedProxies"} & set(api)
    return "" if is_set or not facts.has_server else '[api]\ntrusted_proxies = ["127.0.0.1"]\n'
