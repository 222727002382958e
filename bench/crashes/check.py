"""The state on disk after a run, in a form that is equal for equal results."""

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from searchsocket.pipeline.run.results import digest_of
from searchsocket.project.project import open_project
from searchsocket.state.project import ProjectState
from searchsocket.stores import make_store

_TEMPORARY = re.compile(r"\.tmp-|\.building-|\.removed-|\.staging$|.*\.corrupt")
_GENERATED_AT = re.compile(r"^generatedAt: .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One scope: what is live, what people read, and what the next run will compare with."""

    records: tuple[tuple[str, str], ...]
    digest: str
    mirror: dict[str, str]
    chunks: str
    pages: str


def outcome(root: Path, scope_name: str) -> Outcome:
    """Read everything that is kept of a scope."""
    project = open_project(root, {})
    scope = project.scope_named(scope_name)
    store = make_store(project.settings.vector, project.state_dir, project.id)
    live = store.generation(scope)
    folder = project.mirror_dir / scope_name
    mirror = {
        str(path.relative_to(folder)): _GENERATED_AT.sub("", path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    with (
        ProjectState(project.state_dir).open(scope_name) as state,
        closing(sqlite3.connect(project.state_dir / "state.db")) as db,  # all of a row, whatever a run asks of it
    ):
        chunks = list(state.chunks.fingerprints())
        pages = db.execute(
            "SELECT url, raw_hash, skip, removed, dirty, mirror_digest FROM pages WHERE scope = ? ORDER BY url",
            (scope_name,),
        ).fetchall()
    return Outcome(
        records=tuple(store.fingerprints(scope)),
        digest=live.digest if live else "",
        mirror=mirror,
        chunks=digest_of(map(repr, chunks)),
        pages=digest_of(map(repr, pages)),
    )


def differences(actual: Outcome, expected: Outcome) -> list[str]:
    """In what two outcomes differ."""
    return [name for name in Outcome.__slots__ if getattr(actual, name) != getattr(expected, name)]


def damage(root: Path, scope_name: str) -> list[str]:
    """Problems with the files of the live generation."""
    project = open_project(root, {})
    store = make_store(project.settings.vector, project.state_dir, project.id)
    return store.verify(project.scope_named(scope_name))


def leftovers(root: Path) -> list[str]:
    """Files and folders that only a writer at work may have."""
    state = root / ".searchsocket"
    paths = [path for path in state.rglob("*") if _TEMPORARY.match(path.name)]
    paths += (state / "tmp").glob("*")
    paths += list((state / ".locks").glob("*.owner"))
    for scope in (state / "index").glob("*"):
        generations = [path for path in scope.glob("2*T*Z-*") if path.is_dir()]
        if len(generations) > 2 or (generations and not (scope / "CURRENT").exists()):
            paths += generations
    return sorted(str(path.relative_to(state)) for path in set(paths))
