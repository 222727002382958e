"""Scopes as dynamic partitions: each branch of the site is a partition of every asset."""

import dagster as dg

# Partition names are global in a Dagster instance, not per code location. This one is for a project with a Dagster
# home of its own.
NAME = "searchsocket_scope"
PARTITION_TAG = "dagster/partition"  # of a run: its scope


def ensure_scope(instance: dg.DagsterInstance, scope: str, partitions: str = NAME) -> None:
    """Add `scope` as a partition, even if other processes do the same."""
    from sqlalchemy.exc import IntegrityError  # loaded with an instance, but not with definitions

    if instance.has_dynamic_partition(partitions, scope):
        return
    try:
        instance.add_dynamic_partitions(partitions, [scope])
    except IntegrityError:
        # Dagster selects, then inserts: in a race, the second insert fails on an existing partition.
        if not instance.has_dynamic_partition(partitions, scope):
            raise
