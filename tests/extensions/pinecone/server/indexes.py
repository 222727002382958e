"""The indexes of a project, which are made and described at one address and asked at another."""

import math
from dataclasses import dataclass, field
from typing import Any

from tests.extensions.pinecone.server import limits
from tests.extensions.pinecone.server.refused import Refused, demand
from tests.extensions.pinecone.server.rows import Namespace

LEGACY_FIELD = "_values"
MAX_INDEXES = 20  # of a project on the standard plan


@dataclass(slots=True)
class Index:
    name: str
    vector_field: str
    dimension: int
    metric: str
    deployment: dict[str, Any]
    other_fields: dict[str, Any]
    looks_until_ready: int = 2  # "The index initializes asynchronously; poll until status.ready: true"
    max_lag: int = 0
    namespaces: dict[str, Namespace] = field(default_factory=dict)

    @property
    def is_legacy(self) -> bool:
        return self.vector_field == LEGACY_FIELD

    def namespace(self, name: str) -> Namespace:
        """Made by the first write."""
        if name not in self.namespaces:
            self.namespaces[name] = Namespace(len(self.namespaces) + math.prod(map(ord, name)) % 1009, self.max_lag)
        return self.namespaces[name]

    def described(self, base_url: str) -> dict[str, Any]:
        vector = {"type": "dense_vector", "dimension": self.dimension, "metric": self.metric}
        is_ready = self.looks_until_ready <= 0
        return {
            "name": self.name,
            "host": f"{base_url}/data/{self.name}" if is_ready else None,
            "status": {"ready": is_ready, "state": "Ready" if is_ready else "Initializing"},
            "schema": {"fields": {self.vector_field: vector, **self.other_fields}},
            "deployment": self.deployment,
            "deletion_protection": "disabled",
            "tags": None,
        }


def new_index(body: object, held: dict[str, Index]) -> Index:
    """What `POST /indexes` makes of its body, or refuses."""
    given = limits.check_keys(
        body, {"name", "schema", "deployment", "read_capacity", "deletion_protection", "tags", "cmek_id"}
    )
    limits.check_index_name(given.get("name", ""))
    if given["name"] in held:
        raise Refused(409, "Resource already exists", "ALREADY_EXISTS")
    if len(held) >= MAX_INDEXES:
        raise Refused(403, f"You've reached the max serverless indexes allowed in project ({MAX_INDEXES})", "FORBIDDEN")
    fields = dict(limits.check_keys(given.get("schema"), {"fields"}).get("fields") or {})
    demand(bool(fields), "schema.fields must declare at least one searched field")
    dense = [name for name, each in fields.items() if each.get("type") == "dense_vector"]
    demand(len(dense) <= 1, "at most one dense_vector field per index")  # docs: create_index
    for name in fields:
        is_reserved = name.startswith(("_", "$")) and name not in (LEGACY_FIELD, "_sparse_values")
        demand(not is_reserved and len(name.encode()) <= limits.MAX_FIELD_BYTES, f"Field name {name!r:.80} is bad")
    demand(bool(dense), "this server keeps dense vectors")
    vector = limits.check_keys(fields.pop(dense[0]), {"type", "dimension", "metric", "description"})
    for name, each in fields.items():
        is_searched = each.get("type") == "string" and "full_text_search" in each
        demand(is_searched, f"{name!r}: metadata-only fields aren't declared in the schema")
    dimension = limits.check_whole("dimension", vector.get("dimension"), 1, limits.MAX_DIMENSIONS)
    metric = vector.get("metric", "cosine")
    demand(metric in ("cosine", "dotproduct", "euclidean"), f"metric {metric!r} is none")
    # "If `deployment` is omitted, the index is deployed as a managed (serverless) index on aws in us-east-1"
    deployment = given.get("deployment") or {"deployment_type": "managed", "cloud": "aws", "region": "us-east-1"}
    demand(deployment.get("deployment_type") in ("managed", "byoc"), "deployment_type is none that this server has")
    demand(deployment.get("cloud") in ("aws", "gcp", "azure"), f"cloud {deployment.get('cloud')!r} is none")
    return Index(given["name"], dense[0], dimension, metric, deployment, fields)
