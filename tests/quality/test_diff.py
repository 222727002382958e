"""Differences between two generations."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline.conftest import Site

from searchsocket.backends import Backends
from searchsocket.cli.diff import MARK, comment
from searchsocket.content.chunking.records import PageContent, moved_pages
from searchsocket.quality.diff import Content, Diff, compare, diff_of


def page(url: str, *texts: str) -> PageContent:
    return PageContent(url, f"{url}.html", url.title(), texts)


def content(*pages: PageContent) -> Content:
    return Content({result.url: result for result in pages}, {text: 10 for item in pages for text in item.texts})


def test_pages_are_added_removed_changed_and_moved() -> None:
    before = content(page("/a", "1", "2"), page("/b", "3"), page("/c", "4", "5", "6"), page("/d", "7"))
    after = content(page("/a", "1", "2x"), page("/b", "3"), page("/guide/c", "4", "5"), page("/e", "8", "8"))
    comparison = compare(before, after)
    assert [result.url for result in comparison.added] == ["/e"]
    assert [item.url for item in comparison.removed] == ["/d"]
    assert [(entry.url, entry.added, entry.removed) for entry in comparison.changed] == [("/a", 1, 1)]
    assert [(element.before, element.after, element.same) for element in comparison.moved] == [
        ("/c.html", "/guide/c.html", 0.667)
    ]
    assert (comparison.unchanged, comparison.chunks_added, comparison.chunks_removed) == (1, 3, 3)
    assert (comparison.new_texts, comparison.new_tokens) == (2, 20)
    assert compare(before, before).is_empty


def test_of_many_places_the_best_is_where_a_page_moved_to() -> None:
    old_pages = [page("/x/install", "1", "2"), page("/y", "1", "2")]
    came = [page("/z", "1", "2"), page("/n/install", "1", "2"), page("/far", "1", "9", "9", "9")]
    assert [(result.old_url, result.url) for result in moved_pages(old_pages, came)] == [
        ("/x/install", "/n/install"),
        ("/y", "/z"),
    ]


SITES = st.dictionaries(st.sampled_from(["/a", "/b", "/c", "/d"]), st.lists(st.sampled_from("123"), max_size=3))


@given(SITES, SITES)
def test_every_page_is_counted_once_and_back_is_the_same_backwards(
    one: dict[str, list[str]], other: dict[str, list[str]]
) -> None:
    before, after = (content(*(page(url, *texts) for url, texts in site.items())) for site in (one, other))
    comparison, back = compare(before, after), compare(after, before)
    counted = [result.url for result in (*comparison.added, *comparison.changed, *comparison.moved)]
    assert len(counted) + comparison.unchanged == len(after.pages) == len({*counted}) + comparison.unchanged
    assert (comparison.chunks_added, comparison.chunks_removed) == (back.chunks_removed, back.chunks_added)
    assert len(comparison.removed) + len(comparison.moved) == len(before.pages.keys() - after.pages.keys())


@pytest.fixture(scope="module")
def diff(tmp_path_factory: pytest.TempPathFactory) -> Diff:
    """Of a site where a page moved, one lost its target, one changed, and a golden query lost its page."""
    site = Site(tmp_path_factory.mktemp("diff") / "site")
    (site.root / "golden-queries.toml").write_text(
        '[[query]]\nquery = "exhibition | of whaling boats"\nexpect = "/blog/first"\n'
    )
    body = "<p>Use the package manager of your system.</p><h2 id='mac'>Mac</h2><p>Drag it to the applications.</p>"
    site.write("docs/install.html", "Install", body)
    site.index()
    site.delete("docs/install.html")
    site.write("guide/install.html", "Install", body)
    site.write("blog/first.html", "First post", "<p>A <b>railway</b> station. <a href='/about.pdf'>PDF</a></p>")
    site.index()
    project = site.project
    backends = Backends(project, {})
    scope = project.scope_named("main")
    readers = [backends.store.reader_of(scope, name) for name in ("previous", "live")]
    return diff_of(project, backends, readers[0], readers[1], lambda: datetime(2026, 2, 1, tzinfo=UTC))


def test_a_diff_says_what_moved_died_and_got_worse(diff: Diff) -> None:
    diff_json = diff.to_json()
    assert [(item["from"], item["to"]) for item in diff_json["pages"]["moved"]] == [("/docs/install", "/guide/install")]
    assert diff_json["redirects"] == ["/docs/install /guide/install 301"]
    assert {link["page"] for link in diff_json["deadLinks"]} == {"/", "/docs/usage"}
    assert {link["target"] for link in diff_json["deadLinks"]} == {"/docs/install"}
    assert [result["url"] for result in diff_json["pages"]["changed"]] == ["/blog/first"]
    assert diff_json["chunks"]["newTexts"] >= 1
    assert diff_json["cost"] == {"tokens": diff.content.new_tokens, "usd": 0.0}
    assert diff_json["golden"]["moves"][0]["before"] == 1


def test_a_comment_is_markdown_that_no_page_can_break_out_of(diff: Diff) -> None:
    text = comment(diff)
    assert text.startswith(f"{MARK}\n### Search index\n")
    assert f"`main@{diff.after.name}` against `main@{diff.before.name}`: 6 pages, " in text
    assert "| pages | 0 | 0 | 1 | 1 |" in text
    assert "```text\n/docs/install /guide/install 301\n```" in text
    assert "- `/docs/install` on `/docs/usage`" in text
    assert r"exhibition \| of whaling boats" in text
    hostile = content(PageContent("/a`|b", "/a", "</details><script>|`x` @team #1 [a](b)", ("1",)))
    text = comment(Diff(diff.before, diff.after, compare(content(), hostile), 0.0, (), None))
    line = next(line for line in text.splitlines() if "script" in line)
    assert line == r"- `/a%60%7Cb` \</details\>\<script\>\|\`x\` \@team \#1 \[a\](b)"


def test_scopes_are_compared_by_what_they_say(tmp_path: Path) -> None:
    """Keys and links differ between scopes; texts do not."""
    site = Site(tmp_path / "site")
    site.index("main")
    site.write("docs/faq.html", "FAQ", "<p>Tickets are sold at the pier.</p>")
    site.index("preview")
    project = site.project
    backends = Backends(project, {})
    readers = [backends.store.reader_of(project.scope_named(name), "live") for name in ("main", "preview")]
    comparison = diff_of(project, backends, readers[0], readers[1], lambda: datetime(2026, 2, 1, tzinfo=UTC))
    assert [result.url for result in comparison.content.changed] == ["/docs/faq"]
    assert (comparison.content.added, comparison.content.removed, comparison.content.moved) == ((), (), ())
    assert (comparison.dead_links, comparison.judgement) == ((), None)
