"""Names: of generations, which rise with time, and of scopes, which never lead elsewhere."""

import re
from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta

from searchsocket.errors import InvalidScope, ProjectMismatch
from searchsocket.stores.base.catalogue import PageBody
from searchsocket.stores.base.checks import index_digest
from searchsocket.stores.base.store import PublishInfo
from searchsocket.types import Generation, Record, Scope

_SCOPE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_STAMP = "%Y%m%dT%H%M%SZ"


def generation_name(now: datetime, digest: str, after: str) -> str:
    """A name that sorts after `after` even when the clock went back, e.g. `20261121T101500Z-ab12cd`."""
    stamp = now.strftime(_STAMP)
    if after and stamp <= after[:16]:
        stamp = (datetime.strptime(after[:16], _STAMP) + timedelta(seconds=1)).strftime(_STAMP)
    return f"{stamp}-{digest[:6]}"


def describe(
    info: PublishInfo,
    scope: Scope,
    records: Collection[Record],
    bodies: Collection[PageBody],
    *,
    now: datetime,
    after: str,
) -> Generation:
    """The generation of these records and page texts, named behind `after`."""
    digest = index_digest(sorted((record.id, record.record_hash) for record in records))
    pages = {(record.page.route_resolution, record.page.url) for record in records}
    return Generation(
        name=generation_name(now, digest, after),
        scope=scope.name,
        project_id=scope.project_id,
        model_id=info.model_id,
        dimensions=info.dimensions,
        published_at=info.published_at,
        records=len(records),
        pages=len({url for _, url in pages}),
        digest=digest,
        routes=dict(sorted(Counter(resolution for resolution, _ in pages).items())),
        estimated_tokens=info.estimated_tokens,
        estimated_cost_usd=info.estimated_cost_usd,
        source_revision=info.source_revision,
        bodies=len(bodies),
        bodies_digest=index_digest(sorted((body.url, body.digest) for body in bodies)),
    )


def check_scope(scope: Scope, project_id: str) -> None:
    """Refuse the scope of another project, and a name that is not a sanitised one.

    Raises:
        ProjectMismatch, InvalidScope: It is one.
    """
    if scope.project_id != project_id:
        raise ProjectMismatch(f"scope {scope.id!r} asked of the index of project {project_id!r}")
    check_scope_name(scope.name)


def check_scope_name(name: str) -> None:
    """Refuse a name that is not a sanitised one.

    Raises:
        InvalidScope: It is one.
    """
    if not _SCOPE_NAME.fullmatch(name):
        raise InvalidScope(f"scope name {name[:200]!r} cannot name a folder of the index")
