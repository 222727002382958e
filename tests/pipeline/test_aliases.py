"""A page that moved is still found under its old URL."""

import pytest
from pipeline.conftest import Site

from searchsocket.backends import Backends
from searchsocket.errors import PageMissing
from searchsocket.pipeline.stages.index_changes import ChangeSet
from searchsocket.serving.pages import find_page

BODY = "<p>Volunteers restored the lighthouse lantern this winter.</p><h2 id='oil'>Oil</h2><p>It burns rape oil.</p>"


def url_of(site: Site, path: str) -> str:
    """The URL of the page that a path means now."""
    project = site.project
    reader = Backends(project, {}).store.reader(project.scope_named("main"))
    return find_page(path, reader).page.facts.url


def test_old_urls_of_a_page_lead_to_where_it_is_now(site: Site) -> None:
    """Through several moves; a limited run forgets none, and a new page of an old URL is itself."""
    site.write("blog/lantern.html", "The lantern", BODY)
    site.index()
    site.delete("blog/lantern.html")
    site.write("news/lantern.html", "The lantern", BODY)
    site.index()
    assert url_of(site, "/blog/lantern") == url_of(site, "/blog/lantern.html") == "/news/lantern"
    site.index(max_pages=2)
    assert url_of(site, "/blog/lantern") == "/news/lantern"
    site.delete("news/lantern.html")
    site.write("archive/lamp.html", "The lantern", BODY)
    site.index()
    assert url_of(site, "/blog/lantern") == url_of(site, "/news/lantern") == "/archive/lamp"
    site.write("blog/lantern.html", "Another lantern", "<p>This one is electric, and new.</p>")
    site.index()
    assert (url_of(site, "/blog/lantern"), url_of(site, "/news/lantern")) == ("/blog/lantern", "/archive/lamp")
    site.delete("archive/lamp.html")
    site.index()
    with pytest.raises(PageMissing):
        url_of(site, "/news/lantern")


def test_a_page_that_only_goes_leaves_no_alias(site: Site) -> None:
    site.index()
    site.delete("blog/second.html")
    site.write("blog/third.html", "Third post", "<p>Nothing that the second one said.</p>")
    site.index()
    with pytest.raises(PageMissing):
        url_of(site, "/blog/second")


def test_aliases_stay_bounded() -> None:
    """They lie in the manifest, which every process reads."""
    before = {f"/old/{number}": "/new" for number in range(5_000)}
    assert list(ChangeSet().aliases(before, lambda url: url == "/new")) == list(before)[:2_000]
