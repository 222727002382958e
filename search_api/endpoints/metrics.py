"""`GET /metrics`: numbers of the service in Prometheus' format, for trusted callers."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from fastapi import FastAPI, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import caller_of
from search_api.gate.observer import Answered
from search_api.run.workers import METRICS_DIR
from searchsocket.errors import Unauthorized
from searchsocket.serving.service import SearchService

PATH = "/metrics"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Metrics:
    """Counts what is answered: of this process, or of all that share a folder for it (`METRICS_DIR`)."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self._requests = Counter(
            "searchsocket_requests", "Requests by endpoint and status.", ("endpoint", "status"), registry=registry
        )
        self._seconds = Histogram(
            "searchsocket_request_seconds",
            "Time to an answer.",
            ("endpoint",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._empty = Counter("searchsocket_searches_without_results", "Searches without a result.", registry=registry)

    def note(self, answered: Answered) -> None:
        """Count one request."""
        self._requests.labels(answered.endpoint, str(answered.status)).inc()
        self._seconds.labels(answered.endpoint).observe(answered.seconds)
        if answered.hits == 0:
            self._empty.inc()

    def text(self, service: SearchService) -> bytes:
        """All numbers, and how the indexes are now."""
        registry = CollectorRegistry()
        if folder := os.environ.get(METRICS_DIR):
            MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        else:
            registry.register(self._registry)
        registry.register(_Indexes(service))
        return generate_latest(registry)


@dataclass(frozen=True, slots=True)
class _Indexes(Collector):
    """State of the live generations at the moment of the request."""

    service: SearchService

    def collect(self) -> Iterable[GaugeMetricFamily]:
        records = GaugeMetricFamily("searchsocket_index_records", "Records of the live generation.", labels=("scope",))
        age = GaugeMetricFamily(
            "searchsocket_index_age_seconds", "Since the live generation was published.", labels=("scope",)
        )
        for health in self.service.health(trusted=True).scopes:
            if health.records is not None and health.age_seconds is not None:
                records.add_metric((health.scope,), health.records)
                age.add_metric((health.scope,), health.age_seconds)
        return records, age


def add_metrics(app: FastAPI, metrics: Metrics, service: SearchService) -> None:
    """Serve the numbers to whoever may see every scope."""

    @app.get(PATH, include_in_schema=False)
    async def get_metrics(request: Request) -> Response:
        if not caller_of(request).trusted:
            raise Unauthorized("metrics need the key")
        text = await run_in_threadpool(metrics.text, service)
        return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})
