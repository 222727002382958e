"""The terms of a glossary."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from searchsocket.errors import ConfigError, InvalidRequest
from searchsocket.project.project import Project
from searchsocket.search.wire import Wire
from searchsocket_glossary.settings import GlossarySettings


@dataclass(frozen=True, slots=True)
class Definition(Wire):
    """A term and its definition."""

    term: str
    definition: str


def read_glossary(project: Project) -> Mapping[str, str]:
    """Return the definition of each term.

    Raises:
        ConfigError: The file is missing, or is not TOML.
    """
    path = Path(project.root, project.settings.section(GlossarySettings).file)
    try:
        terms = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; it maps terms to definitions") from error
    return {term: str(definition) for term, definition in terms.items()}


def define(project: Project, term: str) -> Definition:
    """Return the definition of a term, in any case.

    Raises:
        InvalidRequest: The glossary has no such term.
    """
    by_name = {name.casefold(): Definition(name, text) for name, text in read_glossary(project).items()}
    if term.casefold() not in by_name:
        raise InvalidRequest(f"the glossary has no term {term!r}; it has {', '.join(sorted(by_name)) or 'none'}")
    return by_name[term.casefold()]
