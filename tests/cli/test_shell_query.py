"""`searchsocket search` without a service loads little, and prints to the byte what it prints when it loads all."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from runner_types import RunCli

from searchsocket.cli.asking import identity
from searchsocket.project.project import Project, open_project
from searchsocket.project.settings.load import all_keys
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.query import SearchQuery
from searchsocket.serving.answer_json import to_json
from searchsocket.serving.service import open_service
from searchsocket.serving.shell.kept_project import keep_project, kept_project
from searchsocket.serving.shell.plain_json import plain_json

QUERIES = (
    ["mooring", "rope"],
    ["tide", "--top-k", "1", "--explain", "--json"],
    ["rope", "--json", "--group-by", "chunk"],
    ["rope", "--path-prefix", "/docs", "--kind", "section", "--language", "en"],
    ["rope", "--tag", "nowhere", "--json"],
    ["zzzz qqqq", "--json"],
    ["rope", "--scope", "nowhere", "--json"],
    ["rope", "--scope", "!!"],
    ["rope", "--filter", "colour=red"],
    ["rope", "--facet", "colour"],
    ["x" * 2_000],
    [" "],
)
_TIMES = re.compile(r'in \d+ ms|"(?:timingsMs":\{[^}]*\}|ageSeconds":[\d.]+)')
HEAVY = {"pydantic", "filelock", "lxml", "dagster", "fastapi", "logging", "searchsocket.stores.local.store"}


def state(root: Path) -> Path:
    return root / ".searchsocket"


def kept(root: Path) -> Project | None:
    return kept_project(root, identity(os.path.realpath(root), os.environ), os.environ)


@pytest.mark.parametrize("arguments", QUERIES, ids=lambda arguments: " ".join(arguments)[:40])
def test_an_answer_is_the_same_whether_all_is_loaded_or_little(
    indexed: Path, run: RunCli, arguments: list[str]
) -> None:
    assert kept(indexed) is None
    full = run("search", *arguments, project=indexed)
    run("search", "rope", project=indexed)
    assert kept(indexed) is not None
    lean = run("search", *arguments, project=indexed)
    assert _TIMES.sub("", lean.stdout) == _TIMES.sub("", full.stdout)
    assert (lean.exit_code, lean.stderr) == (full.exit_code, full.stderr)


def test_nothing_is_loaded_that_builds_or_checks(indexed: Path, run: RunCli) -> None:
    """Bar: 0.25 s of CPU, of which numpy and click take half."""
    run("search", "rope", project=indexed)
    program = (
        "import sys; from searchsocket.cli.main import cli\n"
        "cli(['search', 'mooring rope', '--json'], standalone_mode=False)\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=indexed, capture_output=True, text=True, check=True)
    answer, loaded = done.stdout.splitlines()
    assert json.loads(answer)["results"][0]["title"] == "Ropes"
    assert loaded == "[]"


def test_the_first_query_after_a_run_reads_no_settings(site: Path, run: RunCli) -> None:
    run("index", "--dry-run")
    assert kept(site) is None
    run("index")
    assert kept(site) is not None


def test_wrong_settings_are_said_by_who_reads_them(indexed: Path, run: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    run("search", "rope", project=indexed)
    (indexed / "searchsocket.toml").write_text("[ranking]\ncandidate = 3\n")
    wrong = run("search", "rope", project=indexed)
    assert (wrong.exit_code, "candidate_k" in wrong.stderr) == (2, True)
    (indexed / "searchsocket.toml").unlink()
    assert run("search", "rope", project=indexed).exit_code == 0
    monkeypatch.setenv("SEARCHSOCKET__RANKING__CANDIDATE_K", "none")
    assert run("search", "rope", project=indexed).exit_code == 2


def test_what_somebody_else_could_have_kept_or_changed_is_not_taken(indexed: Path, run: RunCli) -> None:
    path = state(indexed) / "settings.json"
    run("search", "rope", project=indexed)
    path.chmod(0o666)
    assert kept(indexed) is None
    path.chmod(0o644)
    assert kept(indexed) is not None
    path.write_bytes(path.read_bytes().replace(b"main", b"mine"))
    assert kept(indexed) is None


def test_a_state_folder_that_takes_no_file_is_only_read(indexed: Path, run: RunCli) -> None:
    """As that of another user; here each file's name is taken by a folder."""
    for name in ("settings.json", "hashed.json"):
        (state(indexed) / name).unlink(missing_ok=True)  # of the index that this one is a copy of
        (state(indexed) / name).mkdir()
        assert run("search", "rope", project=indexed).exit_code == 0
    (state(indexed) / "settings.json").rmdir()
    for _ in range(2):  # what keeps settings, then what is answered with them
        assert run("search", "rope", project=indexed).exit_code == 0
    assert (state(indexed) / "settings.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("table", ['[embeddings]\nprovider = "auto"\n', '[embeddings]\nprovider = "hash"\n'])
def test_another_model_is_asked_as_ever(indexed: Path, run: RunCli, table: str) -> None:
    (indexed / "searchsocket.toml").write_text(table)
    first, second = (run("search", "rope", project=indexed) for _ in range(2))
    assert kept(indexed) is not None
    assert (first.exit_code, first.stderr) == (second.exit_code, second.stderr)


def test_a_file_that_changed_since_it_was_hashed_is_found(indexed: Path, run: RunCli) -> None:
    """Also with its size and its time of modification as they were: its time of change is another."""
    for _ in range(2):
        assert run("search", "rope", project=indexed).exit_code == 0
    assert (state(indexed) / "hashed.json").is_file()
    (vectors,) = state(indexed).glob("index/main/*/vectors.f32")
    times, data = vectors.stat(), bytearray(vectors.read_bytes())
    data[len(data) // 2] ^= 1
    new = vectors.with_name("new")
    new.write_bytes(data)
    new.replace(vectors)
    os.utime(vectors, ns=(times.st_atime_ns, times.st_mtime_ns))
    damaged = run("search", "rope", "--json", project=indexed)
    assert json.loads(damaged.stdout)["error"]["code"] == "INDEX_CORRUPT"


SETTINGS = """
[project]
id = "harbour"
[facets]
colour = "string"
[ranking]
synonyms = [["rope", "line"], ["tide", "ebb"]]
collapse_alike = false
[ranking.weights]
depth = 0.05
[source]
exclude = ["/drafts/**"]
[api.cors]
allow_origins = ["https://example.com"]
"""


def test_kept_settings_are_equal_key_by_key(tmp_path: Path) -> None:
    (tmp_path / ".searchsocket").mkdir()
    (tmp_path / "searchsocket.toml").write_text(SETTINGS)
    project = open_project(tmp_path, {})
    keep_project(project, "key")
    found = kept_project(tmp_path, "key", {})
    assert found is not None
    assert (found.root, found.id, found.state_dir) == (project.root, "harbour", project.state_dir)
    for key in all_keys():
        read, kept_value = project.settings, found.settings
        for name in key.split("."):
            read, kept_value = getattr(read, name), getattr(kept_value, name)
        assert (kept_value, type(kept_value)) == (read, type(read)), key
    assert kept_project(tmp_path, "another", {}) is None


def test_json_is_the_same_without_pydantic(indexed: Path) -> None:
    project = open_project(indexed, os.environ)
    service = open_service(project, os.environ)
    for query in (SearchQuery("rope", explain=True, sources=True), SearchQuery("tide", group_by="chunk"), *ODD):
        answer = service.search(query, project.scope(os.environ))
        assert plain_json(answer) == to_json(answer, sources=True).decode()


ODD = [SearchQuery(text) for text in ('"\\\u2028\u007f\x85 rope', "<b>&amp;</b> tide", "höhe 潮 🛟 rope")]


def test_numbers_that_would_be_spelled_otherwise_are_left_to_pydantic(indexed: Path) -> None:
    from dataclasses import replace

    project = open_project(indexed, os.environ)
    answer: SearchAnswer = open_service(project, os.environ).search(SearchQuery("rope"), project.scope(os.environ))
    for number in (1e-7, float("nan"), float("inf"), 1e17):
        assert plain_json(replace(answer, meta=replace(answer.meta, age_seconds=number))) is None
