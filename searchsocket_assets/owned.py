"""Whose the jobs of a project are, and what whatever Dagster lists is about."""

from collections.abc import Sequence
from typing import Any

import dagster as dg


def about(subject: str) -> dict[str, str]:
    """The tag by which assets, jobs, sensors and schedules are filtered: `site`, `code`, `branches`, ..."""
    return {"searchsocket/about": subject}


def owned(job: Any, owners: Sequence[str], subject: str) -> Any:
    """A job with owners and a tag, which its runs have too.

    What launches it must be given this very object: Dagster takes two of one name for two jobs.
    """
    shared: dict[str, Any] = {
        "name": job.name,
        "description": job.description,
        "tags": about(subject),
        "owners": [*owners],
    }
    if isinstance(job, dg.JobDefinition):
        return job.graph.to_job(partitions_def=job.partitions_def, **shared)
    return dg.define_asset_job(selection=job.selection, **shared)
