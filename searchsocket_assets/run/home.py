"""Create a Dagster home, which stores runs, events and partitions."""

from importlib import resources
from pathlib import Path

from searchsocket.errors import ConfigError
from searchsocket.project.project import HOME_VARIABLE
from searchsocket.system.errors import system_errors
from searchsocket.system.files import write_atomic


def refuse_odd_home(home: Path) -> None:
    """Refuse a path that only this package can open: Dagster's own processes put it into a URL without escapes.

    Raises:
        ConfigError: The path contains `?` or `%`.
    """
    if set("?%") & set(str(home)):
        raise ConfigError(
            f"Dagster's UI cannot store its databases in {home}, because of the '?' or '%'; set {HOME_VARIABLE} to "
            "another folder, or rename this one"
        )


def prepare_home(home: Path) -> None:
    """Create the home for its owner only, with settings for one machine; existing files are not changed.

    Raises:
        StateUnavailable: The folder cannot be written.
    """
    with system_errors("cannot create the Dagster home", home):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        # A concurrent first run writes hidden files at this moment.
        fresh = all(entry.name.startswith(".") for entry in home.iterdir())
    if fresh:
        write_atomic(
            home / "dagster.yaml", resources.files("searchsocket_assets").joinpath("dagster.yaml").read_bytes()
        )
