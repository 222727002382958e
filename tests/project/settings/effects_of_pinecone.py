"""Effects of `vector.pinecone`: which index of which project keeps the vectors, and where it is made."""

from collections.abc import Callable
from dataclasses import replace

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.pipeline.run.index import index_scope
from searchsocket.stores import make_vectors
from searchsocket.system.exchange import Exchange
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service
from tests.project.settings.effects_of_pages import only_value
from tests.project.settings.lab import Effect, Lab

GIVEN = {"vector.provider": "pinecone"}


def _environ(service: Service) -> dict[str, str]:
    return {"PINECONE_CONTROLLER_HOST": service.base_url, "PINECONE_API_KEY": "right-key", "OTHER_KEY": "other-key"}


def indexes(lab: Lab) -> list[str]:
    """Name and place of every index after a run."""
    with running(Service()) as service:
        index_scope(replace(lab.site.run(), environ=_environ(service)))
        found = service.indexes.values()
        return [f"{index.name} {index.deployment['cloud']} {index.deployment['region']}" for index in found]


def is_let_in(lab: Lab) -> bool:
    """Whether a service takes the key that is sent."""
    with running(Service(key="other-key")) as service:
        vectors = make_vectors(lab.project.settings.vector, "site", _environ(service))
        assert vectors is not None
        try:
            vectors.retain(lab.project.scope_named("main"), [])
        except VectorBackendUnavailable:
            return False
        return True


def time_limits(lab: Lab) -> set[float]:
    """Seconds that each request to an index is given."""
    given: set[float] = set()

    class Watched(Exchange):
        def __init__(self, timeout_s: float, monotonic: Callable[[], float], least_bytes_per_s: float = 0.0) -> None:
            given.add(timeout_s)
            super().__init__(timeout_s, monotonic, least_bytes_per_s)

    with lab.patch.context() as patch:
        patch.setattr("searchsocket.system.bounded_http.Exchange", Watched)
        indexes(lab)
    return given


EFFECTS = (
    Effect("vector.pinecone.api_key_env", "OTHER_KEY", is_let_in, False, True, given=GIVEN),
    Effect("vector.pinecone.index", "shop", indexes, ["site-512 aws us-east-1"], ["shop-512 aws us-east-1"],
           given=GIVEN, anew=True),
    only_value("vector.pinecone.namespace_mode"),
    Effect("vector.pinecone.cloud", "gcp", indexes, ["site-512 aws us-east-1"], ["site-512 gcp us-east-1"],
           given=GIVEN, anew=True),
    Effect("vector.pinecone.region", "eu-west-1", indexes, ["site-512 aws us-east-1"], ["site-512 aws eu-west-1"],
           given=GIVEN, anew=True),
    Effect("vector.pinecone.timeout_s", 2.5, time_limits, {10.0}, {2.5}, given=GIVEN, anew=True),
)  # fmt: skip
