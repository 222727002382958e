"""Bringing the mirror's files in line with what is known: written when they change, repaired when damaged, removed."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from sqlite3 import Connection, Row

from searchsocket.errors import SearchSocketError
from searchsocket.events import Event
from searchsocket.mirror.document import page_digest, parse_page, render_page
from searchsocket.mirror.paths import mirror_file, mirror_name
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.routes import KitProject, RouteMatch, RouteTable, route_table, scan_project, scan_routes
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.state.chunks import drop_chunks
from searchsocket.state.database import transaction
from searchsocket.state.pages import body_text, delete_page, page_facts
from searchsocket.system.batches import batches
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic
from searchsocket.types import Page
from searchsocket.urls.paths import path_depth
from searchsocket.urls.targets import rank_link_texts

_BATCH = 200
_MAX_LINK_ROWS = 20_000  # link texts looked at for one page; a footer link on every page needs no more
_INDEXED = "scope = ? AND removed = 0 AND skip = '' AND extract_key != ''"


@dataclass(slots=True)
class MirrorCounts:
    """What happened to the files."""

    written: int = 0
    removed: int = 0
    repaired: list[str] = field(default_factory=list)
    routes: tuple[str, ...] = ()  # what is not understood of the routes


def refresh_mirror(run: ScopeRun, db: Connection) -> MirrorCounts:
    """Write the files of dirty pages whose content changed; delete those of pages that left the index."""
    routes, told = route_table_of(run)
    counts = MirrorCounts(routes=told)
    _mark_all_dirty_when_routes_changed(db, run.scope.name, routes.digest)
    _drop_gone(run, db, counts)
    _drop_unknown(run, db, counts)
    _mark_damaged(run, db, counts)
    rows = db.execute(f"SELECT id FROM pages WHERE {_INDEXED} AND dirty = 1 ORDER BY url", (run.scope.name,)).fetchall()
    for batch in batches((row[0] for row in rows), _BATCH):
        with transaction(db):
            for page_id in batch:
                counts.written += _refresh_page(run, db, routes, page_id)
    return counts


def route_table_of(run: ScopeRun) -> tuple[RouteTable, tuple[str, ...]]:
    """The routes that made the pages, of the commit that is indexed, else of the working tree; and warnings."""
    if run.source_mode == "git-branch":
        source = run.make_source()
        assert isinstance(source, GitBranchSource)
        try:
            kit = source.kit()
            table = route_table(source.route_files(), kit)
        finally:
            source.close()
    else:
        stated = run.project.settings.routes
        kit = scan_project(run.project.root, stated.dir, stated.static_dir)
        table = scan_routes(run.project.root, kit)
    return table, (*table.warnings, *(_other_base_path(run, kit) if table.routes else ()))


def _other_base_path(run: ScopeRun, kit: KitProject) -> list[str]:
    """A warning when SvelteKit has a base path of which the settings say nothing: links would lead nowhere."""
    settings = run.project.settings
    is_stated = settings.source.base_path or settings.project.base_url or run.source_mode == "crawl"
    if is_stated or kit.base_path == "":
        return []
    if kit.base_path is None:
        return [f'{kit.config_file}: paths.base is computed, so it is not read; set source.base_path ("/" for none)']
    return [f'{kit.config_file}: paths.base is "{kit.base_path}"; set source.base_path to it, or links do not count']


def page_from_state(run: ScopeRun, db: Connection, page_id: int, route: RouteMatch) -> Page:
    """Put a page together from what was extracted, its links and its route."""
    row = _row(
        db, "SELECT url, facts, body, generated_at FROM pages LEFT JOIN contents ON page_id = id WHERE id = ?", page_id
    )
    facts = page_facts(row["facts"])
    scope, url = run.scope.name, row["url"]
    incoming, texts = _incoming(db, scope, url, page_id)
    outgoing = db.execute(
        "SELECT COUNT(DISTINCT resolved) FROM links WHERE page_id = ? AND resolved != '' AND resolved != ?",
        (page_id, url),
    ).fetchone()[0]
    return Page(
        url=url,
        title=facts["title"],
        scope=scope,
        body=body_text(row["body"]),
        description=facts["description"],
        language=facts["language"],
        route_file=route.route_file,
        route_resolution=route.resolution,
        incoming_links=incoming,
        outgoing_links=outgoing,
        link_texts=rank_link_texts(texts),
        depth=path_depth(url),
        tags=tuple(facts["tags"]),
        weight=facts["weight"],
        published=facts["published"],
        modified=facts["modified"],
        generated_at=row["generated_at"],
    )


def read_mirror_page(run: ScopeRun, url: str, digest: str) -> Page | None:
    """The page in its mirror file, or None when the file is missing or is not what was written."""
    for root in _roots(run):
        path = mirror_file(root, url)
        try:
            page = parse_page(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError, SearchSocketError):
            return None
        return page if page_digest(page) == digest else None
    return None


def _roots(run: ScopeRun) -> Iterator[Path]:
    yield run.mirror_dir
    if run.workspace is not None:  # a dry run reads what it did not write itself from the real mirror
        yield run.project.mirror_dir / run.scope.name


def _mark_all_dirty_when_routes_changed(db: Connection, scope: str, digest: str) -> None:
    with transaction(db):
        changed = db.execute(
            "UPDATE scopes SET routes_digest = ? WHERE scope = ? AND routes_digest != ?", (digest, scope, digest)
        )
        if changed.rowcount:
            db.execute("UPDATE pages SET dirty = 1 WHERE scope = ?", (scope,))


def _drop_gone(run: ScopeRun, db: Connection, counts: MirrorCounts) -> None:
    """Files first, rows after: a crash in between leaves work for the next run, never an orphan."""
    scope = run.scope.name
    gone = db.execute("SELECT id, url FROM pages WHERE scope = ? AND removed = 1", (scope,)).fetchall()
    left = db.execute(
        "SELECT id, url FROM pages WHERE scope = ? AND removed = 0 AND skip != '' AND mirror_digest != ''", (scope,)
    ).fetchall()
    for _, url in gone + left:
        _delete_file(run, url)
    with transaction(db):
        for page_id, _ in gone:
            delete_page(db, page_id, scope)
        for page_id, _ in left:
            db.execute(
                "UPDATE pages SET mirror_digest = '', mirror_stamp = '', generated_at = '', chunk_key = '', "
                "route_resolution = '' WHERE id = ?",
                (page_id,),
            )
            drop_chunks(db, scope, page_id)
        db.execute("UPDATE pages SET dirty = 0 WHERE scope = ? AND skip != ''", (scope,))
    counts.removed = len(gone) + len(left)


def _drop_unknown(run: ScopeRun, db: Connection, counts: MirrorCounts) -> None:
    """Once in the life of a state: files of pages that went while an older state was lost.

    What is no mirror file of ours stays, whoever put it there.
    """
    scope = run.scope.name
    knows_all, swept = db.execute("SELECT authoritative, swept FROM scopes WHERE scope = ?", (scope,)).fetchone()
    if swept or not knows_all or run.workspace is not None:
        return
    db.execute("CREATE TEMP TABLE mirrored (name TEXT PRIMARY KEY) WITHOUT ROWID")
    urls = db.execute("SELECT url FROM pages WHERE scope = ? AND removed = 0 AND skip = '' ORDER BY url", (scope,))
    with transaction(db):
        db.executemany("INSERT INTO mirrored VALUES (?)", ((mirror_name(row[0]),) for row in urls))
    for folder, _, names in os.walk(run.mirror_dir):
        for path in (Path(folder) / name for name in names if name.endswith(".md")):
            name = path.relative_to(run.mirror_dir).as_posix()
            is_known = db.execute("SELECT 1 FROM mirrored WHERE name = ?", (name,)).fetchone() is not None
            if not is_known and not path.is_symlink() and (url := _url_of(path, scope)) and mirror_name(url) == name:
                _delete_file(run, url)
                counts.removed += 1
    db.execute("DROP TABLE mirrored")
    db.execute("UPDATE scopes SET swept = 1 WHERE scope = ?", (scope,))


def _url_of(path: Path, scope: str) -> str:
    """The page of the scope that a file says it is of; "" when it is no mirror file of ours."""
    try:
        page = parse_page(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SearchSocketError):
        return ""
    return page.url if page.scope == scope else ""


def _delete_file(run: ScopeRun, url: str) -> None:
    path = mirror_file(run.mirror_dir, url)
    try:
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == run.mirror_dir or any(folder.iterdir()):
                break
            folder.rmdir()
    except FileNotFoundError:
        return  # the folder is gone already
    except OSError as error:
        raise system_error("cannot delete", path, error) from error


def _mark_damaged(run: ScopeRun, db: Connection, counts: MirrorCounts) -> None:
    """Compare every file's size and time with what was written; the files are for people, so people may edit them."""
    if run.workspace is not None:
        return
    folder = f"{run.mirror_dir}{os.sep}"
    damaged: list[tuple[int]] = []
    restamped: list[tuple[str, int]] = []
    for page_id, url, digest, stamp in db.execute(
        "SELECT id, url, mirror_digest, mirror_stamp FROM pages "
        f"WHERE {_INDEXED} AND mirror_digest != '' AND dirty = 0",
        (run.scope.name,),
    ):
        found = _stamp(folder + mirror_name(url))
        if found == stamp:
            continue
        if found and read_mirror_page(run, url, digest) is not None:
            restamped.append((found, page_id))  # copied or checked out anew, but the same
            continue
        counts.repaired.append(f"the mirror file of {url} was {'changed' if found else 'missing'}; it is written again")
        damaged.append((page_id,))
    with transaction(db):
        db.executemany("UPDATE pages SET mirror_stamp = ? WHERE id = ?", restamped)
        db.executemany("UPDATE pages SET dirty = 1, mirror_digest = '' WHERE id = ?", damaged)


def _refresh_page(run: ScopeRun, db: Connection, routes: RouteTable, page_id: int) -> int:
    old = _row(db, "SELECT url, mirror_digest, mirror_stamp, generated_at FROM pages WHERE id = ?", page_id)
    page = page_from_state(run, db, page_id, routes.resolve(old["url"]))
    digest = page_digest(page)
    path = mirror_file(run.mirror_dir, page.url)
    if digest != old["mirror_digest"]:
        page = replace(page, generated_at=run.clock().isoformat(timespec="seconds").replace("+00:00", "Z"))
    elif run.workspace is not None or _stamp(path) == old["mirror_stamp"]:
        db.execute("UPDATE pages SET dirty = 0 WHERE id = ?", (page_id,))
        return 0
    # Not synced: a file that a power cut damages is found by its stamp and written again.
    write_atomic(path, render_page(page).encode("utf-8"), temporary_dir=run.temporary_dir, durable=False)
    db.execute(
        "UPDATE pages SET dirty = 0, mirror_digest = ?, mirror_stamp = ?, generated_at = ?, route_resolution = ? "
        "WHERE id = ?",
        (digest, _stamp(path), page.generated_at, page.route_resolution, page_id),
    )
    run.on_event(Event("markdown_written", {"url": page.url}))
    return 1


def _incoming(db: Connection, scope: str, url: str, page_id: int) -> tuple[int, list[str]]:
    links = "FROM links WHERE scope = ? AND resolved = ? AND page_id != ?"
    count = db.execute(f"SELECT COUNT(DISTINCT page_id) {links}", (scope, url, page_id)).fetchone()[0]
    if not count:
        return 0, []
    texts = db.execute(
        f"SELECT text {links} GROUP BY page_id, text ORDER BY text LIMIT ?",
        (scope, url, page_id, _MAX_LINK_ROWS),
    )
    return count, [row[0] for row in texts if row[0]]


def _stamp(path: Path | str) -> str:
    """Size and time of a file, or of the link in its place; "" when there is none."""
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116  a Path for every page costs as much again
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise system_error("cannot look at", Path(path), error) from error
    return f"{found.st_size}:{found.st_mtime_ns}"


def _row(db: Connection, sql: str, page_id: int) -> Row:
    cursor = db.execute(sql, (page_id,))
    cursor.row_factory = Row
    row: Row = cursor.fetchone()
    return row
