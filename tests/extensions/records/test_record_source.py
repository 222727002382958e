"""Pages as records, from files and from a package."""

import json
import sys
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from contract.source import Place, SourceContract

from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.errors import ConfigError, ConfigMissing, SourceUnavailable
from searchsocket.extensions.records.page import extract_record
from searchsocket.extensions.records.source import GROUP, RecordsSource
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.sources import make_source
from searchsocket.sources.base import Source
from searchsocket.system import plugins
from searchsocket.web.urls.resolve import site_base


def write(path: Path, *values: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@dataclass
class RecordsPlace:
    folder: Path
    texts: dict[str, str] = field(default_factory=dict)

    def put(self, url: str, text: str) -> None:
        self.texts[url] = text
        self._write()

    def remove(self, url: str) -> None:
        del self.texts[url]
        self._write()

    def put_bad(self, url: str) -> None:
        self.put(url, "x" * 1001)

    def source(self) -> Source:
        return RecordsSource(self.folder, ["*.jsonl"], exclude=["/drafts/**"], max_page_bytes=1000)

    def _write(self) -> None:
        write(self.folder / "a.jsonl", *({"url": url, "markdown": text} for url, text in self.texts.items()))


class TestRecords(SourceContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> RecordsPlace:
        return RecordsPlace(tmp_path)

    def test_a_page_is_read_by_another_instance(self, place: Place) -> None:
        """The content of a page is the line of its record."""
        place.put("/a", "# Ä")
        [page] = place.source().pages()
        assert json.loads(place.source().read(page)) == {"url": "/a", "markdown": "# Ä"}


def listed(folder: Path, **options: object) -> tuple[list[RawPage], RecordsSource]:
    source = RecordsSource(folder, ["**/*.jsonl"], **options)  # type: ignore[arg-type]
    return [*source.pages()], source


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not valid JSON"),
        ("[]", "object"),
        ({"markdown": "a"}, "url: is missing"),
        ({"url": "/b"}, "markdown or html"),
        ({"url": "/b", "markdown": "a", "html": "a"}, "not both"),
        ({"url": "/b", "markdown": "a", "titel": "A"}, "titel: is an unknown key"),
        ({"url": "/b", "markdown": "a", "weight": 101}, "weight:"),
        ({"url": "/b", "markdown": 7}, "markdown:"),
        ({"url": "https://elsewhere.test/b", "markdown": "a"}, "is not on this site"),
        ({"url": "mailto:a@b.test", "markdown": "a"}, "is not on this site"),
    ],
)
def test_a_bad_record_is_named_by_its_line_and_deletes_nothing(tmp_path: Path, line: object, reason: str) -> None:
    write(tmp_path / "api" / "a.jsonl", {"url": "/a", "markdown": "a"}, "", line)
    pages, source = listed(tmp_path, site=site_base(["https://here.test"]))
    assert [page.url for page in pages] == ["/a"]
    assert [*source.report.failed] == ["api/a.jsonl:3"]
    assert reason in source.report.failed["api/a.jsonl:3"]
    assert not source.report.complete


def test_addresses_are_paths_of_the_site(tmp_path: Path) -> None:
    urls = ["https://here.test/docs/wal.html", "/docs/folder/", "plain?q=1#part"]
    write(tmp_path / "a.jsonl", *({"url": url, "html": "<p>a</p>"} for url in urls))
    pages, _ = listed(tmp_path, site=site_base(["https://here.test/docs"], "/docs"))
    assert [(page.url, page.address) for page in pages] == [
        ("/folder", "/docs/folder/"),
        ("/plain", "/docs/plain"),
        ("/wal", "/docs/wal.html"),
    ]


def test_of_two_records_the_first_counts(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"url": "/a", "markdown": "one"}, {"url": "/a/", "markdown": "two"})
    [page], source = listed(tmp_path)
    assert b"one" in source.read(page)
    assert source.report.skipped == {"a.jsonl:2": "another record has the same URL"}
    assert source.report.complete


def test_a_line_above_the_limit_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"url": "/a", "markdown": "x" * 5_000}, {"url": "/b", "markdown": "b"})
    [page], source = listed(tmp_path, max_page_bytes=100)
    assert (page.url, json.loads(source.read(page))["markdown"]) == ("/b", "b")
    assert "max_page_bytes" in source.report.failed["a.jsonl:1"]


def test_a_line_that_moved_is_not_taken_for_another_page(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"url": "/a", "markdown": "a"}, {"url": "/b", "markdown": "b"})
    pages, source = listed(tmp_path)
    write(tmp_path / "a.jsonl", {"url": "/b", "markdown": "b"}, {"url": "/a", "markdown": "a"})
    with pytest.raises(SourceUnavailable, match="changed since it was listed"):
        source.read(pages[0])


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "secret.jsonl", {"url": "/a", "markdown": "secret"})
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.jsonl").symlink_to(tmp_path / "secret.jsonl")
    pages, source = listed(tmp_path / "project")
    assert not pages
    assert "points out of" in source.report.failed["a.jsonl"]


def extracted(record: dict[str, object], **settings: object) -> ExtractedPage:
    page = RawPage("/api/get", "/api/get", "a.jsonl@0", "", "record")
    facets = {"version": "number", "kinds": "strings"}
    extract = ExtractSettings(**settings)  # type: ignore[arg-type]
    return extract_record(json.dumps(record).encode(), page, extract, TransformSettings(), facets=facets)  # type: ignore[arg-type]


def test_facts_of_a_record_come_first() -> None:
    page = extracted(
        {
            "url": "/api/get", "title": "Get a boat", "markdown": "# Boats\n\nSee [ropes](ropes).\n",
            "tags": ["a, b", "c"],
            "description": "One boat.", "language": "en", "weight": 2, "modified": "2026-11-01",
            "facets": {"version": 2, "kinds": ["get", "boat"], "other": 1},
        }
    )  # fmt: skip
    assert (page.title, page.description, page.language) == ("Get a boat", "One boat.", "en")
    assert (page.weight, page.modified, page.tags) == (2.0, "2026-11-01", ("a b", "c"))
    assert page.facets == ("kinds=get", "kinds=boat", "version=2")
    assert "See [ropes]" in page.body
    assert [link.target for link in page.links] == ["/api/ropes"]


@pytest.mark.parametrize(
    "html", ["<p>A boat.</p></main><p>A rope.</p>", "<h1>Boats</h1><nav>Menu</nav>A boat.<p>A rope."]
)
def test_html_is_the_main_content_whatever_it_closes(html: str) -> None:
    page = extracted({"url": "/api/get", "title": "<Get> & go", "html": html}, main_selector="#content")
    assert page.title == "<Get> & go"
    assert "A boat." in page.body
    assert "A rope." in page.body
    assert "Menu" not in page.body


def test_a_record_without_text_is_an_empty_page() -> None:
    assert extracted({"url": "/api/get", "markdown": " \n"}).skip == "empty"


@dataclass
class Reader:
    """A package's function: yields records, then may fail."""

    records: list[object]
    error: Exception | None = None

    def __call__(self, root: Path, scope: str) -> list[object]:
        if self.error:
            raise self.error
        return [{"url": f"/{root.name}/{scope}", "markdown": "Which project, which branch."}, *self.records]


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    reader_entry = Reader([])
    monkeypatch.setattr(sys.modules[__name__], "READER", reader_entry, raising=False)
    point = EntryPoint("boats", f"{__name__}:READER", GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda **_: EntryPoints([point]))
    return reader_entry


def of_package(tmp_path: Path, name: str = "boats") -> Source:
    settings = Settings.model_validate({"source": {"mode": "records", "records": {"reader": name}}})
    return make_source(tmp_path / "site", settings, scope="main", fetched_dir=tmp_path / "fetched")


def test_a_package_yields_records_and_another_process_reads_them(tmp_path: Path, reader: Reader) -> None:
    source = of_package(tmp_path)
    [page] = source.pages()
    assert page.url == "/site/main"
    assert b"Which project" in of_package(tmp_path).read(page)
    assert source.origin.facts() == {"source": "records", "generator": "boats"}
    assert reader.records == []


def test_a_package_that_fails_says_nothing_of_its_keys_and_loses_nothing(tmp_path: Path, reader: Reader) -> None:
    [page] = of_package(tmp_path).pages()
    reader.error = RuntimeError("key sk-123456 is wrong")
    source = of_package(tmp_path)
    with pytest.raises(SourceUnavailable, match="failed with RuntimeError") as raised:
        [*source.pages()]
    assert "sk-123456" not in f"{raised.value}{raised.value.__cause__}{raised.value.__context__}"
    assert b"Which project" in source.read(page)


def test_records_of_a_package_are_checked_like_a_file(tmp_path: Path, reader: Reader) -> None:
    reader.records.append({"url": "/b"})
    source = of_package(tmp_path)
    assert [page.url for page in source.pages()] == ["/site/main"]
    assert "markdown or html" in source.report.failed["records.jsonl:2"]


def test_a_name_that_no_package_has_is_refused(tmp_path: Path, reader: Reader) -> None:
    with pytest.raises(ConfigMissing, match=r"'ships', which is no entry point searchsocket.sources .*\(boats\)"):
        of_package(tmp_path, "ships")


@pytest.mark.parametrize("settings", [{}, {"files": ("a.jsonl",), "reader": "boats"}])
def test_one_place_of_records_must_be_named(tmp_path: Path, settings: dict[str, object]) -> None:
    with pytest.raises(ConfigMissing, match=r"source.records.files"):
        make_source(tmp_path, Settings.model_validate({"source": {"mode": "records", "records": settings}}))


def test_an_absolute_glob_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"source.records.files"):
        [*RecordsSource(tmp_path, ["/etc/*.jsonl"]).pages()]
