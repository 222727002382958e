"""Things that must never happen to a live index (spec 26.1)."""

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from searchsocket.errors import ConfigMissing, LargeDeletion, SearchSocketError, StateUnavailable, StrictRoutesFailed
from searchsocket.pipeline.run.index import plan_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.stores import make_store
from tests.held_records import change_records
from tests.pipeline.conftest import Site


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_limited_run_deletes_nothing(site: Site) -> None:
    """Failure mode 3."""
    site.index()
    before = site.urls()
    site.delete("blog/second.html")
    summary = site.index(max_pages=2)
    assert not summary.deletion_eligible
    assert site.urls() == before
    assert site.index(max_chunks=1).records["deleted"] == 0


def test_a_limited_run_on_lost_state_deletes_nothing(site: Site) -> None:
    site.index()
    before = site.urls()
    (site.project.state_dir / "state.db").unlink()
    summary = site.index(max_pages=2)
    assert site.urls() == before
    assert any("kept" in warning for warning in summary.warnings)


@pytest.mark.parametrize("how", ["empty", "missing"])
def test_an_empty_or_missing_source_deletes_nothing(site: Site, how: str) -> None:
    """Failure mode 4."""
    site.index()
    before = site.urls()
    shutil.rmtree(site.root / "build")
    if how == "empty":
        (site.root / "build").mkdir()
    with pytest.raises(SearchSocketError):
        site.index()
    assert site.urls() == before


@pytest.mark.parametrize("mode", ["static-output", "content-files"])
def test_an_empty_source_gives_advice_for_its_kind(site: Site, mode: str) -> None:
    """Globs that matched nothing gave advice on builds."""
    (site.root / "searchsocket.toml").write_text(
        f'source.mode = "{mode}"\nsource.content_files.globs = ["notes/*.md"]\nextract.main_selector = "#none"\n'
    )
    for file in (site.root / "build").rglob("*.html"):
        file.write_text("<p></p>")
    with pytest.raises(ConfigMissing) as caught:
        site.index()
    assert ("notes/*.md" in str(caught.value)) is (mode == "content-files")
    assert ("build folder" in str(caught.value)) is (mode == "static-output")


def test_a_large_deletion_asks_first(site: Site) -> None:
    site.index()
    before = site.urls()
    for file in ("docs/install.html", "docs/usage.html", "docs/faq.html", "blog/first.html"):
        site.delete(file)
    with pytest.raises(LargeDeletion, match="4 of the 6"):
        site.index()
    assert site.urls() == before
    site.index(accept_large_deletion=True)
    assert site.urls() == {"/", "/blog/second"}


def test_a_selector_that_no_longer_fits_removes_no_page(site: Site) -> None:
    """Failure mode 5: an extraction that finds nothing is no removal."""
    site.index()
    site.write("blog/first.html", "", "")
    (site.root / "build/blog/first.html").write_text("<html><body><main></main></body></html>")
    summary = site.index()
    assert "/blog/first" in site.urls()
    assert any("no content now" in warning for warning in summary.warnings)


def test_a_page_that_asks_not_to_be_indexed_goes(site: Site) -> None:
    """Failure mode 29: noindex is authoritative, for the index and for the mirror."""
    site.index()
    site.write("blog/first.html", "First post", "<p data-search-noindex>Not any more.</p>")
    site.index()
    assert "/blog/first" not in site.urls()
    assert "blog/first.md" not in site.mirror()


def test_a_lost_index_is_built_again(site: Site) -> None:
    """Failure mode 1: the store is asked, not the manifest."""
    site.index()
    shutil.rmtree(site.project.state_dir / "index")
    summary = site.index()
    assert summary.records["upserted"] == summary.chunks["total"]
    assert summary.embeddings["created"] == 0
    assert len(site.urls()) == 6


def test_a_lost_state_is_built_again(site: Site) -> None:
    first = site.index()
    (site.project.state_dir / "state.db").unlink()
    summary = site.index()
    assert summary.embeddings["created"] == 0
    assert summary.records == {"upserted": 0, "deleted": 0}
    assert summary.generation == first.generation


def test_a_damaged_state_is_set_aside_and_built_again(site: Site) -> None:
    site.index()
    path = site.project.state_dir / "state.db"
    path.write_bytes(b"not a database at all" * 1000)
    assert site.index().chunks["total"] > 0
    assert path.with_name("state.db.corrupt").exists()


def test_a_dry_run_writes_nothing_and_tells_the_truth(site: Site) -> None:
    """Failure modes 25 and 26."""
    plan = plan_scope(site.run())
    assert not site.project.state_dir.exists()
    real = site.index()
    assert plan.dry_run
    assert (plan.chunks, plan.records, plan.embeddings) == (real.chunks, real.records, real.embeddings)
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    before = files_of(site.root)
    plan = plan_scope(site.run())
    assert files_of(site.root) == before
    real = site.index()
    assert (plan.chunks, plan.records, plan.embeddings) == (real.chunks, real.records, real.embeddings)


def test_strict_routes_list_the_pages_without_one(site: Site) -> None:
    with pytest.raises(StrictRoutesFailed, match="/docs/faq"):
        site.index(strict_routes=True)


def test_every_stage_runs_alone_again(site: Site) -> None:
    site.index()
    run = site.run()
    for stage in STAGES.values():
        result = stage(replace(run, run_id=f"alone-{stage.name}"))
        assert result.seconds > 0
        assert result.version


def test_a_site_without_any_text_is_no_index(site: Site) -> None:
    for file in list((site.root / "build").rglob("*.html")):
        file.write_text("<html><body><main></main></body></html>")
    with pytest.raises(ConfigMissing, match="nothing to index"):
        site.index()


def test_two_scopes_never_touch_each_other(site: Site) -> None:
    site.index("one")
    site.index("two")
    site.delete("blog/first.html")
    site.index("two")
    assert "/blog/first" in site.urls("one")
    assert "/blog/first" not in site.urls("two")


def test_options_are_plain_values() -> None:
    assert RunOptions() == RunOptions(force=False)


def test_a_page_that_went_while_the_state_was_lost_leaves_the_mirror(site: Site) -> None:
    """Failure mode 29; a file that the mirror did not write is nobody's to delete."""
    site.index()
    folder = site.project.mirror_dir / "main"
    (folder / "notes.md").write_text("# Mine\n")
    (site.project.state_dir / "state.db").unlink()
    site.delete("blog/first.html")
    site.index(max_pages=2)
    assert "blog/first.md" in site.mirror()
    site.index()
    assert "blog/first.md" not in site.mirror()
    assert site.mirror().keys() == {"index.md", "notes.md", "blog/second.md"} | {
        f"docs/{name}.md" for name in ("faq", "install", "usage")
    }


def test_a_run_tells_what_was_damaged(site: Site) -> None:
    """No cache is lost without a word (spec 6.4)."""
    site.index()
    state = site.project.state_dir
    (state / "embeddings.db").write_bytes(b"")
    (state / "state.db").write_bytes(b"SQLite format 3\0" + b"rubbish" * 900)
    warnings = " ".join(site.index().warnings)
    assert "state.db" in warnings
    assert "embeddings.db was empty" in warnings


def test_damage_deep_inside_the_state_costs_one_run(site: Site) -> None:
    """A page of the file that only a later statement reads is damage all the same, not a full disk."""
    first = site.index()
    path = site.project.state_dir / "state.db"
    with closing(sqlite3.connect(path)) as db, db:
        change_records(db, lambda records: records.replace("lantern", "lontern"))
    shutil.rmtree(site.project.state_dir / "index")
    with pytest.raises(StateUnavailable, match="renamed, run again"):
        site.index()
    assert path.with_name("state.db.corrupt").exists()
    assert site.index().records["upserted"] == first.chunks["total"]
    assert "lontern" not in " ".join(record.chunk.body.text for record in site.records())


def test_results_are_of_the_last_run_also_when_the_clock_went_back(site: Site) -> None:
    site.index()
    site.runs = -1_000_000
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    site.index()
    project = site.project
    live = make_store(project.settings.vector, project.state_dir, project.id).generation(project.scope_named("main"))
    assert live is not None
    assert 0 < live.estimated_tokens < 40  # of one new text, not of the whole first run
    assert live.published_at < "2026"


def test_a_page_that_cannot_be_read_keeps_its_records_and_stops_no_other(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failure modes 6 and 7, for a folder: first it stopped the run, then it counted as removed."""
    site.index()
    before = site.urls()
    monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith("faq.html"))
    site.delete("blog/first.html")
    site.write("blog/third.html", "Third post", "<p>A concert of shanties on the pier.</p>")
    summary = site.index()
    assert site.urls() == before | {"/blog/third"}
    assert not summary.deletion_eligible


def test_a_page_that_grows_too_large_fails_and_keeps_its_records(site: Site) -> None:
    """It was passed over like a picture, and a complete run then deleted its records without a word."""
    site.index()
    before = site.urls()
    site.write("docs/faq.html", "FAQ", f"<p>{'Questions about opening hours. ' * 100}</p>")
    (site.root / "searchsocket.toml").write_text("source.max_page_bytes = 2000\n")
    summary = site.index()
    assert site.urls() == before
    assert (summary.pages["failed"], summary.deletion_eligible) == (1, False)
    assert any(warning.startswith("docs/faq.html ") and "max_page_bytes" in warning for warning in summary.warnings)
