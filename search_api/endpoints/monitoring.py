"""`GET /api/health`, the probes `/api/live` and `/api/ready`, and `/metrics` for Prometheus."""

import contextlib
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from fastapi import FastAPI, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import start_wsgi_server
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import caller_of, json_response
from search_api.gate.stack import AnsweredRequest
from search_api.run.workers import METRICS_DIR
from searchsocket import __version__
from searchsocket.commit import COMMIT
from searchsocket.errors import AddressInUse, Unauthorized
from searchsocket.search.wire import Wire
from searchsocket.serving.health import Degradation, ServiceHealth
from searchsocket.serving.service import SearchService

PROBES = ("live", "ready")  # the last part of their paths
NO_INDEX = "a public scope has no usable index"
STOPPING = "the service is stopping"

PATH = "/metrics"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


@dataclass(frozen=True, slots=True)
class Liveness(Wire):
    """`live`: the process answers."""

    live: bool = True


@dataclass(frozen=True, slots=True)
class Readiness(Wire):
    """`ready`: send queries here."""

    ready: bool
    reason: str | None = None  # why not


def add_health(app: FastAPI, prefix: str, service: SearchService) -> None:
    """Serve the state of the service, and the probes, below `prefix`."""

    @app.get(
        f"{prefix}/health",
        operation_id="health",
        summary="Get the health of the service",
        response_model=ServiceHealth,
        responses={503: {"model": ServiceHealth, "description": "Not ready: no usable index for a scope."}},
    )
    async def get_health(request: Request) -> Response:
        health = await run_in_threadpool(service.health, trusted=caller_of(request).trusted)
        return json_response(health, 200 if health.ready else 503, sources=False)

    async def obstacle(_: Request) -> str | None:
        return None if (await run_in_threadpool(service.health, trusted=False)).ready else NO_INDEX

    add_probes(app, prefix, obstacle)


def add_probes(app: FastAPI, prefix: str, obstacle: Callable[[Request], Awaitable[str | None]]) -> None:
    """Serve `live` and `ready` below `prefix`.

    Args:
        obstacle: Returns why the service cannot answer queries; None if it can.
    """

    @app.get(f"{prefix}/live", include_in_schema=False)
    async def get_live() -> Response:
        return json_response(Liveness(), sources=False)

    @app.get(f"{prefix}/ready", include_in_schema=False)
    async def get_ready(request: Request) -> Response:
        reason = STOPPING if _is_stopping(request.app) else await obstacle(request)
        return json_response(Readiness(reason is None, reason), 503 if reason else 200, sources=False)


def _is_stopping(app: FastAPI) -> bool:
    """Return True after the signal to stop; the server still answers for `--drain-seconds`."""
    notice = getattr(app.state, "stop_notice", None)
    return notice is not None and notice.is_set()


class Metrics:
    """Counters of one project's requests."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.registry = CollectorRegistry()
        requests = Counter(
            "searchsocket_requests",
            "Requests by endpoint, status and searched scope.",
            ("project", "endpoint", "status", "scope"),
            registry=self.registry,
        )
        seconds = Histogram(
            "searchsocket_request_seconds",
            "Time to an answer.",
            ("project", "endpoint"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        empty = Counter(
            "searchsocket_searches_without_results", "Searches without a result.", ("project",), registry=self.registry
        )
        self._requests, self._seconds, self._empty = requests, seconds, empty.labels(project)

    def note(self, answered: AnsweredRequest) -> None:
        """Count one request."""
        self._requests.labels(self.project, answered.endpoint, str(answered.status), answered.scope or "").inc()
        self._seconds.labels(self.project, answered.endpoint).observe(answered.seconds)
        if answered.hits == 0:
            self._empty.inc()


@dataclass(frozen=True, slots=True)
class ProjectNumbers:
    """Counters of a project, and the service that reports on its indexes."""

    metrics: Metrics
    service: SearchService | None  # None: the project is not open


class ServiceNumbers(Collector):
    """Current metrics of some projects: of this process, or of all processes that share `METRICS_DIR`."""

    def __init__(self, projects: Sequence[ProjectNumbers]) -> None:
        """`projects`: May change between two calls of `collect`."""
        self._projects = projects

    def collect(self) -> Iterable[Metric]:
        """Return one metric family per name, with the samples of all projects."""
        families: dict[str, Metric] = {}
        for family in self._families():
            merged = families.setdefault(family.name, family)
            if merged is not family:
                merged.samples.extend(family.samples)
        return families.values()

    def _families(self) -> Iterator[Metric]:
        build = GaugeMetricFamily("searchsocket_build_info", "The release that runs.", labels=["version", "commit"])
        build.add_metric([__version__, COMMIT], 1)
        yield build
        projects = tuple(self._projects)
        names = {each.metrics.project for each in projects}
        if folder := os.environ.get(METRICS_DIR):
            for family in MultiProcessCollector(None, folder).collect():  # type: ignore[no-untyped-call]
                family.samples = [sample for sample in family.samples if sample.labels.get("project") in names]
                yield family
        else:
            for each in projects:
                yield from each.metrics.registry.collect()
        for each in projects:
            if each.service:
                yield from _state(each.metrics.project, each.service)


def _state(project: str, service: SearchService) -> Iterable[Metric]:
    """The state of the store and of the live generations."""
    health = service.health(trusted=True)
    ready = GaugeMetricFamily("searchsocket_ready", "1 if every public scope has a usable index.", labels=["project"])
    ready.add_metric([project], health.ready)
    backend = GaugeMetricFamily("searchsocket_backend_up", "1 if the remote vector store answers.", labels=["project"])
    if service.store.remote_index is not None and health.backend_up is not None:
        backend.add_metric([project], health.backend_up)
    labels = ["project", "scope"]
    info = GaugeMetricFamily(
        "searchsocket_index_info", "The live generation.", labels=[*labels, "generation", "model_id"]
    )
    records = GaugeMetricFamily("searchsocket_index_records", "Records of the live generation.", labels=labels)
    age = GaugeMetricFamily("searchsocket_index_age_seconds", "Since the live generation was published.", labels=labels)
    degraded = GaugeMetricFamily(
        "searchsocket_degraded", "1 if answers are degraded for a reason.", labels=[*labels, "reason"]
    )
    poll = GaugeMetricFamily(
        "searchsocket_poll_age_seconds", "Since the object store that is followed answered.", labels=labels
    )
    for scope in health.scopes:
        names = [project, scope.scope]
        for reason in get_args(Degradation):
            degraded.add_metric([*names, reason], reason in scope.degraded_by)
        if scope.generation is not None and scope.records is not None and scope.age_seconds is not None:
            info.add_metric([*names, scope.generation, scope.model_id or ""], 1)
            records.add_metric(names, scope.records)
            age.add_metric(names, scope.age_seconds)
        if scope.poll_age_seconds is not None:
            poll.add_metric(names, scope.poll_age_seconds)
    return ready, backend, degraded, info, records, age, poll


def add_metrics(app: FastAPI, numbers: ProjectNumbers) -> None:
    """Serve the metrics of a project to trusted callers."""
    collector = ServiceNumbers([numbers])

    @app.get(PATH, include_in_schema=False)
    async def get_metrics(request: Request) -> Response:
        if not caller_of(request).trusted:
            raise Unauthorized("metrics need the key")
        text = await run_in_threadpool(generate_latest, collector)
        return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})


@contextlib.contextmanager
def metrics_server(
    host: str, port: int, numbers: Sequence[ProjectNumbers], collectors: Sequence[Collector] = ()
) -> Iterator[int]:
    """Serve the metrics of several projects, and of `collectors`, at a separate port without a key; yield the port.

    Raises:
        AddressInUse: The port cannot be bound.
    """
    registry = CollectorRegistry()
    for collector in (ServiceNumbers(numbers), *collectors):
        registry.register(collector)
    try:
        server, thread = start_wsgi_server(port, host, registry)
    except (OSError, OverflowError) as error:
        raise AddressInUse(
            f"cannot serve metrics at port {port} on {host}: {error}; pass another --metrics-port"
        ) from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
