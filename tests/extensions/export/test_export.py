"""Files of a static export: named by their contents, replaced without a gap, and searched as on the server."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from search_site import MAIN, NOW, PROJECT, Piece, Site, make_site

from searchsocket.cli.main import cli
from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import FILE_NAME
from searchsocket.errors import ConfigError, ScopeNotIndexed
from searchsocket.extensions.export.files import ENTRY, export_generation
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores.local.store import LocalStore

ASK = Path(__file__).parents[3] / "clients" / "js" / "scripts" / "ask-static.mjs"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no node on this machine: apt-get install nodejs")
PIECES = [
    Piece("/", "Welcome to the harbour of boats.", title="Harbour"),
    Piece("/install", "Install the package with one command, then moor the boat.", title="Install", section="Install"),
    Piece("/install", "Uninstalling removes the configuration files.", title="Install", section="Remove", ordinal=1),
    Piece("/guide/moor", "Moor at the quay with two ropes. Ropes wear out.", title="Mooring", section="Mooring"),
    Piece("/guide/sail", "Raise the sail when the wind turns. useState keeps it.", title="Sailing", tags=("wind",)),
    Piece("/guide/hidden", "Moor in secret.", title="Hidden", weight=0.0),
    Piece("/de/moor", "Am Kai anlegen.", title="Anlegen", language="de", facets=("level=easy", "depth=3")),
    *(Piece(f"/log/{number}", f"Log entry {number} of the boat.", title=f"Log {number}") for number in range(30)),
]  # fmt: skip


def exported(site: Site, target: Path, settings: RankingSettings | None = None) -> Path:
    export_generation(site.store.reader(MAIN), settings or site.settings, target)
    return target


def browser_answers(folder: Path, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Answers of the browser's side, by the name of each request."""
    source, target = folder / "requests.json", folder / "answers.json"
    source.write_text(json.dumps({"folder": str(folder), "requests": requests}))
    subprocess.run([NODE or "", ASK, source, target], check=True, capture_output=True)
    answers: dict[str, Any] = json.loads(target.read_text())
    source.unlink()
    target.unlink()
    return answers


def urls(answer: Mapping[str, Any]) -> list[str]:
    return [result["url"] for result in answer["results"]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"), PIECES)


@pytest.fixture(scope="module")
def folder(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = RankingSettings(synonyms=(("quay", "pier"),))
    return exported(site, tmp_path_factory.mktemp("export"), settings)


def indexed(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.suffix == ".bin"}


def test_the_same_index_gives_the_same_files(site: Site, tmp_path: Path) -> None:
    """Names are those of the contents, so caches may keep every file forever except the entry."""
    exported(site, tmp_path / "one")
    again = export_generation(site.store.reader(MAIN), site.settings, exported(site, tmp_path / "two"))
    assert indexed(tmp_path / "one") == indexed(tmp_path / "two")
    assert (again.written, again.removed) == (0, 0)


def test_files_stay_for_one_release(tmp_path: Path) -> None:
    """A page that is open during a deployment reads the generation that it began with."""
    site = make_site(tmp_path / "store", PIECES[:3])
    generations = []
    for text in ("The first edition.", "The second edition.", "The third edition."):
        site.publish([Piece("/edition", text, title="Edition")])
        exported(site, tmp_path / "out")
        generations.append(json.loads((tmp_path / "out" / ENTRY).read_text())["head"])
    first, second, third = generations
    assert {second, third} <= indexed(tmp_path / "out")
    assert first not in indexed(tmp_path / "out")
    exported(site, tmp_path / "out")  # the same once more is no release
    assert {second, third} <= indexed(tmp_path / "out")


def test_a_file_with_other_contents_is_an_error(site: Site, tmp_path: Path) -> None:
    head = json.loads((exported(site, tmp_path) / ENTRY).read_text())["head"]
    (tmp_path / head).write_bytes(b"something else")
    with pytest.raises(ConfigError, match=head):
        exported(site, tmp_path)


def test_a_damaged_entry_is_replaced(site: Site, tmp_path: Path) -> None:
    (tmp_path / ENTRY).write_text("{half")
    assert json.loads((exported(site, tmp_path) / ENTRY).read_text())["previous"] == ""


SAME = ["install", "mooring ropes", "uninstall configuration", "sail wind", "useState", "log 7", "harbour", "remove"]


@needs_node
@pytest.mark.parametrize("q", SAME)
def test_the_first_result_is_the_server_s(site: Site, folder: Path, q: str) -> None:
    answer = browser_answers(folder, {"q": {"q": q}})["q"]
    on_server = site.engine.search(SearchQuery(q), MAIN)
    assert urls(answer)[0] == on_server.results[0].url
    assert answer["results"][0]["href"] == on_server.results[0].href


@needs_node
def test_a_long_page_leaves_room_for_others(tmp_path: Path) -> None:
    """It has more sections with a word than there are candidates."""
    names = ("files", "sockets", "compression")
    sections = [
        Piece("/stream", f"The stream emits event {at}.", title="Stream", section=f"Event {at}", ordinal=at)
        for at in range(150)
    ]
    pages = [Piece(f"/{name}", f"Of {name} a stream of {name} is made.", title=name.title()) for name in names]
    site = make_site(tmp_path / "store", [*sections, *pages])
    answers = browser_answers(
        exported(site, tmp_path / "out"), {q: {"q": q} for q in ("stream", *(f"stream of {name}" for name in names))}
    )
    assert urls(answers["stream"]) == ["/stream", *sorted(f"/{name}" for name in names)]
    for q in list(answers)[1:]:
        on_server = site.engine.search(SearchQuery(q), MAIN)
        assert urls(answers[q])[0] == on_server.results[0].url
        assert set(urls(answers[q])) >= {result.url for result in on_server.results}


@needs_node
def test_words_are_found_as_people_type_them(folder: Path) -> None:
    requests = {
        q: {"q": q} for q in ("instal", "isntall", "moorin", "configurtaion", "pier ropes", "asdfqwer", "/install")
    }
    answers = browser_answers(folder, requests)
    first: dict[str, Sequence[str]] = {q: urls(answer)[:1] for q, answer in answers.items()}
    assert first == {
        "instal": ["/install"],
        "isntall": ["/install"],
        "moorin": ["/guide/moor"],
        "configurtaion": ["/install"],
        "pier ropes": ["/guide/moor"],
        "asdfqwer": [],
        "/install": ["/install"],
    }
    assert answers["asdfqwer"]["quality"] == "rejected"


HEADINGS = [
    Piece("/", "Welcome.", title="Harbour"),
    Piece("/ropes", "## Typing ropes\n\nOf hemp.", title="Hemp", section="Typing ropes"),
    Piece("/quay", "Ropes for typing, and typing of ropes, are typing and ropes.", title="Quay"),
    Piece("/anchor", "## Anchor\n\nOf iron. An anchor is an anchor.", title="Iron", section="Anchor"),
    Piece("/steel", "## AnchorChains\n\nOf steel.", title="Steel", section="AnchorChains"),
    *(Piece(f"/log/{number}", f"Log entry {number}.", title=f"Log {number}") for number in range(10)),
]


@needs_node
@pytest.mark.parametrize(
    ("q", "url"),
    [
        ("Typidg ropes", "/ropes"),
        ("typing rppes", "/ropes"),
        ("ancjor", "/anchor"),
        ("Harbour typing ropes", "/ropes"),
        ("anchorCh", "/steel"),
    ],
)
def test_a_query_is_a_heading_as_on_the_server(tmp_path: Path, q: str, url: str) -> None:
    """It is one with a typo, or behind the product's name. The beginning of a heading is no typo of another one."""
    site = make_site(tmp_path / "store", HEADINGS)
    answer = browser_answers(exported(site, tmp_path / "out"), {"q": {"q": q}})["q"]
    assert urls(answer)[:1] == [site.engine.search(SearchQuery(q), MAIN).results[0].url] == [url]


@needs_node
def test_a_heading_that_begins_with_the_query_precedes_more_words(tmp_path: Path) -> None:
    pieces = [
        Piece("/nets", "## Netting needles\n\nOf bone.", title="Bone", section="Netting needles"),
        Piece("/fish/netting", "Netting, netting and netting.", title="Fish"),
        Piece("/crew", f"The crew mends the netting. {'They sleep, they eat and they sing. ' * 20}", title="Crew"),
    ]
    folder = exported(make_site(tmp_path / "store", pieces), tmp_path / "out")
    assert urls(browser_answers(folder, {"q": {"q": "netti"}})["q"])[0] == "/nets"


@needs_node
def test_hidden_pages_are_in_no_file(folder: Path) -> None:
    assert urls(browser_answers(folder, {"q": {"q": "secret"}})["q"]) == []


@needs_node
def test_a_result_has_its_section_and_marks(folder: Path) -> None:
    [first, *_] = browser_answers(folder, {"q": {"q": "configuration files"}})["q"]["results"]
    assert (first["url"], first["sectionTitle"]) == ("/install", "Remove")
    assert [first["snippet"][start:end] for start, end in first["marks"]] == ["configuration", "files"]


@needs_node
def test_filters_narrow_the_answer(folder: Path) -> None:
    answers = browser_answers(
        folder,
        {
            "directory": {"q": "boat moor", "pathPrefix": "/guide"},
            "tag": {"q": "sail wind moor", "tags": ["wind"]},
            "language": {"q": "anlegen", "filters": {"language": "de"}},
            "facet": {"q": "anlegen", "filters": {"level": "easy"}, "facets": ["level"]},
            "less": {"q": "anlegen", "filters": {"depth": ["<=3", ">2.5"]}},
            "more": {"q": "anlegen", "filters": {"depth": ">3"}},
            "version": {"q": "boat", "version": "9.9"},
            "empty": {"q": "  "},
        },
    )
    assert set(urls(answers["directory"])) == {"/guide/moor"}
    assert urls(answers["tag"]) == ["/guide/sail"]
    assert urls(answers["language"]) == urls(answers["facet"]) == urls(answers["less"]) == ["/de/moor"]
    assert urls(answers["more"]) == []
    assert answers["facet"]["facets"] == {"level": {"easy": 1}}
    assert answers["version"]["error"]["code"] == "UNKNOWN_VERSION"
    assert answers["empty"]["error"]["code"] == "INVALID_REQUEST"


@needs_node
def test_pages_of_results_do_not_overlap(folder: Path) -> None:
    answers = browser_answers(
        folder, {"first": {"q": "log", "topK": 5}, "second": {"q": "log", "topK": 5, "offset": 5}}
    )
    assert len({*urls(answers["first"]), *urls(answers["second"])}) == 10
    assert answers["first"]["total"] == answers["second"]["total"]


RULES = """
[[pin]]
query = "{query}"
pages = ["/de/moor", "/install", "/gone", "/guide/hidden"]
[[pin]]
query = "over"
pages = "/de/moor"
until = 2020-01-01
[[hide]]
query = "log*"
pages = "/log/1*"
[[boost]]
path = "/log"
query = "boat"
factor = 5.0
[[synonyms]]
words = ["tether", "moor"]
[[synonyms]]
words = ["bygone", "moor"]
until = 2020-01-01
"""
CURATED = ["price list", "PRICE list?", "log boat", "over", "boat", "tether", "bygone"]


@needs_node
def test_rules_of_the_owner_are_the_server_s(site: Site, tmp_path: Path) -> None:
    """Pins, hides, boosts and synonyms, with their last days."""
    (tmp_path / FILE_NAME).write_text(RULES.format(query="price list"))
    curation = Curation(tmp_path)
    export_generation(site.store.reader(MAIN), site.settings, tmp_path / "out", curation.rules())
    store = LocalStore(site.store.root, PROJECT, synonyms=curation)
    queries = QueryVectors(lambda _: site.embedder)
    engine = SearchEngine(store, queries, site.settings, lambda: NOW, curation=curation)
    answers = browser_answers(tmp_path / "out", {q: {"q": q, "topK": 30} for q in CURATED})
    on_server = {q: [result.url for result in engine.search(SearchQuery(q, top_k=30), MAIN).results] for q in CURATED}
    pins = ["/de/moor", "/install"]
    assert urls(answers["price list"]) == urls(answers["PRICE list?"]) == on_server["price list"] == pins
    assert [item["confidence"] for item in answers["price list"]["results"]] == [1, 1]
    assert answers["price list"]["quality"] == "answered"
    logs = {url for url in urls(answers["log boat"]) if url.startswith("/log/")}
    assert logs == {url for url in on_server["log boat"] if url.startswith("/log/")}
    assert logs == {f"/log/{number}" for number in (0, *range(2, 10), *range(20, 30))}
    assert urls(answers["tether"])[0] == on_server["tether"][0] == "/guide/moor"
    assert urls(answers["boat"])[0].startswith("/log/")
    assert on_server["boat"][0].startswith("/log/")
    assert urls(answers["over"]) == urls(answers["bygone"]) == []


@needs_node
def test_a_pin_never_passes_a_filter(site: Site, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(RULES.format(query="moor"))
    export_generation(site.store.reader(MAIN), site.settings, tmp_path / "out", Curation(tmp_path).rules())
    requests = {
        "all": {},
        "guide": {"pathPrefix": "/guide"},
        "tag": {"tags": ["wind"]},
        "two": {"offset": 1, "topK": 1},
    }
    answers = browser_answers(tmp_path / "out", {name: {"q": "moor", **one} for name, one in requests.items()})
    assert urls(answers["all"])[:2] == ["/de/moor", "/install"]
    assert not {"/de/moor", "/install"} & {*urls(answers["guide"]), *urls(answers["tag"])}
    assert urls(answers["two"]) == ["/install"]


def test_the_command_needs_an_index(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text('[project]\nid = "harbour"\n')
    result = CliRunner().invoke(cli, ["export", "out", "--project", str(tmp_path)])
    assert isinstance(result.exception, ScopeNotIndexed) or ScopeNotIndexed.code in result.output
    assert not (tmp_path / "out").exists()
