"""Every run reports a lasting problem; a fixed one is no longer reported."""

from tests.pipeline.conftest import Site

EMPTY = "<!doctype html><html><head><title>Tutorial</title></head><body><main><div id='app'></div></main></body></html>"


def warnings_with(site: Site, word: str) -> list[str]:
    return [warning for warning in site.index().warnings if word in warning]


def test_a_page_without_text_is_told_of_until_it_has_some(site: Site) -> None:
    page = site.root / "build" / "tutorial.html"
    page.write_text(EMPTY)
    first = warnings_with(site, "/tutorial: no text in")
    assert len(first) == 1
    assert warnings_with(site, "/tutorial") == first
    site.write("tutorial.html", "Tutorial", "<p>Now it says how to sail.</p>")
    assert warnings_with(site, "/tutorial") == []


def test_a_block_that_was_cut_is_told_of_as_long_as_it_is_searched(site: Site) -> None:
    (site.root / "searchsocket.toml").write_text(
        "[chunking]\nmax_chars = 200\noverlap_chars = 0\nmin_chars = 50\nhard_max_chars = 400\n"
    )
    code = "\n".join(f"cast_off({number})" for number in range(100))
    site.write("docs/usage.html", "Usage", f"<pre><code>{code}</code></pre>")
    first = warnings_with(site, "was split")
    assert len(first) == 1
    assert first[0].startswith("/docs/usage: a code block is longer than 400 characters")
    assert warnings_with(site, "code block") == first
    site.write("docs/usage.html", "Usage", f"<meta name='robots' content='noindex'><pre><code>{code}</code></pre>")
    assert warnings_with(site, "code block") == []


def test_a_page_that_is_gone_is_told_of_no_more(site: Site) -> None:
    (site.root / "build" / "tutorial.html").write_text(EMPTY)
    site.index()
    site.delete("tutorial.html")
    assert warnings_with(site, "/tutorial") == []


def test_many_of_a_kind_are_counted(site: Site) -> None:
    for number in range(25):
        (site.root / "build" / f"empty-{number:02}.html").write_text(EMPTY)
    site.index()
    assert len(warnings_with(site, "/empty-")) == 20
    assert warnings_with(site, "more like") == ["... and 5 more like the last one"]


def test_pages_that_are_skipped_are_named_with_their_reason(site: Site) -> None:
    (site.root / "build" / "404.html").write_text("<h1>Not here</h1>")
    (site.root / "build" / "tutorial.html").write_text(EMPTY)
    for _ in range(2):
        summary = site.index()
        assert [tuple(item) for item in summary.skipped] == [
            ("404.html", "error page"),
            ("/tutorial", "no text"),
        ]
        assert summary.skip_reasons == {"error page": 1, "no text": 1}
        assert summary.pages["found"] == summary.pages["indexed"] + summary.pages["skipped"] == 8
        assert list(summary.source.items())[:2] == [("source", "static-output"), ("folder", "build")]
