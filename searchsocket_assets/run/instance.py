"""Opening a Dagster home: its databases are made by whoever opens it first.

Two that do so at once leave databases that say twice which version they are of, and that Dagster never opens again.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import yaml
from dagster._core.instance.ref import InstanceRef
from filelock import FileLock, Timeout

_LOCK = ".opening.lock"
_PATIENCE_S = 60.0
_STORAGES = {"storage", "run_storage", "event_log_storage", "schedule_storage"}


def open_instance(home: Path, overrides: Mapping[str, Any] | None = None) -> dg.DagsterInstance:
    """The instance of a home, to be closed by the caller.

    Args:
        overrides: Of what its `dagster.yaml` says.
    """
    with _alone(home):
        return dg.DagsterInstance.from_ref(
            InstanceRef.from_dir(str(home), overrides={**_storage(home), **(overrides or {})})
        )


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    lock = FileLock(home / _LOCK)
    try:
        lock.acquire(timeout=_PATIENCE_S)
    except (Timeout, OSError):  # somebody hangs, or a home that can only be read: its databases are there
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _storage(home: Path) -> dict[str, Any]:
    """Storage that keeps its connections, unless the settings of the home name another.

    Not written into the settings: there the folder would have to be a path, and a home that is moved would lose it.
    """
    try:
        settings = yaml.safe_load((home / "dagster.yaml").read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError):  # Dagster says what it thinks of them
        return {}
    if not isinstance(settings, dict) or not _STORAGES.isdisjoint(settings):
        return {}
    kept = {"module": "searchsocket_assets.run.kept_storage", "class": "KeptSqliteStorage"}
    return {"storage": {"custom": {**kept, "config": {"base_dir": str(home)}}}}
