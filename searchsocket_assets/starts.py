"""Decide which sensors and schedules of a site run from the start; people can turn each on and off in the UI."""

from typing import Any

import dagster as dg

from searchsocket_assets.site import DagsterSite


def sensor_status(runs: bool) -> dg.DefaultSensorStatus:
    return dg.DefaultSensorStatus.RUNNING if runs else dg.DefaultSensorStatus.STOPPED


def schedule_start(site: DagsterSite, name: str, cron: str) -> dict[str, Any]:
    """Name, times and status of a schedule: it runs from the start where the site states its times."""
    stated = site.traits.schedules.get(name)
    status = dg.DefaultScheduleStatus.RUNNING if stated else dg.DefaultScheduleStatus.STOPPED
    return {"name": site.named(name), "cron_schedule": stated or cron, "default_status": status}
