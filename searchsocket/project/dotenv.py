"""Keys and addresses in the project's `.env` and `.env.local`; nothing else in these files is read."""

import os
import stat
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path

from pydantic import BaseModel

from searchsocket.models.embedders.openai_key import KEY_VARIABLE, key_variable
from searchsocket.project.settings.model import Settings

FILES = (".env.local", ".env")  # the first one counts
MAX_BYTES = 256_000  # of a file; a larger one is ignored


def with_named_variables(root: Path, settings: Settings, environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment, and from the files those variables that the settings name and the environment lacks."""
    names = {name for name in named_variables(settings) if not environ.get(name, "").strip()}
    found: dict[str, str] = {}
    for file in FILES:
        for name, value in _variables(root / file) if names else ():
            if name in names and value.strip():
                found.setdefault(name, value)
        names -= found.keys()
    return {**environ, **found} if found else environ


def named_variables(settings: Settings) -> set[str]:
    """Return the names of the variables in the settings that end with `_env`, and those of the embedding key."""
    return {*_named(settings), key_variable(settings.embeddings), KEY_VARIABLE} - {""}


def _named(section: BaseModel) -> Iterator[str]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _named(value)
        elif name.endswith("_env") and isinstance(value, str):
            yield value


def _variables(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the variables of a file; lines that are invalid are skipped, as is a file that cannot be read."""
    if text := _text(path):
        from dotenv.parser import parse_stream

        for binding in parse_stream(StringIO(text)):
            if binding.key is not None and binding.value is not None and not binding.error:
                yield binding.key, binding.value


def _text(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)  # a pipe would block
        data = os.read(descriptor, MAX_BYTES + 1) if is_file else b""
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return data.decode("utf-8", "replace").removeprefix("\ufeff") if len(data) <= MAX_BYTES else ""
