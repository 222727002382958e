"""The folder of a project's Dagster home, which stores runs, events and partitions."""

from collections.abc import Mapping
from pathlib import Path

from searchsocket.errors import ConfigError
from searchsocket.project.project import Project

HOME_VARIABLE = "DAGSTER_HOME"


def dagster_home(project: Project, environ: Mapping[str, str]) -> Path:
    """`DAGSTER_HOME` if it is set, otherwise `.searchsocket/dagster` of the project.

    Raises:
        ConfigError: `DAGSTER_HOME` is a relative path, which Dagster itself refuses.
    """
    text = environ.get(HOME_VARIABLE, "")
    if not text:
        return project.dagster_home
    home = Path(text).expanduser()
    if not home.is_absolute():
        raise ConfigError(f"{HOME_VARIABLE} is {text!r}; Dagster needs an absolute path")
    return home
