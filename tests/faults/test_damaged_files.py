"""Every kind of file below `.searchsocket/`, damaged in every way: named or built again, never a wrong answer."""

import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from fault_site import QUESTIONS, Project

from searchsocket.errors import SearchSocketError, StateUnavailable
from tests.sources.web import serve

pytestmark = pytest.mark.dagster

KINDS = {  # name -> where it lies; `*` is the one generation of the fixture
    "state": "state.db",
    "embeddings": "embeddings.db",
    "current": "index/main/CURRENT",
    "project": "index/project.json",
    "manifest": "index/main/*/manifest.json",
    "records": "index/main/*/packs/*.db",
    "vectors": "index/main/*/packs/*.f32",
    "rows": "index/main/*/rows/000000.npy",
    "facts": "index/main/*/facts.npz.zst",
    "words": "index/main/*/packs/*.words",
    "bodies": "index/main/*/bodies.db",
    "mirror": "pages/main/docs/ropes.md",
    "lock": ".locks/main.lock",
}


def flipped(data: bytes, source: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(20 if data else 0):
        damaged[source.randrange(len(damaged))] ^= 1 << source.randrange(8)
    return bytes(damaged)


DAMAGE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "empty": lambda data, _: b"",
    "half": lambda data, _: data[: len(data) // 2],
    "random": lambda data, source: source.randbytes(len(data)),
    "flipped": flipped,
}


def spoil(path: Path, damage: str) -> None:
    """Replace a file by what a crash, a bad disk or a bad copy would leave; the same bytes on every run."""
    data = path.read_bytes()
    path.unlink()  # never in place: the file may be linked, or mapped by a reader of another test
    path.write_bytes(DAMAGE[damage](data, random.Random(f"{path.name[-8:]} {damage} {len(data)}")))


def error_of(act: Callable[[], object], right: object) -> str:
    """The message with which `act` refuses; "" when it gives what is right."""
    try:
        answer = act()
    except SearchSocketError as error:
        return str(error)
    assert answer == right
    return ""


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_named_or_mended_and_never_answers_wrongly(project: Project, kind: str, damage: str) -> None:
    """A search before the next run is right or names the file; that run ends where an undamaged one ends."""
    expected, mirror = project.fingerprints(), (project.state / "pages/main/docs/ropes.md").read_bytes()
    (path,) = project.state.glob(KINDS[kind])
    spoil(path, damage)
    error_code = error_of(project.answers, QUESTIONS)
    assert not error_code or (path.name in error_code and "run `searchsocket index" in error_code)
    try:
        summary = project.index()
    except StateUnavailable as error:  # damage deep inside the state costs one run, which says so
        assert kind == "state"
        # Most damage costs no run. A wrong byte in the digest of a mirror file reads as a wrong file.
        assert re.search("renamed, run again|to write it again", str(error))  # noqa: PT017
        summary = project.index()
    assert project.answers() == QUESTIONS
    assert project.fingerprints() == expected
    assert project.damage() == []
    assert _without_time((project.state / "pages/main/docs/ropes.md").read_bytes()) == _without_time(mirror)
    if kind not in ("lock", "mirror"):
        assert path.name in " ".join(summary.warnings) or damage == "flipped"
    assert project.index().records == {"upserted": 0, "deleted": 0}


def _without_time(page: bytes) -> bytes:
    return re.sub(rb"(?m)^generatedAt: .*$", b"", page)


@pytest.mark.parametrize("damage", ["half", "flipped"])
@pytest.mark.parametrize("kind", ["current", "project", "manifest", "records", "words", "state", "embeddings"])
def test_no_command_ends_in_a_traceback(project: Project, kind: str, damage: str) -> None:
    (path,) = project.state.glob(KINDS[kind])
    spoil(path, damage)
    for name, *arguments in (("search", "bowline"), ("status",), ("doctor",), ("index", "--dry-run"), ("rollback",)):
        result = project.command(name, *arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), (name, result.exception)
        assert "Traceback" not in result.output


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bits_in_the_state_never_reach_the_index(project: Project, seed: int) -> None:
    """Rows are checked before they are published, also those that SQLite itself finds in order."""
    expected = project.fingerprints()
    path = project.state / "state.db"
    data = bytearray(path.read_bytes())
    source = random.Random(seed)
    for _ in range(40):
        data[source.randrange(100, len(data))] ^= 1 << source.randrange(8)
    path.write_bytes(bytes(data))
    error_codes = [error_of(lambda: project.index().scope, "main") for _ in range(4)]
    assert error_codes[-1] == "", "the state is never built again"
    assert all("state.db" in message or "the mirror file of" in message for message in error_codes if message)
    assert project.answers() == QUESTIONS
    assert project.damage() == []
    assert project.fingerprints() == expected


def test_a_lost_cache_is_told_and_its_texts_are_embedded_again(project: Project) -> None:
    """Money is never spent again without a word (failure mode 2)."""
    path = project.state / "embeddings.db"
    path.write_bytes(b"SQLite format 3\0" + b"rubbish" * 1000)
    summary = project.index(force=True)
    assert summary.embeddings["created"] == summary.chunks["total"]
    assert "embeddings.db" in " ".join(summary.warnings)
    assert list(project.state.glob("embeddings.db.corrupt-*"))
    assert project.index(force=True).embeddings["created"] == 0


def test_the_command_mends_a_damaged_index_and_says_so(project: Project) -> None:
    (manifest,) = project.state.glob(KINDS["manifest"])
    manifest.write_bytes(b"{")
    assert "INDEX_CORRUPT" in project.command("search", "bowline").output
    result = project.command("index")
    assert result.exit_code == 0, result.output
    assert "manifest.json is damaged; it is rebuilt" in result.output
    assert project.answers() == QUESTIONS


def test_leftovers_of_dead_runs_are_swept(project: Project) -> None:
    """Whatever a killed run may leave is gone after the next one."""
    index, scope = project.state / "index", project.state / "index/main"
    for folder in (scope / ".building-0123", scope / ".removed-4567", scope / ".staging", project.state / "tmp/main"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "half").write_bytes(b"x")
    (scope / ".tmp-89ab").write_bytes(b"x")
    (project.state / "tmp/main/.tmp-cdef").write_bytes(b"x")
    (project.state / ".locks/main.owner").write_bytes(b"{")
    ropes = project.root / "build/docs/ropes/index.html"
    ropes.write_text(ropes.read_text(encoding="utf-8").replace("slipping", "creeping"), encoding="utf-8")
    project.index()
    temporary = re.compile(r"\.(tmp|building|removed)-|\.staging|.*\.owner|half")
    assert [path for path in project.state.rglob("*") if temporary.match(path.name)] == []
    assert index.exists()


@pytest.mark.long
def test_a_damaged_dagster_home_is_named_and_not_needed(project: Project) -> None:
    """The index is published; the run is shown once the home can be used again."""
    home = project.state / "dagster"
    assert project.command("index", "--record").exit_code == 0
    for name, damage in (("dagster.yaml", "half"), ("history/runs.db", "random"), ("history/runs/index.db", "half")):
        sound = (home / name).read_bytes()
        spoil(home / name, damage)
        result = project.command("index", "--record")
        assert result.exit_code == 1
        assert "stays live" in result.stdout
        assert "STATE_UNAVAILABLE" in result.stderr, (name, damage)
        assert f"{home} cannot be used" in result.stderr
        (home / name).write_bytes(sound)
    spoil(home / "history/runs.db", "random")
    assert project.answers() == QUESTIONS
    home.rename(project.root / "old-home")
    assert project.command("index", "--record").exit_code == 0


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["state.db", "embeddings.db"])
def test_a_damaged_journal_of_a_dead_run_costs_no_answer(project: Project, name: str, damage: str) -> None:
    """SQLite ignores damaged frames of the journal that a killed process left."""
    path = project.state / name
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE spare (x)")
        db.execute("INSERT INTO spare VALUES (zeroblob(50000))")
        journal, data = Path(f"{path}-wal").read_bytes(), path.read_bytes()
    path.write_bytes(data)  # as it was while the writer was alive
    Path(f"{path}-wal").write_bytes(journal)
    spoil(Path(f"{path}-wal"), damage)
    expected = project.fingerprints()
    error_codes = [error_of(lambda: project.index().scope, "main") for _ in range(3)]
    assert error_codes[-1] == "", error_codes
    assert project.answers() == QUESTIONS
    assert project.fingerprints() == expected
    assert project.damage() == []


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_of_a_crawl_are_fetched_again(project: Project, damage: str) -> None:
    with serve() as web:
        web.html("/", "<p>Welcome to the museum.</p><a href='/boats'>Boats</a>")
        web.html("/boats", "<p>Whaling boats from the fjord.</p>")
        config = f"[source]\nmode = 'crawl'\n[source.crawl]\nbase_url = '{web.base_url}'\n"
        (project.root / "searchsocket.toml").write_text(config, encoding="utf-8")
        project.index("crawled")
        expected = project.fingerprints("crawled")
        files = [path for path in sorted((project.state / "crawl/crawled").rglob("*")) if path.is_file()]
        assert files
        for path in files:
            spoil(path, damage)
        error_codes = [error_of(lambda: project.index("crawled", force=True).scope, "crawled") for _ in range(2)]
        assert error_codes[-1] == "", error_codes
        assert project.fingerprints("crawled") == expected
