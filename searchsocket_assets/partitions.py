"""Scopes as dynamic partitions: a branch of the site is a partition of every asset."""

import dagster as dg

# The name is global to a Dagster instance, not to the code location, so it names the product.
NAME = "searchsocket_scope"
PARTITION_TAG = "dagster/partition"  # of a run: its scope
SCOPES = dg.DynamicPartitionsDefinition(name=NAME)


def ensure_scope(instance: dg.DagsterInstance, scope: str) -> None:
    """Make `scope` a partition, also when other processes are about to do the same."""
    from sqlalchemy.exc import IntegrityError  # comes with the instance; loading definitions goes without

    if instance.has_dynamic_partition(NAME, scope):
        return
    try:
        instance.add_dynamic_partitions(NAME, [scope])
    except IntegrityError:
        # Dagster selects, then inserts: the loser of that race fails on a partition that is there by then.
        if not instance.has_dynamic_partition(NAME, scope):
            raise
