"""Metrics of runs as a file for the textfile collector of Prometheus's node exporter."""

from searchsocket.extensions.base import Extension

EXTENSION = Extension(
    name="metrics",
    settings=f"{__name__}.settings:MetricsSettings",
    files=("metrics.json",),
    run_listener=f"{__name__}.textfile:note",
)
