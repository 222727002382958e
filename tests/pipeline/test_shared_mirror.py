"""`state.shared_mirror`: scopes with equal pages share their mirror files, and none can harm another."""

import os
import re
from pathlib import Path

import pytest

from searchsocket.serving.pages import find_page
from searchsocket.state.project import ProjectState
from searchsocket.stores import make_store
from tests.pipeline.conftest import Site

SHARED = "[state]\nshared_mirror = true\n"


@pytest.fixture
def shared(site: Site) -> Site:
    (site.root / "searchsocket.toml").write_text(SHARED)
    site.index()
    site.index("preview")
    return site


def file_of(site: Site, scope: str, name: str = "docs/faq.md") -> Path:
    return site.project.mirror_dir / scope / name


def undated(site: Site, scope: str = "main") -> dict[str, str]:
    """The mirror without the times, which change with a file that is written again."""
    return {name: re.sub("generatedAt: .*", "", text) for name, text in site.mirror(scope).items()}


def files_together(site: Site) -> set[str]:
    """The files that both scopes share."""
    return {name for name in site.mirror() if file_of(site, "main", name).samefile(file_of(site, "preview", name))}


def test_equal_files_are_one_and_name_no_scope(shared: Site) -> None:
    assert files_together(shared) == set(shared.mirror()) == set(shared.mirror("preview"))
    assert not any("\nscope: " in text for text in shared.mirror().values())
    inode = file_of(shared, "main").stat().st_ino
    warnings = shared.index("preview").warnings
    assert file_of(shared, "preview").stat().st_ino == inode
    assert not any("written again" in warning for warning in warnings)
    store = make_store(shared.project.settings.vector, shared.project.state_dir, shared.project.id)
    page = find_page("/docs/faq", store.reader(shared.project.scope_named("preview")))
    assert page.answer().scope == "preview"


def test_an_edit_in_one_scope_leaves_the_other_as_it_is(shared: Site) -> None:
    before = shared.mirror("preview")
    shared.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    shared.index()
    assert "prices" in file_of(shared, "main").read_text()
    assert shared.mirror("preview") == before
    assert "docs/faq.md" not in files_together(shared)
    assert "docs/usage.md" in files_together(shared)


def test_lines_are_those_of_the_file(shared: Site) -> None:
    """A file without a scope has one line less above its text."""
    for scope in ("main", "preview"):
        lines = file_of(shared, scope).read_text().split("\n")
        sections = [
            record for record in shared.records(scope) if record.page.url == "/docs/faq" and record.chunk.at.first
        ]
        assert sections
        for record in sections:
            assert record.chunk.body.text.split("\n")[0] == lines[record.chunk.at.first - 1]


def test_both_scopes_repair_a_file_that_somebody_edits(shared: Site) -> None:
    before = undated(shared)
    file_of(shared, "main").write_text("nonsense")
    for scope in ("preview", "main"):
        summary = shared.index(scope)
        assert any("/docs/faq was changed" in warning for warning in summary.warnings)
        assert undated(shared, scope) == before


def test_a_damaged_file_is_not_shared(site: Site) -> None:
    (site.root / "searchsocket.toml").write_text(SHARED)
    site.index()
    sound = undated(site)
    path = file_of(site, "main")
    path.write_bytes(path.read_bytes().replace(b"tickets", b"tackets"))
    site.index("preview")
    assert undated(site, "preview") == sound


def test_a_removed_scope_leaves_the_files_of_the_others(shared: Site) -> None:
    before = shared.mirror("preview")
    for path in sorted((shared.project.mirror_dir / "main").rglob("*.md")):
        path.unlink()
    ProjectState(shared.project.state_dir).forget("main")
    assert not any("written again" in warning for warning in shared.index("preview").warnings)
    assert shared.mirror("preview") == before


def test_without_hard_links_files_are_written(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    (site.root / "searchsocket.toml").write_text(SHARED)
    site.index()

    def refused(*_: object, **__: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refused)
    site.index("preview")
    assert site.mirror("preview") == site.mirror()
    assert files_together(site) == set()


def test_the_setting_may_change(site: Site) -> None:
    """Files, lines and index are as if it had always been so; nothing is embedded again."""
    site.index()
    named = undated(site)
    for text in (SHARED, ""):
        (site.root / "searchsocket.toml").write_text(text)
        assert site.index().embeddings["created"] == 0
        site.index("preview")
        assert all(("\nscope: " in page) != bool(text) for page in site.mirror().values())
        assert all(("\nscope: " in page) != bool(text) for page in site.mirror("preview").values())
    assert undated(site) == named
