"""Scopes as dynamic partitions: a branch of the site is a partition of every asset."""

import dagster as dg

# Names of partitions are global to a Dagster instance, not to a code location. This one is of a project that has a
# Dagster home to itself.
NAME = "searchsocket_scope"
PARTITION_TAG = "dagster/partition"  # of a run: its scope


def ensure_scope(instance: dg.DagsterInstance, scope: str, partitions: str = NAME) -> None:
    """Make `scope` a partition, also when other processes do the same."""
    from sqlalchemy.exc import IntegrityError  # comes with the instance; loading definitions goes without

    if instance.has_dynamic_partition(partitions, scope):
        return
    try:
        instance.add_dynamic_partitions(partitions, [scope])
    except IntegrityError:
        # Dagster selects, then inserts: the loser of that race fails on a partition that is there by then.
        if not instance.has_dynamic_partition(partitions, scope):
            raise
