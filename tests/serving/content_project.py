"""A project whose site is the notes of a search engine's makers, and whose code is a small part of it."""

from datetime import UTC, datetime
from html import escape
from pathlib import Path

from searchsocket.extensions.code.corpus import CODE as CODE_CORPUS
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.project import Project, open_project

NOTES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "roadmap/semantic-search": (
        "Sprint 8: hybrid search",
        [
            ("Approach", "Hybrid scoring joins semantic similarity and exact text. The vec0 MATCH operator compares "
             "the vector of the query with those of all chunks by cosine similarity."),
            ("Scoring formula", "The similarity of vectors is multiplied by 1.5 for each exact term that is there."),
            ("Queries", "vec0 needs `MATCH :query_embedding` and a limit; SQLite joins chunks and documents then."),
        ],
    ),
    "roadmap/vec0-migration": (
        "Sprint 7.5: moving to vec0",
        [
            ("Why", "Embeddings lay in a table of SQLite as blobs, and every query read all of them. The vec0 virtual "
             "table keeps embeddings next to their rows."),
            ("Steps", "Create the vec0 table, copy the embeddings, drop the old column, then run vacuum."),
        ],
    ),
    "roadmap/endpoint-navigation": (
        "Epic: navigating by endpoints",
        [
            ("Endpoint navigation", "An agent explores the index endpoint by endpoint: list folders, explore a folder, "
             "then read a document. Semantic metadata tells where the exploration flow leads."),
            ("Exploration flow", "Each answer of the API names the next endpoint, so navigation needs no guess."),
            ("API design", "Every endpoint of the API takes a folder and a path, and answers with the same envelope."),
        ],
    ),
    "roadmap/explore-endpoint": (
        "Sprint 2: the explore endpoint",
        [
            ("Exploring folders", "The explore endpoint lists the folders below a path with semantic metadata, so that "
             "navigation of a large tree stays cheap."),
            ("Limits", "The endpoint answers with fifty entries at most and a token for the next ones."),
        ],
    ),
    "guide/configuration": (
        "Configuration",
        [
            ("Files", "Configuration management begins with one YAML file. Environment variables override its keys."),
            ("Environment variables", "Set `INDEX_HOME` to the folder of the index and `LOG_LEVEL` to debug."),
        ],
    ),
    "guide/installation": (
        "Installation",
        [
            ("Install", "Install the package with npm and start the daemon. It needs Node 20 or newer."),
            ("Update", "Stop the daemon before an update, or the database stays locked."),
        ],
    ),
    "guide/troubleshooting": (
        "Troubleshooting",
        [
            ("The database is locked", "Another daemon holds the lock. Stop it, then remove the stale lock file."),
            ("Slow answers", "Check how many chunks there are; beyond a million the vec0 table wants partitions."),
        ],
    ),
}  # fmt: skip
CODE = {
    "src/scoring.ts": (
        "/** Multiplies similarity by a boost for each exact term. */\n"
        "export function hybridScore(similarity: number, matches: number): number {\n"
        "  return similarity * Math.pow(1.5, matches);\n}\n"
    ),
    "src/lockFile.ts": (
        "/** Removes a lock file whose daemon died. */\n"
        "export function removeStaleLock(path: string): boolean {\n  return unlinkIfStale(path);\n}\n"
    ),
}


def content_project(root: Path, *, code: bool = True) -> Project:
    """The project, with its site and, where it is wanted, its code indexed."""
    for path, (title, sections) in NOTES.items():
        file = root / "build" / f"{path}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        body = "".join(
            f"<h2 id='{heading.lower().replace(' ', '-')}'>{heading}</h2><p>{escape(text)}</p>"
            for heading, text in sections
        )
        file.write_text(f"<html lang=en><title>{title}</title><main><h1>{title}</h1>{body}</main></html>")
    for path, text in CODE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "searchsocket.toml").write_text(
        '[project]\nid = "notes"\n[chunking]\nmin_chars = 1\n[source]\nmode = "static-output"\n'
        f"[code]\nenable = {str(code).lower()}\n"
    )
    project = open_project(root, {})
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    run = ScopeRun(project, project.scope_named("main"), "run-1", RunOptions(), clock=lambda: moment)
    index_scope(run)
    if code:
        index_scope(run.of(CODE_CORPUS))
    return project
