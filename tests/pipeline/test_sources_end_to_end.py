"""The other ways in lead to the same index: a crawled host, and a branch that is not checked out (spec 8.2)."""

import subprocess
from pathlib import Path

from searchsocket.pipeline.run.index import plan_scope
from tests.pipeline.conftest import Site
from tests.sources.web import serve


def git(root: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "init.defaultBranch=main", *arguments],
        cwd=root,
        check=True,
        capture_output=True,
    )


def test_a_running_site_is_indexed_and_an_unchanged_one_costs_nothing(site: Site) -> None:
    with serve() as web:
        web.html("/", "<p>Welcome to the museum.</p><a href='/boats'>Boats</a> <a href='/lamps'>Lamps</a>")
        web.html("/boats", "<p>Whaling boats from the fjord.</p>")
        web.html("/lamps", "<p>The lantern of the lighthouse.</p>")
        (site.root / "searchsocket.toml").write_text(
            f"[source]\nmode = 'crawl'\n[source.crawl]\nbase_url = '{web.base_url}'\n"
        )
        plan = plan_scope(site.run())
        assert not site.project.state_dir.exists()
        first = site.index()
        assert plan.chunks == first.chunks
        assert site.urls() == {"/", "/boats", "/lamps"}
        second = site.index()
        assert (second.chunks["changed"], second.generation) == (0, first.generation)
        web.pages["/boats"] = web.fallback
        site.index()
        assert site.urls() == {"/", "/lamps"}
    lost = {record.page.incoming_links for record in site.records() if record.page.url == "/lamps"}
    assert lost == {1}


def test_a_branch_is_indexed_without_a_checkout_with_its_own_routes(site: Site) -> None:
    git(site.root, "init", "-q")
    page = site.root / "src/routes/docs/boats/+page.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Boats\n\nWhaling boats from the fjord.\n")
    git(site.root, "add", "src")
    git(site.root, "commit", "-qm", "boats")
    git(site.root, "checkout", "-qb", "lamps")
    other = site.root / "src/routes/docs/lamps/+page.md"
    other.parent.mkdir(parents=True)
    other.write_text("# Lamps\n\nThe lantern of the lighthouse.\n")
    git(site.root, "add", "src")
    git(site.root, "commit", "-qm", "lamps")
    git(site.root, "checkout", "-q", "main")
    site.index("lamps", source="git-branch")
    records = {record.page.url: record for record in site.records("lamps")}
    assert records.keys() == {"/docs/boats", "/docs/lamps"}
    assert records["/docs/lamps"].page.route_file == "src/routes/docs/lamps/+page.md"
    assert records["/docs/lamps"].page.route_resolution == "exact"
    assert not other.exists()
