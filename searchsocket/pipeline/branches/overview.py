"""A project's scopes as a table: the same rows for `searchsocket scopes` and Dagster."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.scopes import branch_among, existing_scopes, generations_of, live_branches_or_error
from searchsocket.project.project import Project, index_folder
from searchsocket.system.files import bytes_below
from searchsocket.system.json_text import JsonObject
from searchsocket.text.amounts import age_s


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """Summary row of one scope."""

    scope: str
    branch: str  # the branch that the name was derived from; "" = unknown
    alive: bool | None  # True if the branch exists; None = branches could not be listed
    generation: str = ""  # the live one; "" = none
    published_at: str = ""  # ISO 8601
    age_seconds: float | None = None  # since it was published
    pages: int = 0
    chunks: int = 0
    own_chunks: int = 0  # chunks with a text that no other scope has
    model_id: str = ""
    source_revision: str = ""  # commit that was indexed
    bytes: int = 0  # of its index and its mirror
    last_run_at: str = ""  # ISO 8601, when a stage last ended; "" = unknown


@dataclass(frozen=True, slots=True)
class ScopesOverview:
    """The scopes of a project by name, and the errors of listing them."""

    rows: tuple[ScopeRow, ...]
    problems: tuple[SearchSocketError, ...] = ()


def scopes_overview(project: Project, backends: Backends, now: datetime) -> ScopesOverview:
    """Collect every stored scope; changes nothing.

    Raises:
        ProjectMismatch: The index belongs to another project.
        PermissionDenied: It is another user's.
    """
    scopes, problem = existing_scopes(project, backends.store)
    branches, unknown = live_branches_or_error(project)
    alive = branches.scopes() if branches else None
    generations = generations_of(backends.store)
    state = backends.state
    recorded, ends, own = state.branches(), state.last_ends(), state.own_texts()
    index = index_folder(project.settings.vector, project.state_dir)
    rows = []
    for scope in scopes:
        live = generations.get(scope.name)
        rows.append(
            ScopeRow(
                scope=scope.name,
                branch=(live.branch if live else "") or branch_among(scope.name, recorded, alive or {}),
                alive=None if alive is None else scope.name in alive,
                generation=live.name if live else "",
                published_at=live.published_at if live else "",
                age_seconds=age_s(live.published_at, now) if live else None,
                pages=live.pages if live else 0,
                chunks=live.records if live else 0,
                own_chunks=own.get(scope.name, 0),
                model_id=live.model_id if live else "",
                source_revision=live.source_revision if live else "",
                bytes=bytes_below(index / scope.name) + bytes_below(project.mirror_dir / scope.name),
                last_run_at=ends.get(scope.name, ""),
            )
        )
    return ScopesOverview(tuple(rows), tuple(error for error in (problem, unknown) if error))


def to_json(row: ScopeRow, last_run: Mapping[str, str] | None) -> JsonObject:
    """A row for `--json`.

    Args:
        last_run: Its `status` and `runId`; None = no run.
    """
    return {
        "scope": row.scope,
        "branch": row.branch or None,
        "alive": row.alive,
        "generation": row.generation or None,
        "publishedAt": row.published_at or None,
        "ageSeconds": row.age_seconds,
        "pages": row.pages,
        "chunks": row.chunks,
        "ownChunks": row.own_chunks,
        "modelId": row.model_id or None,
        "sourceRevision": row.source_revision or None,
        "bytes": row.bytes,
        "lastRun": {"endedAt": row.last_run_at or None, **(last_run or {})},
    }
