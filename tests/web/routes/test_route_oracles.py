"""Routes of real sites against the framework's own answers, for both versions of it (spec 16.4).

`oracles/` holds one app for each version, built and asked by `oracles/make.mjs`; the sites that others wrote lie
outside the repository.
"""

import csv
import io
import json
import os
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

from searchsocket.web.routes.kit import KitProject
from searchsocket.web.routes.table import RouteTable, route_table, scan_project, scan_routes
from searchsocket.web.urls.paths import path_of_file

SITES = Path(os.environ.get("SEARCHSOCKET_SITES", Path(__file__).parents[4] / "shared" / "sites"))
NAMES = [
    "bits-ui-docs",
    "kit-prerender-tests",
    "networking-toolbox",
    "smui-ghpages",
    "stias-workshop",
    "svelte-multiselect",
    "sveltepress-docs",
]

ORACLES = Path(__file__).parent / "oracles"
each_version = pytest.mark.parametrize("version", [2, 3])


def with_sites(test: Callable[..., None]) -> Callable[..., None]:
    absent = pytest.mark.skipif(not SITES.is_dir(), reason=f"the real sites are not at {SITES}; set SEARCHSOCKET_SITES")
    return pytest.mark.sites(absent(test))  # type: ignore[no-any-return]


@pytest.fixture
def app(version: int, tmp_path: Path) -> Path:
    """The app of a version as its author has it: configuration and route files."""
    oracle_folder = ORACLES / str(version)
    for name in ("package.json", "vite.config.js", *(["svelte.config.js"] if version == 2 else [])):
        (tmp_path / name).write_bytes((oracle_folder / name).read_bytes())
    for file in (oracle_folder / "routes.txt").read_text().splitlines():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


@each_version
def test_every_page_of_a_real_build_has_its_route(version: int, app: Path) -> None:
    """While it was built, the framework wrote into each page which route it had chosen, and with which parameters."""
    kit = scan_project(app)
    table = scan_routes(app, kit)
    assert (kit.version, kit.routes_dir, kit.static_dir, kit.base_path) == (version, "src/pages", "assets", "/base")
    assert table.warnings == ()
    truth = rows((ORACLES / str(version) / "truth.tsv").read_text())
    built = [row for row in truth if row["kind"] in ("page", "static")]
    # As the source lists them, by the names of the files.
    urls = [path_of_file(row["html_file"].removesuffix(".html").removesuffix("index")) for row in built]
    assert wrong_claims(table, list(zip(urls, built, strict=True))) == []
    guessed = [row["html_file"] for url, row in zip(urls, built, strict=True) if is_guess(table, url)]
    assert guessed == ["de-at/start.html", "items/42.html", "items/forty-two.html", "nowhere/start.html"]  # matchers
    assert len(built) > 30


@each_version
def test_random_trees_get_the_framework_answers(version: Literal[2, 3]) -> None:
    """85 trees of few names, so that their routes compete; those that the framework refuses are reported."""
    exact, silent, noisy, wrong = 0, [], [], []
    for tree in json.loads((ORACLES / str(version) / "trees.json").read_text()):
        table = route_table(tree["files"], KitProject(version, "routes"))
        if "refused" in tree:
            silent += [] if table.warnings else [tree["files"]]
            continue
        noisy += table.warnings
        answers = [(url, {"route_file": file, "params": json.dumps(params)}) for url, file, params in tree["answers"]]
        wrong += wrong_claims(table, answers)
        exact += sum(not is_guess(table, url) for url, _ in answers)
    assert (silent, noisy, wrong) == ([], [], [])
    assert exact > 1000


@cache
def small_files(name: str) -> dict[str, str]:
    """The text files beside a site's build: route lists, truths, oracles."""
    with tarfile.open(SITES / f"{name}.tar.xz") as archive:
        expected = [member for member in archive if member.isfile() and member.name.endswith((".tsv", ".txt", ".json"))]
        files = [(member.name.split("/", 1)[1], archive.extractfile(member)) for member in expected]
        return {inner: file.read().decode() for inner, file in files if file and not inner.startswith("build/")}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def is_guess(table: RouteTable, url: str) -> bool:
    return table.resolve(url).resolution == "best-effort"


def wrong_claims(table: RouteTable, answers: list[tuple[str, dict[str, str]]]) -> list[str]:
    """Exact claims that differ from the truth, and pages that no route was found for."""
    wrong = []
    for url, truth in answers:
        route = table.resolve(url)
        if route.resolution != "best-effort" and route.route_file != truth["route_file"]:
            wrong.append(f"{url}: {route.route_file or 'none'} instead of {truth['route_file'] or 'none'}")
        elif route.resolution == "exact" and truth.get("params") and json.loads(truth["params"]) != dict(route.params):
            wrong.append(f"{url}: parameters {route.params}")
    return wrong


@with_sites
@pytest.mark.parametrize("name", [name for name in NAMES if name != "kit-prerender-tests"])
def test_no_page_of_a_real_site_has_a_wrong_route(name: str) -> None:
    """Every built page, and every URL of the oracle where there is one."""
    files = small_files(name)
    base = json.loads(files["site.json"])["base"]
    table = route_table(files["routes.txt"].splitlines(), KitProject(2))
    # Root fallbacks are not pages; the source passes them over.
    pages = [row for row in rows(files["route-truth.tsv"]) if row["kind"] != "fallback"]
    answers = [(path_of_file(row["url"].removeprefix(base)), row) for row in pages]
    answers += [(row["url"], row) for row in rows(files.get("route-oracle.tsv", ""))]
    assert len(answers) > 20
    assert wrong_claims(table, answers) == []
    assert table.warnings == ()


@with_sites
@pytest.mark.parametrize(("name", "base"), [("basics", ""), ("options", "/path-base"), ("paths-base", "/path-base")])
def test_no_page_of_the_framework_tests_has_a_wrong_route(name: str, base: str) -> None:
    """Optional parameters, spaces, escapes, CJK, base paths."""
    files = small_files("kit-prerender-tests")
    pages = [row for row in rows(files[f"route-truth-{name}.tsv"]) if row["kind"] != "fallback"]
    table = route_table(files[f"routes-{name}.txt"].splitlines(), KitProject(2))
    assert wrong_claims(table, [(path_of_file(row["url"].removeprefix(base)), row) for row in pages]) == []
    # And as the source lists them, by the names of the files.
    built = [row["html_file"].removesuffix(".html").removesuffix("index") for row in pages]
    assert wrong_claims(table, list(zip(map(path_of_file, built), pages, strict=True))) == []


@with_sites
def test_two_thousand_urls_over_five_hundred_routes() -> None:
    """The framework's own router answered these, with every kind of segment and matchers."""
    files = small_files("kit-prerender-tests")
    table = route_table(files["routes-only/apps-basics.routes.txt"].splitlines(), KitProject(2))
    answers = [(row["url"], row) for row in rows(files["routes-only/apps-basics.oracle.tsv"])]
    assert len(answers) > 2000
    assert wrong_claims(table, answers) == []
    assert sum(table.resolve(url).resolution == "best-effort" for url, _ in answers) < 10


@with_sites
def test_sample_trees_agree_or_are_reported() -> None:
    """31 small trees: those that the framework refuses give a warning, save the one whose reason is not in a name."""
    files = small_files("kit-prerender-tests")
    silent, wrong, trees = [], [], 0
    for path in sorted(files):
        if path.startswith("routes-only/samples/") and path.endswith(".routes.txt"):
            tree = path.split("/")[-1].removesuffix(".routes.txt")
            table, trees = route_table(files[path].splitlines(), KitProject(2, tree)), trees + 1
            oracle = files[path.replace(".routes.txt", ".oracle.tsv")]
            if not oracle.startswith("INVALID"):
                wrong += wrong_claims(table, [(row["url"], row) for row in rows(oracle)])
            elif not table.warnings:
                silent.append(tree)
    assert trees == 31
    assert wrong == []
    assert silent == ["prerendered-dual-route"]
