"""Scopes as partitions."""

import sqlite3
from collections.abc import Sequence

import dagster as dg
import pytest
from sqlalchemy.exc import IntegrityError

from searchsocket_assets.site import NAME, ensure_scope


class Racing(dg.DagsterInstance):
    """An instance on which another process adds the partition between look and insert."""

    def __init__(self, there_afterwards: bool) -> None:
        self.looks = iter([False, there_afterwards])

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        return next(self.looks)

    def add_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        raise IntegrityError("INSERT", {}, sqlite3.IntegrityError("UNIQUE constraint failed"))


def test_a_scope_becomes_a_partition_once() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        ensure_scope(instance, "main")
        ensure_scope(instance, "main")
        assert instance.get_dynamic_partitions(NAME) == ["main"]


def test_the_loser_of_a_race_goes_on() -> None:
    """Dagster selects, then inserts; measured: of six processes one died."""
    ensure_scope(Racing(there_afterwards=True), "main")


def test_an_error_that_is_no_race_is_raised() -> None:
    with pytest.raises(IntegrityError):
        ensure_scope(Racing(there_afterwards=False), "main")
