"""The Dagster home of a project: where its runs, events and partitions are remembered."""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from searchsocket.errors import ConfigError
from searchsocket.project.project import Project
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic

HOME_VARIABLE = "DAGSTER_HOME"


def dagster_home(project: Project, environ: Mapping[str, str]) -> Path:
    """`DAGSTER_HOME` where it is set, else `.searchsocket/dagster` of the project.

    Raises:
        ConfigError: `DAGSTER_HOME` is a relative path, which Dagster itself refuses.
    """
    stated = environ.get(HOME_VARIABLE, "")
    if not stated:
        return project.dagster_home
    home = Path(stated).expanduser()
    if not home.is_absolute():
        raise ConfigError(f"{HOME_VARIABLE} is {stated!r}; Dagster needs an absolute path")
    return home


def refuse_odd_home(home: Path) -> None:
    """Refuse what only this package can open: Dagster's own processes put the path into a URL as it is.

    Raises:
        ConfigError: The path holds `?` or `%`.
    """
    if set("?%") & set(str(home)):
        raise ConfigError(
            f"Dagster's UI cannot store its databases in {home}, because of the '?' or '%'; set {HOME_VARIABLE} to "
            "another folder, or rename this one"
        )


def prepare_home(home: Path) -> None:
    """Create the home for its owner alone, with settings that fit one machine; what is there already is left as it is.

    Raises:
        StateUnavailable: The folder cannot be written.
    """
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Hidden is what another first run writes at this moment.
        fresh = all(entry.name.startswith(".") for entry in home.iterdir())
    except OSError as error:
        raise system_error("cannot create the Dagster home", home, error) from error
    if fresh:
        write_atomic(
            home / "dagster.yaml", resources.files("searchsocket_assets").joinpath("dagster.yaml").read_bytes()
        )
