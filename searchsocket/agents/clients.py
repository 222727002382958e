"""Configuration files of MCP clients that start the server themselves: their paths, and the server's entry."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Literal, get_args

from searchsocket.errors import ConfigError
from searchsocket.system.json_text import JsonObject

ClientName = Literal[
    "claude-code", "claude-desktop", "cursor", "vscode", "windsurf", "gemini", "zed", "codex", "jetbrains"
]
CLIENTS: tuple[ClientName, ...] = get_args(ClientName)
OF_THE_USER: frozenset[ClientName] = frozenset({"claude-desktop", "codex", "windsurf"})  # the others use project files
_PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "gemini": ".gemini/settings.json",
    "jetbrains": ".junie/mcp/mcp.json",
}
NAME = "searchsocket"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Machine:
    """Folders of a user's configuration."""

    home: Path
    platform: str  # as `sys.platform`
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Target:
    """The file of one client."""

    path: Path
    section: str  # table of servers
    name: str  # of the server in the table
    entry: JsonObject

    @property
    def snippet(self) -> str:
        """Text to add by hand."""
        if self.path.suffix == ".toml":
            return _toml(self.section, self.name, self.entry)
        return json.dumps({self.section: {self.name: self.entry}}, indent=2, ensure_ascii=False) + "\n"

    def for_the_list(self) -> "Target":
        """Return the same client with a server for the current project and those of the user's list."""
        arguments = list(takewhile(lambda argument: argument != "--project", self.entry["args"]))
        return replace(self, name=NAME, entry={**self.entry, "args": arguments})

    def current(self) -> JsonObject | None:
        """Return the current entry of the file; None if it has none.

        Raises:
            ConfigError: The file cannot be parsed.
        """
        try:
            text = self.path.read_text(encoding="utf-8-sig")
            data: object = tomllib.loads(text) if self.path.suffix == ".toml" else json.loads(text or "{}")
        except OSError:
            return None
        except ValueError as error:
            raise self._unreadable(f"cannot be read: {error}") from error
        servers = data.get(self.section) if isinstance(data, dict) else None
        entry = servers.get(self.name) if isinstance(servers, dict) else None
        return entry if isinstance(entry, dict) else None

    def merged(self, before: str) -> str:
        """Return the text of the file with the server added and all else unchanged.

        Raises:
            ConfigError: The file cannot be parsed, so it is not changed.
        """
        return self._merged_toml(before) if self.path.suffix == ".toml" else self._merged_json(before)

    def _merged_json(self, before: str) -> str:
        try:
            data = json.loads(before) if before.strip() else {}
        except ValueError as error:
            raise self._unreadable(f"is not plain JSON (it may have comments): {error}") from error
        if not isinstance(data, dict) or not isinstance(data.setdefault(self.section, {}), dict):
            raise self._unreadable(f"has an unexpected value for {self.section!r}")
        if data[self.section].get(self.name) == self.entry:
            return before
        data[self.section][self.name] = self.entry
        return json.dumps(data, indent=_indent(before), ensure_ascii=False) + "\n"

    def _merged_toml(self, before: str) -> str:
        try:
            data = tomllib.loads(before)
        except tomllib.TOMLDecodeError as error:
            raise self._unreadable(f"is not valid TOML: {error}") from error
        entries = data.get(self.section, {})
        if isinstance(entries, dict) and entries.get(self.name) == self.entry:
            return before
        block = re.compile(
            rf"^\[{re.escape(f'{self.section}.{self.name}')}\][^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE
        )
        other_text = block.sub("", before).rstrip("\n")
        after = f"{other_text}\n\n{self.snippet}".lstrip("\n")
        merged = {**data, self.section: {**entries, self.name: self.entry}} if isinstance(entries, dict) else None
        try:
            if tomllib.loads(after) == merged:
                return after
        except tomllib.TOMLDecodeError:
            pass
        raise self._unreadable(f"names {self.name!r} in a form that searchsocket cannot edit safely")

    def _unreadable(self, why: str) -> ConfigError:
        return ConfigError(f"{self.path} {why}; the file was not changed. Add this by hand:\n{self.snippet}")


def target_of(
    client: ClientName,
    root: Path,
    project_id: str,
    command: Sequence[str],
    machine: Machine,
    own: Sequence[str] | None = None,
) -> Target:
    """Return the configuration file of a client, and the entry that it needs.

    Clients with project files get one in the project. It can be shared, so it contains no path of this machine.
    Other clients get an entry in a file of the user, with the path of the project.

    Args:
        own: The command in a file of the user; None: `command`.
    """
    if client in OF_THE_USER:
        command = own or command
    program, *arguments = command
    in_project = {"command": program, "args": [*arguments, "mcp"]}
    of_user = {"command": program, "args": [*arguments, "mcp", "--project", str(root)]}
    name = f"{NAME}-{_UNSAFE.sub('-', project_id).strip('-') or 'site'}"
    match client:
        case "claude-code" | "cursor" | "gemini" | "jetbrains":
            return Target(root / _PROJECT_FILES[client], "mcpServers", NAME, in_project)
        case "vscode":
            folder = ["--project", "${workspaceFolder}"]
            entry = {"type": "stdio", "command": program, "args": [*arguments, "mcp", *folder]}
            return Target(root / ".vscode" / "mcp.json", "servers", NAME, entry)
        case "zed":
            return Target(root / ".zed" / "settings.json", "context_servers", NAME, {**in_project, "env": {}})
        case "windsurf":
            path = machine.home / ".codeium" / "windsurf" / "mcp_config.json"
            return Target(path, "mcpServers", name, of_user)
        case "codex":
            return Target(_codex_home(machine) / "config.toml", "mcp_servers", name, of_user)
        case "claude-desktop":
            return Target(_claude_folder(machine) / "claude_desktop_config.json", "mcpServers", name, of_user)


def _codex_home(machine: Machine) -> Path:
    return Path(machine.environ.get("CODEX_HOME") or machine.home / ".codex")


def _claude_folder(machine: Machine) -> Path:
    if machine.platform == "darwin":
        return machine.home / "Library" / "Application Support" / "Claude"
    if machine.platform == "win32":
        return Path(machine.environ.get("APPDATA") or machine.home / "AppData" / "Roaming") / "Claude"
    return Path(machine.environ.get("XDG_CONFIG_HOME") or machine.home / ".config") / "Claude"


def _indent(text: str) -> int | str:
    """Return the indentation of a file, so that a merge changes nothing else."""
    match = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return ("\t" if match[1].startswith("\t") else len(match[1])) if match else 2


def _toml(section: str, name: str, entry: Mapping[str, object]) -> str:
    # Strings and lists in JSON are valid TOML.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{section}.{name}]", *lines]) + "\n"
