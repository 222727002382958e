"""Origin of each setting's value: its default, a line of a file, or a variable."""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from searchsocket.project.settings.load import all_keys, config_table, load_settings, overrides, snake_case

PROVIDER = "embeddings.provider"


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
    lines = _lines(path.read_text(encoding="utf-8"), table, keys_of_settings) if path else {}
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
