"""Other machines that extract and cut pages, if an extension has them."""

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import Protocol

from searchsocket.errors import ConfigError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.pipeline.extraction.job import Extraction, ExtractionJob
from searchsocket.project.settings.model import RunSettings


class ClusterExecutor(Executor):
    """Runs batches on other machines."""

    @property
    def workers(self) -> int:
        """Number of batches that run at a time, at least 1."""
        raise NotImplementedError


class Cluster(Protocol):
    """Machines at the address of the settings."""

    @property
    def label(self) -> str:
        """The address without secrets.

        Raises:
            ConfigError: The address is not valid.
        """

    def connect(self) -> AbstractContextManager[ClusterExecutor]:
        """Connect for a block.

        Raises:
            ConfigMissing: The client is not installed.
            ConfigError: The address is not valid.
            ClusterUnavailable: Nobody answers, or a worker has another version of searchsocket.
        """

    def extract(self, jobs: Iterable[ExtractionJob]) -> Iterator[list[Extraction]]:
        """Extract batches, in order; raises as `connect`. The pages are read on this machine."""


def cluster_of(settings: RunSettings) -> Cluster | None:
    """The cluster of `run.dask_address`; None if that is not set.

    Raises:
        ConfigError: It is set, but no extension can use it.
    """
    if not settings.dask_address:
        return None
    place = next((each.cluster for each in extensions() if each.cluster), "")
    if not place:
        raise ConfigError("run.dask_address is set, but no extension for clusters is installed; unset it")
    cluster: Cluster = load(place)(settings)
    return cluster
