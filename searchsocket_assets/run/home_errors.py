"""What Dagster and its databases say about their home, as an error that names it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import yaml
from sqlalchemy.exc import SQLAlchemyError

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error, is_full
from searchsocket_assets.run.sqlite_storage import quote_paths


@contextmanager
def home_errors(home: Path) -> Iterator[None]:
    """Turn what Dagster and its databases say about their home into an error that names it.

    Raises:
        StateUnavailable: A file of the home is damaged, or the disk is full.
    """
    quote_paths()
    try:
        yield
    except (dg.DagsterError, SQLAlchemyError, yaml.YAMLError, OSError, ValueError) as error:
        if is_full(home, error):
            raise client_error("cannot write the Dagster home", home, error) from error
        why = str(error).strip().split("\n")[0]
        raise StateUnavailable(
            f"the Dagster home {home} cannot be used ({why}); free space, or rename the folder and run again: "
            "it holds the history of runs, the index does not need it"
        ) from error
