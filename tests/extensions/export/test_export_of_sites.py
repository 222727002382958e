"""Several sites in one export: each in its folder, one entry, and answers merged as the service merges them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from search_site import MAIN, Piece, Site, make_site

from searchsocket.cli.main import cli
from searchsocket.extensions.export.files import ENTRY, SiteExport, export_generation, export_sites
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.api.searcher import SiteReply, merged_answer
from searchsocket.project.project import open_project
from searchsocket.stores.local.store import LocalStore
from tests.extensions.export.test_export import PIECES, browser_answers, indexed, needs_node

BLOG = [
    Piece("/", "Notes from the crew.", title="Crew notes: a blog"),
    Piece("/ropes", "How we splice ropes on the quay.", title="Splicing ropes", facets=("level=hard",)),
    Piece("/mooring", "Moor the boat before the storm.", title="Mooring in a storm"),
    Piece("/galley", "Soup for the night watch.", title="Galley"),
]
QUERIES = ["mooring ropes", "ropes", "install", "soup", "boat", "quay", "asdfqwer", "harbour storm", "log 7"]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> list[Site]:
    return [make_site(tmp_path_factory.mktemp(name), pieces) for name, pieces in (("docs", PIECES), ("blog", BLOG))]


def exported(sites: list[Site], target: Path) -> Path:
    named = zip(sites, (("docs", "Docs", ""), ("blog", "Blog", "https://blog.example")), strict=True)
    export_sites(
        [
            SiteExport(site.store.reader(MAIN), site.settings, project=one[0], title=one[1], address=one[2])
            for site, one in named
        ],
        target,
    )
    return target


@pytest.fixture(scope="module")
def folder(sites: list[Site], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(sites, tmp_path_factory.mktemp("bundle"))


@needs_node
def test_answers_are_merged_as_by_the_service(sites: list[Site], folder: Path, tmp_path: Path) -> None:
    """The rule is written twice; both sides merge the same answers of single exports."""
    requests: dict[str, dict[str, Any]] = {q: {"q": q, "facets": ["level"]} for q in QUERIES}
    merged = browser_answers(folder, requests)
    alone = []
    for site, name in zip(sites, ("docs", "blog"), strict=True):
        export_generation(site.store.reader(MAIN), site.settings, tmp_path / name)
        alone.append(browser_answers(tmp_path / name, requests))
    projects = [("docs", "Docs", ""), ("blog", "Blog", "https://blog.example")]
    for q in QUERIES:
        replies = [
            SiteReply(ServedSite(open_project(tmp_path, {}), *origin, None), 200, (), json.dumps(answers[q]).encode())
            for origin, answers in zip(projects, alone, strict=True)
        ]
        by_service = json.loads(bytes(merged_answer(replies, 10, 0).body))
        places = [[(hit["url"], hit["origin"]) for hit in answer["results"]] for answer in (merged[q], by_service)]
        assert places[0] == places[1]
        for name in ("total", "quality", "facets"):
            assert merged[q].get(name) == by_service.get(name)
    assert {result["origin"]["project"] for result in merged["ropes"]["results"]} == {"docs", "blog"}


@needs_node
def test_results_continue_over_all_sites(folder: Path) -> None:
    requests = {"all": {"q": "boat", "topK": 6}, "rest": {"q": "boat", "topK": 3, "offset": 3}}
    answers = browser_answers(folder, requests)
    assert [result["ref"] for result in answers["rest"]["results"]] == [
        item["ref"] for item in answers["all"]["results"]
    ][3:]


@needs_node
def test_a_site_whose_files_are_gone_is_left_out_with_a_note(sites: list[Site], tmp_path: Path) -> None:
    target = exported(sites, tmp_path)
    for path in (target / "sites" / "blog").glob("words-*"):
        path.unlink()
    answers = browser_answers(target, {"q": {"q": "mooring"}})
    assert answers["q"]["meta"]["notes"] == [{"code": "SITE_UNAVAILABLE", "message": "Blog did not answer"}]
    assert {result["origin"]["project"] for result in answers["q"]["results"]} == {"docs"}


def test_files_of_a_site_stay_for_one_release(tmp_path: Path) -> None:
    """A site that did not change keeps its files, and an open page keeps those of the site that did."""
    docs, blog = make_site(tmp_path / "docs", PIECES[:3]), make_site(tmp_path / "blog", BLOG)
    heads = []
    for text in ("The first edition.", "The second edition.", "The third edition."):
        blog.publish([Piece("/edition", text, title="Edition")])
        entry = json.loads((exported([docs, blog], tmp_path / "out") / ENTRY).read_text())
        heads.append([site["head"] for site in entry["sites"]])
    assert len({docs_head for docs_head, _ in heads}) == 1
    export_folder = indexed(tmp_path / "out" / "sites" / "blog")
    assert {heads[1][1], heads[2][1]} <= export_folder
    assert heads[0][1] not in export_folder
    listed = json.loads((tmp_path / "out" / entry["files"]).read_text())
    assert all((tmp_path / "out" / name).is_file() for name in listed)


def test_the_command_exports_several_projects(tmp_path: Path) -> None:
    options = ["export", "out", "--scope", "main"]
    for name, pieces in (("docs", PIECES[1:3]), ("blog", BLOG)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "searchsocket.toml").write_text(
            f'[project]\nid = "{name}"\nbase_url = "https://{name}.example/"\n'
        )
        project = open_project(tmp_path / name, {})
        Site(LocalStore(project.state_dir / "index", name)).publish(pieces, project.scope_named("main"))
        options += ["--project", str(project.root)]
    result = CliRunner().invoke(cli, options)
    assert result.exit_code == 0, result.output
    assert "Crew notes: generation" in result.output
    entry = json.loads((tmp_path / "docs" / "out" / ENTRY).read_text())
    assert [site["origin"] for site in entry["sites"]] == [
        {"project": "docs", "title": "docs", "site": "https://docs.example"},
        {"project": "blog", "title": "Crew notes", "site": "https://blog.example"},
    ]
    result = CliRunner().invoke(cli, [*options, "--json"])
    assert [site["written"] for site in json.loads(result.output)["sites"]] == [0, 0]


def test_two_projects_of_one_id_are_refused(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text('[project]\nid = "docs"\n')
    result = CliRunner().invoke(cli, ["export", "out", *["--project", str(tmp_path)] * 2])
    assert "set project.id in one of them" in result.output or "set project.id" in str(result.exception)
