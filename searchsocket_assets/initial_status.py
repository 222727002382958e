"""Decide which sensors and schedules of a site run from the start; people can switch each one in the UI."""

import dagster as dg

from searchsocket.system.json_text import JsonObject
from searchsocket_assets.site import DagsterSite


def sensor_status(runs: bool) -> dg.DefaultSensorStatus:
    return dg.DefaultSensorStatus.RUNNING if runs else dg.DefaultSensorStatus.STOPPED


def schedule_start(site: DagsterSite, name: str, cron: str) -> JsonObject:
    """Name, times and status of a schedule; it runs from the start if the site sets its times."""
    cron_time = site.traits.schedules.get(name)
    status = dg.DefaultScheduleStatus.RUNNING if cron_time else dg.DefaultScheduleStatus.STOPPED
    return {"name": site.named(name), "cron_schedule": cron_time or cron, "default_status": status}
