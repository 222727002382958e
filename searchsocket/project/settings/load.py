"""Load the configuration, and find the origin of each value; errors name file, key, value and the closest valid key."""

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from searchsocket.errors import ConfigError
from searchsocket.extensions import installed
from searchsocket.project.settings.model import Settings, SourceSettings, VectorSettings, with_sections
from searchsocket.project.settings.section import SettingsSection
from searchsocket.project.settings.source_kinds import source_modes
from searchsocket.system.json_text import JsonObject
from searchsocket.text.mistakes import explain_mistake

FILE_NAME = "searchsocket.toml"
ENV_PREFIX = "SEARCHSOCKET__"  # SEARCHSOCKET__CHUNKING__MAX_CHARS=1500
_SHORTHANDS = {"EMBEDDINGS_PROVIDER": ("embeddings", "provider")}

_OWN_NAMES = frozenset({"facets"})  # tables whose keys the site chooses

# Removed keys and their replacements.
_REPLACED = {
    "api.trust_loopback": "use `searchsocket serve --dev` to trust the programs of this machine",
    "embeddings.max_cost_usd": "use `costs.budget.run_usd`",
}

PROVIDER = "embeddings.provider"


def load_settings(root: Path, environ: Mapping[str, str]) -> Settings:
    """Read `searchsocket.toml`, else `[tool.searchsocket]` of pyproject.toml, then overrides from the environment.

    Raises:
        ConfigError: A file cannot be parsed, both files configure the project, or a key or value is wrong.
    """
    origin, data = _read(root)
    data = _snake_keys(data, origin)
    is_chosen_outside = False
    changes = list(overrides(environ))
    kind = _settings_with(data, [path for _, path, _ in changes])
    for name, path, value in changes:
        _refuse_unknown(kind, path, name, value)
        _set_value(data, path, value, name)
        is_chosen_outside |= path == _SHORTHANDS["EMBEDDINGS_PROVIDER"]
    return _validate(kind, data, origin, is_chosen_outside=is_chosen_outside)


@lru_cache(maxsize=4)
def settings_from_json(text: str) -> Settings:
    """Read what `model_dump_json` of settings wrote, in another process of the run."""
    return _settings_with(json.loads(text), ()).model_validate_json(text)


def tables_of(path: Path, keys: tuple[str, ...]) -> frozenset[str]:
    """The names of the tables and keys in a configuration file, see `config_table`.

    Raises:
        ConfigError: The file cannot be read.
    """
    data: Any = _parse(path)
    for key in keys:
        data = data[key]
    return frozenset(data)


def _read(root: Path) -> tuple[str, JsonObject]:
    path, keys = config_table(root)
    if path is None:
        return "the defaults", {}
    data = _parse(path)
    for key in keys:
        data = data[key]
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: {'.'.join(keys)} must be a table")
    return f"{path} [{'.'.join(keys)}]" if keys else str(path), data


def config_table(root: Path) -> tuple[Path | None, tuple[str, ...]]:
    """The configuration file of a project, or None, and the keys of its table in that file.

    Raises:
        ConfigError: There are two files, or one cannot be read.
    """
    own, shared = root / FILE_NAME, root / "pyproject.toml"
    tools = _parse(shared).get("tool") if shared.is_file() else None
    is_shared = isinstance(tools, dict) and "searchsocket" in tools
    if own.is_file():
        if is_shared:
            raise ConfigError(f"both {own} and [tool.searchsocket] in {shared} configure this project; keep one")
        return own, ()
    return (shared, ("tool", "searchsocket")) if is_shared else (None, ())


def _parse(path: Path) -> JsonObject:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows' editors begin it with a mark
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not encoded in UTF-8 (UTF-16?); save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def snake_case(key: str) -> str:
    """Convert `maxChars` to `max_chars`; settings accept both."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()


def _snake_keys(value: Any, origin: str) -> Any:
    if not isinstance(value, dict):
        return value
    renamed: JsonObject = {}
    for key, inner in value.items():
        snake = snake_case(key)
        if snake in renamed:
            raise ConfigError(f"{origin}: {snake} is set twice, in snake_case and in camelCase; keep one")
        renamed[snake] = inner if snake in _OWN_NAMES else _snake_keys(inner, origin)
    return renamed


def overrides(environ: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, ...], object]]:
    """Yield (variable, keys, value) of each variable that sets a key; if several set one, the last counts."""
    for name in sorted(environ):
        if name in _SHORTHANDS:
            yield name, _SHORTHANDS[name], environ[name]
        elif name.startswith(ENV_PREFIX):
            yield name, tuple(name.removeprefix(ENV_PREFIX).lower().split("__")), _value(environ[name])


def _value(text: str) -> object:
    """Parse an environment value as TOML (numbers, booleans, lists); otherwise return the text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _set_value(data: JsonObject, path: tuple[str, ...], value: object, name: str) -> None:
    for key in path[:-1]:
        inner = data.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"environment variable {name} sets a key in {key}, which is not a table")
        data = inner
    data[path[-1]] = value


def _settings_with(data: JsonObject, paths: Sequence[tuple[str, ...]]) -> type[Settings]:
    """The settings, with the sections of other distributions' extensions if the keys may need one of these."""
    sections = {*data, *(path[0] for path in paths)}

    def names_below(name: str) -> set[str]:
        section = data.get(name)
        return {
            *(section if isinstance(section, dict) else ()),
            *(path[1] for path in paths if path[0] == name and path[1:]),
        }

    is_ours = (
        Settings.model_fields.keys() >= sections
        and VectorSettings.model_fields.keys() >= names_below("vector")
        and SourceSettings.model_fields.keys() >= names_below("source")
        and _mode(data) in (None, *source_modes())
    )
    return Settings if is_ours else _all_settings()


def _mode(data: JsonObject) -> object:
    source = data.get("source")
    return source.get("mode") if isinstance(source, dict) else None


@cache
def _all_settings() -> type[Settings]:
    return with_sections(Settings, installed()) if installed() else Settings


def _refuse_unknown(kind: type[Settings], path: tuple[str, ...], name: str, value: object) -> None:
    if ".".join(path) not in set(all_keys(kind)):
        raise ConfigError(_unknown_key(kind, f"environment variable {name}", path, value))


def _validate(kind: type[Settings], data: JsonObject, origin: str, *, is_chosen_outside: bool) -> Settings:
    """
    Args:
        is_chosen_outside: The environment sets the provider of embeddings, so the file may have settings for another.
    """
    try:
        # JSON, so that strict types accept a list for a tuple.
        settings = kind.model_validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        raise ConfigError("; ".join(_complaint(kind, origin, detail) for detail in error.errors()[:5])) from error
    if not is_chosen_outside and (names := settings.embeddings.without_effect()):
        keys = ", ".join(f"embeddings.{name}" for name in names)
        raise ConfigError(
            f"{origin}: {keys} has no effect with embeddings.provider = {_short(settings.embeddings.provider)}; remove "
            "it, or set the provider that it is for"
        )
    return settings


def _complaint(kind: type[Settings], origin: str, detail: ErrorDetails) -> str:
    path = tuple(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return _unknown_key(kind, origin, path, detail["input"])
    return f"{origin}: {'.'.join(path) or 'the file'} = {_short(detail['input'])} is invalid: {explain_mistake(detail)}"


def _unknown_key(kind: type[Settings], origin: str, path: tuple[str, ...], value: object) -> str:
    key = ".".join(path)
    if key in _REPLACED:
        return f"{origin}: unknown key {key} = {_short(value)}; {_REPLACED[key]}"
    nearest = difflib.get_close_matches(key, list(all_keys(kind)), n=1, cutoff=0.0)
    return f"{origin}: unknown key {key} = {_short(value)}; did you mean {nearest[0]}?"


def _short(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def all_keys(model: type[BaseModel] = Settings, prefix: str = "") -> Iterator[str]:
    """Every valid key, dotted, in the order of the reference."""
    for name, field in model.model_fields.items():
        section = next((kind for kind in (field.annotation, *get_args(field.annotation)) if _is_section(kind)), None)
        if section is None:
            yield f"{prefix}{name}"
        else:
            yield from all_keys(section, f"{prefix}{name}.")


def _is_section(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, SettingsSection)


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """Effective value of one key, with its origin."""

    key: str  # dotted
    value: object  # as JSON; None = not set
    source: Literal["default", "file", "environment"]
    origin: str = ""  # `searchsocket.toml:12`, or the variable's name; "" for a default


def effective_settings(root: Path, environ: Mapping[str, str]) -> list[EffectiveSetting]:
    """Every setting, in the order of the reference.

    Raises:
        ConfigError: As `load_settings`.
    """
    loaded = load_settings(root, environ)
    settings, keys_of_settings = loaded.model_dump(mode="json"), list(all_keys(type(loaded)))
    path, table = config_table(root)
    lines = _lines(path.read_text(encoding="utf-8-sig"), table, keys_of_settings) if path else {}
    variables = {".".join(keys): name for name, keys, _ in overrides(environ)}
    is_implied = settings["embeddings"]["provider"] == "openai" and PROVIDER not in {*lines, *variables}
    for key in ("embeddings.base_url", "embeddings.api_key_env") if is_implied else ():
        if key in lines:
            lines[PROVIDER] = lines[key]
        if key in variables:
            variables[PROVIDER] = variables[key]
    effective = []
    for key in keys_of_settings:
        value: Any = settings
        for part in key.split("."):
            value = value[part]
        if key in variables:
            effective.append(EffectiveSetting(key, value, "environment", variables[key]))
        elif path and key in lines:
            effective.append(EffectiveSetting(key, value, "file", f"{path.name}:{lines[key]}"))
        else:
            effective.append(EffectiveSetting(key, value, "default"))
    return effective


def _lines(text: str, table: tuple[str, ...], valid_keys: Collection[str]) -> dict[str, int]:
    """The first line that sets something of each valid key below `table` in a TOML text."""
    lines: dict[str, int] = {}
    for number, keys in statements(text):
        if keys[: len(table)] == table:
            path = [snake_case(key) for key in keys[len(table) :]]
            for end in range(len(path), 0, -1):  # a key may be set in parts, like [facets]
                if (key := ".".join(path[:end])) in valid_keys:
                    lines.setdefault(key, number)
    return lines


def statements(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield (line, keys) of each value and each `[[table]]` of a valid TOML text.

    The parser reports no lines, so it gets the statements one by one.
    """
    header: tuple[str, ...] = ()
    pending, first = "", 1
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        first = first if pending else number
        pending += line
        try:
            data = tomllib.loads(pending)
        except tomllib.TOMLDecodeError:  # the value continues on the next line
            continue
        if pending.lstrip().startswith("["):
            header = next(_leaves(data))
            if pending.lstrip().startswith("[["):
                yield first, header
        else:
            yield from ((first, (*header, *keys)) for keys in _leaves(data))
        pending = ""


def _leaves(data: dict[str, object]) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        if isinstance(value, dict) and value:
            yield from ((key, *inner) for inner in _leaves(value))
        else:
            yield (key,)
