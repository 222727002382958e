"""Only what changed is done again, and what is gone goes (spec 10)."""

import os
import re
import subprocess

from searchsocket.events import Event
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.stores import make_store
from searchsocket.types import Generation
from tests.pipeline.conftest import PAGES, Site


def test_a_cold_run_indexes_every_page(site: Site) -> None:
    summary = site.index()
    assert summary.pages == {"found": 6, "indexed": 6, "skipped": 0, "failed": 0, "removed": 0}
    assert site.urls() == {"/", "/docs/install", "/docs/usage", "/docs/faq", "/blog/first", "/blog/second"}
    assert summary.embeddings["created"] == summary.chunks["total"] == summary.records["upserted"] > 6
    assert summary.deletion_eligible


def test_every_page_is_indexed_skipped_or_failed(site: Site) -> None:
    site.write("404.html", "Not found", "<p>No such page.</p>")
    site.write("hidden.html", "Hidden", "<p data-search-noindex>Not for search.</p>")
    pages = site.index().pages
    assert pages == {"found": 8, "indexed": 6, "skipped": 2, "failed": 0, "removed": 0}


def test_a_run_without_changes_does_nothing(site: Site) -> None:
    first = site.index()
    mirror = site.mirror()
    second = site.index()
    assert second.generation == first.generation
    assert (second.chunks["changed"], second.embeddings["created"]) == (0, 0)
    assert second.records == {"upserted": 0, "deleted": 0}
    assert site.mirror() == mirror


def test_a_fresh_checkout_with_other_times_changes_nothing(site: Site) -> None:
    first = site.index()
    for file, (title, body) in PAGES.items():
        site.delete(file)
        site.write(file, title, body)
    second = site.index()
    assert second.generation == first.generation
    assert second.chunks["changed"] == 0


def test_an_edit_in_place_with_its_old_time_is_seen(site: Site) -> None:
    """Builds that set fixed times, and tools that keep them, leave size, time and inode as they were."""
    site.index()
    page = site.root / "build/docs/faq.html"
    old = page.stat()
    page.write_text(page.read_text().replace("tickets", "trinket"))
    os.utime(page, ns=(old.st_atime_ns, old.st_mtime_ns))
    new = page.stat()
    assert (new.st_size, new.st_mtime_ns, new.st_ino) == (old.st_size, old.st_mtime_ns, old.st_ino)
    site.index()
    assert any("trinket" in record.chunk.body.text for record in site.records())


def test_one_edited_paragraph_costs_one_embedding(site: Site) -> None:
    site.index()
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    summary = site.index()
    assert summary.embeddings["created"] == 1
    assert summary.records == {"upserted": 1, "deleted": 0}


def test_a_new_page_is_added_and_a_missing_one_removed(site: Site) -> None:
    site.index()
    site.write("blog/third.html", "Third post", "<p>A concert of shanties on the pier.</p>")
    site.delete("blog/first.html")
    summary = site.index()
    assert site.urls() == {"/", "/docs/install", "/docs/usage", "/docs/faq", "/blog/third", "/blog/second"}
    assert summary.records["deleted"] > 0
    assert "blog/first.md" not in site.mirror()


def test_a_moved_page_embeds_nothing_again(site: Site) -> None:
    """Failure mode 2: a page move must not cost money."""
    site.index()
    site.delete("blog/first.html")
    site.write("news/first.html", *PAGES["blog/first.html"])
    summary = site.index()
    assert summary.embeddings["created"] == 0
    assert "/news/first" in site.urls()
    assert "/blog/first" not in site.urls()


def test_a_second_scope_embeds_nothing(site: Site) -> None:
    site.index()
    summary = site.index("preview")
    assert summary.embeddings["created"] == 0
    assert summary.records["upserted"] == summary.chunks["total"]
    assert site.urls("preview") == site.urls()


def test_a_second_scope_extracts_only_what_differs(site: Site) -> None:
    """A preview costs what it changed (spec 10.3)."""
    site.index()
    site.write("docs/faq.html", "FAQ", "<p>Questions about <a href='/docs/usage'>prices</a> are answered here.</p>")
    extracted: list[str] = []
    run = site.run("preview", on_event=lambda event: extracted.append(event.name))
    result = [stage(run) for stage in STAGES.values()][1]
    assert (result.numbers.extracted, result.numbers.reused) == (1, 5)
    assert site.urls("preview") == site.urls()
    fresh = Site(site.root.parent / "fresh" / "site")
    fresh.write("docs/faq.html", "FAQ", "<p>Questions about <a href='/docs/usage'>prices</a> are answered here.</p>")
    fresh.index("preview")
    dated = re.compile(r"generatedAt: .*")
    assert {name: dated.sub("", text) for name, text in site.mirror("preview").items()} == {
        name: dated.sub("", text) for name, text in fresh.mirror("preview").items()
    }


def test_a_route_that_appears_reaches_the_records_without_an_embedding(site: Site) -> None:
    """Failure mode 16: metadata changes are upserted, never embedded."""
    site.index()
    route = site.root / "src/routes/docs/faq/+page.svelte"
    route.parent.mkdir(parents=True)
    route.write_text("<h1>FAQ</h1>")
    summary = site.index()
    assert summary.embeddings["created"] == 0
    assert summary.records["upserted"] > 0
    by_url = {record.page.url: record for record in site.records()}
    assert by_url["/docs/faq"].page.route_file == "src/routes/docs/faq/+page.svelte"
    assert by_url["/docs/faq"].page.route_resolution == "exact"
    assert by_url["/blog/first"].page.route_resolution == "none"


def test_a_new_link_changes_the_counts_of_its_target_alone(site: Site) -> None:
    site.index()
    site.write("docs/faq.html", "FAQ", PAGES["docs/faq.html"][1] + "<p>See <a href='/blog/second'>the lantern</a>.</p>")
    summary = site.index()
    second = next(record for record in site.records() if record.page.url == "/blog/second")
    assert second.page.incoming_links == 1
    assert second.page.link_texts == ("the lantern",)
    assert summary.seconds.keys() == {"site_pages", "page_mirror", "page_chunks", "chunk_embeddings", "search_index"}


def test_a_link_to_a_page_that_comes_later_is_counted_then(site: Site) -> None:
    site.write("docs/faq.html", "FAQ", "<p>Answers, and <a href='/blog/third'>a concert</a>.</p>")
    site.index()
    site.write("blog/third.html", "Third post", "<p>A concert of shanties on the pier.</p>")
    site.index()
    assert {record.page.incoming_links for record in site.records() if record.page.url == "/blog/third"} == {1}
    site.delete("docs/faq.html")
    site.index()
    assert {record.page.incoming_links for record in site.records() if record.page.url == "/blog/third"} == {0}


def test_forcing_does_every_step_again_and_embeds_nothing(site: Site) -> None:
    """Unchanged records are not upserted, so no generation is published."""
    first = site.index()
    mirror = site.mirror()
    summary = site.index(force=True)
    assert (summary.records, summary.generation) == ({"upserted": 0, "deleted": 0}, first.generation)
    assert summary.embeddings["created"] == 0
    assert site.mirror() == mirror


def test_the_mirror_is_byte_identical_in_another_place(site: Site, make_site: object, tmp_path: object) -> None:
    site.index()
    other = Site(site.root.parent / "elsewhere" / "site")
    other.index()
    assert other.mirror() == site.mirror()


def test_events_and_counts_tell_what_the_index_got(site: Site) -> None:
    """A forced run told of all records, though none differed and no generation was published."""
    heard: dict[str, list[dict[str, object]]] = {}

    def listen(event: Event) -> None:
        heard.setdefault(event.name, []).append(event.fields)

    index_scope(site.run(on_event=listen))
    [first] = heard["upserted"]
    assert first["records"] == len(site.records())
    assert len(heard.pop("registry_updated")) == 1
    heard.clear()
    summary = index_scope(site.run(options=RunOptions(force=True), on_event=listen))
    assert summary.records == {"upserted": 0, "deleted": 0}
    assert (heard["upserted"], heard["deleted"]) == ([{"records": 0}], [{"records": 0}])
    assert "registry_updated" not in heard


def test_a_generation_names_the_commit_that_it_was_made_of(site: Site) -> None:
    """And that the tree differed from it; a run without changes stays one, whatever was committed."""
    site.index()
    assert live(site).source_revision == ""
    git(site, "init", "-q")
    git(site, "add", "build")
    git(site, "commit", "-qm", "one")
    one = git(site, "rev-parse", "HEAD")
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    site.index()
    assert live(site).source_revision == f"{one}-dirty"
    git(site, "commit", "-qam", "two")
    before = live(site)
    site.index()
    assert live(site) == before
    site.write("new.html", "New", "<p>Not known to git.</p>")
    site.index()
    assert live(site).source_revision == git(site, "rev-parse", "HEAD")


def test_a_branch_names_its_own_commit(site: Site) -> None:
    (site.root / "docs").mkdir()
    (site.root / "docs/ropes.md").write_text("# Ropes\n\nA bowline.\n")
    git(site, "init", "-q")
    git(site, "add", "docs")
    git(site, "commit", "-qm", "one")
    commit = git(site, "rev-parse", "HEAD")
    git(site, "checkout", "-q", "-b", "other")
    git(site, "commit", "-q", "--allow-empty", "-m", "two")
    (site.root / "searchsocket.toml").write_text('source.mode = "git-branch"\nsource.git.branch = "main"\n')
    site.index()
    assert live(site).source_revision == commit


def live(site: Site) -> Generation:
    project = site.project
    store = make_store(project.settings.vector, project.state_dir, project.id)
    generation = store.generation(project.scope_named("main"))
    assert generation is not None
    return generation


def git(site: Site, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "init.defaultBranch=main")
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=site.root, check=True, capture_output=True, text=True).stdout.strip()
