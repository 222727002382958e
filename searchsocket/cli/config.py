"""`searchsocket config`: every effective setting and where it is set."""

import json
import os
import re
from pathlib import Path

import click

from searchsocket.cli.options import json_option, project_option
from searchsocket.cli.output import print_json, safe
from searchsocket.models.embedders.openai_key import key_variable
from searchsocket.project.dotenv import with_named_variables
from searchsocket.project.settings.load import effective_settings, load_settings

_LOGIN = re.compile(r"(?<=://)[^/@\s]*@")
_QUERY = re.compile(r"(?<=\?)\S+")  # signed URLs contain a secret there


@click.group()
def config() -> None:
    """Show the settings.

    \b
    Example:
      searchsocket config show
    """


@config.command()
@project_option
@json_option
def show(root: Path, as_json: bool) -> None:
    """Show every effective setting and where it is set.

    The output is a valid configuration file. It contains no secrets, only whether each secret variable is set.

    \b
    Example:
      searchsocket config show
      searchsocket config show | grep -v "# default"
    """

    effective = effective_settings(root, os.environ)
    settings = load_settings(root, os.environ)
    variables = {
        key: name
        for key, name in (
            ("embeddings.api_key_env", key_variable(settings.embeddings)),
            ("api.key_env", settings.api.key_env),
        )
        if name
    }
    environ = with_named_variables(root, settings, os.environ)
    are_set = {name: bool(environ.get(name, "").strip()) for name in variables.values()}
    if as_json:
        listed = [{"key": s.key, "value": _public(s.value), "source": s.source, "origin": s.origin} for s in effective]
        print_json({"settings": listed, "secrets": are_set})
        return
    for setting in effective:
        value = _public(setting.value)
        line = f"{setting.key} = {_toml(value)}" if value is not None else f"# {setting.key} is not set"
        origin = {"environment": f"${setting.origin}", "default": "default"}.get(setting.source, setting.origin)
        if (name := variables.get(setting.key)) is not None:
            origin += f"; ${name} is {'set' if are_set[name] else 'not set'}"
        click.echo(
            click.style(safe(line), bold=setting.source != "default") + click.style(f"  # {safe(origin)}", dim=True)
        )


def _public(value: object) -> object:
    """Remove logins and queries from the URLs in a value."""
    if isinstance(value, list):
        return [_public(each) for each in value]
    if not isinstance(value, str) or "://" not in value:
        return value
    return _QUERY.sub("***", _LOGIN.sub("***@", value))


def _toml(value: object) -> str:
    """Format a setting's value as TOML, which equals JSON except for tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
