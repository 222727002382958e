"""The files beside the pages of a site: what is written, kept, removed, and never touched."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from searchsocket.errors import SearchSocketError
from searchsocket.extensions.llms.folder import OwnFile, OwnFiles, OwnRecord
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.unchanged.inputs import files_and_folders
from tests.extensions.llms.llms_txt_parser import parse_llms_txt
from tests.pipeline.conftest import Site

PAGES = {"index.md", "docs/install.md", "docs/usage.md", "docs/faq.md", "blog/first.md", "blog/second.md"}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path / "site")
    (site.root / "searchsocket.toml").write_text(
        'project.base_url = "https://fjord.example"\n[embeddings]\nprovider = "hash"\n[llms]\nenable = true\n'
    )
    return site


def files(site: Site) -> dict[str, Path]:
    build = site.root / "build"
    files_by_path = {path.relative_to(build).as_posix(): path for path in build.rglob("*") if path.is_file()}
    return {name: path for name, path in files_by_path.items() if not name.endswith(".html")}


def written(site: Site) -> int:
    return last_numbers(site)["files_written"]


def last_numbers(site: Site) -> dict[str, int]:
    """Return the counts of the last run."""
    with site.run().state.open("main") as state:
        report = state.history.last("llms_txt")
    assert report
    return dict(report["numbers"])


def test_each_page_has_its_markdown_beside_it_and_the_list_names_them(site: Site) -> None:
    site.index()
    assert set(files(site)) == {*PAGES, "llms.txt", "llms-full.txt"}
    lists = parse_llms_txt(files(site)["llms.txt"].read_text())
    assert lists.title == "Home"
    assert set(lists.urls) == {f"https://fjord.example/{name}" for name in [*PAGES, "llms-full.txt"]}
    page = files(site)["docs/install.md"].read_text()
    assert "## Linux" in page
    assert 'url: "https://fjord.example/docs/install"' in page
    full = files(site)["llms-full.txt"].read_text()
    assert all(path.read_text().strip() in full for name, path in files(site).items() if name in PAGES)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_a_record_that_came_with_a_checkout_deletes_nothing_outside(
    site: Site, tmp_path: Path, *, is_enabled: bool
) -> None:
    """It names any folder, and the hash of a file that many people have."""
    outside = tmp_path / "victim"
    outside.mkdir()
    (outside / "llms").write_text("also known\n")
    (site.root / "link").symlink_to(outside)
    for number, folder in enumerate((outside, site.root / "link")):
        own = OwnFile("x", sha256(b"also known\n").hexdigest(), "", {})
        OwnRecord(site.root / f".searchsocket/llms/{number}.json").save(str(folder), "main", {"llms": own})
    if not is_enabled:
        (site.root / "searchsocket.toml").write_text('[embeddings]\nprovider = "hash"\n')
    site.index()
    assert (outside / "llms").read_text() == "also known\n"


def test_only_what_changed_is_written_and_what_is_gone_goes(site: Site) -> None:
    site.index()
    before = {name: path.stat().st_mtime_ns for name, path in files(site).items()}
    site.index()
    assert written(site) == 0
    site.write("docs/faq.html", "FAQ", "<p>Tickets are free on Sundays.</p>")
    site.delete("blog/second.html")
    site.index()
    after = {name: path.stat().st_mtime_ns for name, path in files(site).items()}
    assert set(before) - set(after) == {"blog/second.md"}
    assert {name for name in after if after[name] != before[name]} == {"docs/faq.md", "llms.txt", "llms-full.txt"}
    assert last_numbers(site) == {"pages": 5, "files_written": 3, "files_removed": 1, "files_in_the_way": 0}


def test_a_site_that_is_built_anew_gets_them_again(site: Site) -> None:
    """Builders empty their folder first."""
    site.index()
    before = {name: path.read_bytes() for name, path in files(site).items()}
    for path in files(site).values():
        path.unlink()
    site.index()
    assert {name: path.read_bytes() for name, path in files(site).items()} == before


def test_a_file_of_somebody_else_is_neither_overwritten_nor_deleted(site: Site, tmp_path: Path) -> None:
    """His `llms.txt` and page stay, also one that we wrote and he edited, also when the page goes; a run says it."""
    build = site.root / "build"
    (build / "llms.txt").write_text("mine")
    (build / "docs/usage.md").mkdir()
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("mine")
    (build / "docs/faq.md").symlink_to(elsewhere)
    summary = site.index()
    (warning,) = [warning for warning in summary.warnings if "not written by searchsocket" in warning]
    assert "docs/faq.md, docs/usage.md, llms.txt" in warning
    (build / "blog/second.md").write_text("edited")
    site.delete("blog/second.html")
    site.index()
    assert (build / "llms.txt").read_text() == elsewhere.read_text() == "mine"
    assert (build / "blog/second.md").read_text() == "edited"


def test_no_link_leads_a_file_out_of_the_folder(site: Site, tmp_path: Path) -> None:
    (site.root / "static").mkdir()
    (tmp_path / "outside").mkdir()
    (site.root / "static/docs").symlink_to(tmp_path / "outside")
    toml = site.root / "searchsocket.toml"
    toml.write_text(toml.read_text() + 'dir = "static"\n')
    site.index()
    assert not list((tmp_path / "outside").iterdir())
    assert (site.root / "static/blog/first.md").is_file()


def test_a_run_that_saw_half_of_the_site_removes_nothing(site: Site) -> None:
    site.index()
    index_scope(site.run(options=RunOptions(max_pages=2)))
    assert set(files(site)) == {*PAGES, "llms.txt", "llms-full.txt"}


def test_a_dry_run_writes_none(site: Site) -> None:
    plan_scope(site.run())
    assert not files(site)


def test_pages_that_come_from_no_folder_need_one_to_be_named(site: Site) -> None:
    (site.root / "content").mkdir()
    (site.root / "content/a.md").write_text("# Tides\n\nHigh water at noon, as every day of this year.\n")
    toml = site.root / "searchsocket.toml"
    toml.write_text(f'source.mode = "content-files"\n{toml.read_text()}')
    with pytest.raises(SearchSocketError, match=r"set llms\.dir") as caught:
        site.index()
    assert caught.value.code == "CONFIG_MISSING"


def configure(site: Site, lines: str) -> None:
    toml = site.root / "searchsocket.toml"
    toml.write_text(toml.read_text().partition("[llms]")[0] + f"[llms]\n{lines}\n")


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_another_folder_or_none_takes_the_files_from_where_they_were(site: Site) -> None:
    """Those of ours alone, as they were written, and of this scope."""
    configure(site, 'enable = true\ndir = "static/{scope}"')
    site.index()
    site.index("other")
    (site.root / "static/main/about.md").write_text("mine")
    (site.root / "static/main/docs/usage.md").write_text("edited")
    configure(site, 'enable = true\ndir = "public/{scope}"')
    site.index()
    every = {*PAGES, "llms.txt", "llms-full.txt"}
    assert below(site.root / "public/main") == below(site.root / "static/other") == every
    assert below(site.root / "static/main") == {"about.md", "docs/usage.md"}
    assert last_numbers(site)["files_removed"] == len(every) - 1
    configure(site, "enable = false")
    plan_scope(site.run())
    assert below(site.root / "public/main") == every
    site.index()
    assert not (site.root / "public").exists() or not below(site.root / "public")
    assert below(site.root / "static/other") == every
    assert len(list((site.root / ".searchsocket/llms").iterdir())) == 1


@pytest.mark.parametrize("first", [True, False], ids=["the first run", "a later run"])
def test_files_of_a_dead_run_are_recognised(site: Site, monkeypatch: pytest.MonkeyPatch, first: bool) -> None:
    """Its files are on record before they are there: they are replaced, and go with their pages, as all others."""
    if not first:
        site.index()
        site.write("docs/faq.html", "FAQ", "<p>Tickets are free on Sundays.</p>")
    with monkeypatch.context() as patched:
        patched.setattr(OwnFiles, "save", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            site.index()
    assert "docs/faq.md" in files(site)
    site.delete("blog/second.html")
    site.write("docs/faq.html", "FAQ", "<p>Tickets are dear on Mondays.</p>")
    summary = site.index()
    assert not [warning for warning in summary.warnings if "not written by searchsocket" in warning]
    assert "Mondays" in files(site)["docs/faq.md"].read_text()
    assert "blog/second.md" not in files(site)
    assert {path.suffix for path in (site.root / ".searchsocket/llms").iterdir()} == {".json"}


def test_a_damaged_record_costs_only_reading(site: Site) -> None:
    site.index()
    (record,) = (site.root / ".searchsocket/llms").iterdir()
    whole = json.loads(record.read_bytes())
    record.write_bytes(b'{"folder"')
    site.index()
    assert written(site) == 0
    assert json.loads(record.read_bytes()) == whole


def test_a_change_in_the_folder_is_a_reason_for_a_run(site: Site) -> None:
    """Else a file that somebody deleted there would stay away."""
    folder = str(site.root / "static/main")
    for enable, is_watched in (("true", True), ("false", False)):
        configure(site, f'enable = {enable}\ndir = "static/{{scope}}"')
        assert (folder in files_and_folders(site.run())[1]) is is_watched
