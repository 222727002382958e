"""A crawl that prefers the Markdown of a host to its HTML."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.base import Source
from tests.sources.web import Answer, Request, Web, serve

MARKDOWN = {"Content-Type": "text/markdown; charset=utf-8"}


@pytest.fixture
def web() -> Iterator[Web]:
    with serve() as web:
        yield web


def crawl(web: Web, folder: Path, prefer: str = "markdown", path: str = "", **more: object) -> Source:
    settings = {"mode": "crawl", "crawl": {"base_url": web.base_url + path, "prefer": prefer, **more}}
    return make_source(folder, Settings.model_validate({"source": settings}))


def texts(source: Source) -> dict[str, tuple[str, str]]:
    return {page.url: (page.kind, source.read(page).decode()) for page in source.pages()}


def put(web: Web, path: str, text: str, **headers: str) -> None:
    web.pages[path] = Answer(200, text.encode(), {**MARKDOWN, **{k.replace("_", "-"): v for k, v in headers.items()}})


def test_files_that_llms_txt_names_are_the_pages(web: Web, tmp_path: Path) -> None:
    """One request a page, and none for its HTML."""
    put(web, "/llms.txt", "# Boats\n\n- [Install](/docs/install.md): how\n- [Docs](docs/index.md)\n- [Other](/other)\n")
    put(web, "/docs/install.md", "# Install\n\nRow ashore.")
    put(web, "/docs/index.md", "# Docs\n\n[Oars](oars.md#long), [elsewhere](https://elsewhere.test/a.md)")
    put(web, "/docs/oars.md", "# Oars\n\nTwo of them.")
    web.html("/other", "<p>HTML alone</p>")
    web.html("/docs/install", "<p>not fetched</p>")
    pages = texts(crawl(web, tmp_path))
    assert {url: kind for url, (kind, _) in pages.items()} == {
        "/docs": "markdown", "/docs/install": "markdown", "/docs/oars": "markdown", "/other": "html",
    }  # fmt: skip
    assert pages["/docs/install"][1] == "# Install\n\nRow ashore."
    assert len(web.paths()) == 6
    assert "/docs/install" not in web.paths()


def test_a_second_crawl_fetches_no_body_again(web: Web, tmp_path: Path) -> None:
    def install(request: Request) -> Answer:
        if request.headers.get("If-None-Match") == '"1"':
            return Answer(304)
        return Answer(200, b"# Install", MARKDOWN | {"ETag": '"1"'})

    put(web, "/llms.txt", "- [Install](/install.md)")
    web.pages["/install.md"] = install
    first = [*crawl(web, tmp_path).pages()]
    assert [*crawl(web, tmp_path).pages()] == first
    assert web.requests[-1].headers["If-None-Match"] == '"1"'


def test_a_changed_preference_fetches_pages_again(web: Web, tmp_path: Path) -> None:
    """A host may give one ETag to all of its answers."""

    def answer(text: str, kind: str) -> Answer:
        return Answer(200, text.encode(), {"Content-Type": kind, "ETag": '"same"'})

    put(web, "/llms.txt", "- [Install](/install.md)")
    web.pages["/"] = answer("<a href='/install'>Install</a>", "text/html")
    web.pages["/install"] = lambda request: (
        Answer(304) if "If-None-Match" in request.headers else answer("<p>HTML", "text/html")
    )
    web.pages["/install.md"] = lambda request: (
        Answer(304) if "If-None-Match" in request.headers else answer("# Markdown", "text/markdown")
    )
    kinds = [texts(crawl(web, tmp_path, prefer))["/install"] for prefer in ("markdown", "html", "markdown", "markdown")]
    as_markdown, as_html = ("markdown", "# Markdown"), ("html", "<p>HTML")
    assert kinds == [as_markdown, as_html, as_markdown, as_markdown]


@pytest.mark.parametrize(
    "file",
    [
        Answer(404),
        Answer(200, b"<!DOCTYPE html><title>App</title>", {"Content-Type": "text/html"}),
        Answer(200, b"\n<html><body>App", {"Content-Type": "text/plain"}),
        Answer(302, b"", {"Location": "/install"}),
    ],
)
def test_a_page_whose_file_is_none_is_fetched_as_html(web: Web, tmp_path: Path, file: Answer) -> None:
    """A single-page application answers with itself to every address."""
    put(web, "/llms.txt", "- [Install](/install.md)")
    web.pages["/install.md"] = file
    web.html("/install", "<p>Row ashore.</p>")
    [(url, (kind, text))] = texts(crawl(web, tmp_path)).items()
    assert (url, kind) == ("/install", "html")
    assert "Row ashore." in text


def test_a_host_that_negotiates_needs_no_list(web: Web, tmp_path: Path) -> None:
    def home(request: Request) -> Answer:
        wants = request.headers["Accept"].startswith("text/markdown")
        return Answer(200, b"# Home\n\n[A](/a)", MARKDOWN) if wants else Answer(200, b"<h1>Home</h1>")

    web.pages["/"] = home
    web.html("/a", "<p>A</p>")
    assert [(page.url, page.kind) for page in crawl(web, tmp_path).pages()] == [("/", "markdown"), ("/a", "html")]
    assert [(page.url, page.kind) for page in crawl(web, tmp_path, "html").pages()] == [("/", "html")]


def test_a_large_site_has_several_lists(web: Web, tmp_path: Path) -> None:
    put(web, "/base/llms.txt", "- [Docs](docs/llms.txt)\n- [Itself](/base/llms.txt)\n- [Above](/llms.txt)")
    put(web, "/base/docs/llms.txt", "- [A](a.md)\n- [Back](../llms.txt)")
    put(web, "/base/docs/a.md", "# A")
    put(web, "/llms.txt", "- [Secret](/secret.md)")
    assert [*texts(crawl(web, tmp_path, path="/base"))] == ["/docs/a"]
    assert "/llms.txt" not in web.paths()


def test_robots_and_excluded_pages_are_left_alone(web: Web, tmp_path: Path) -> None:
    web.pages["/robots.txt"] = Answer(200, b"User-agent: *\nDisallow: /secret\n", {"Content-Type": "text/plain"})
    put(web, "/llms.txt", "- [A](/a.md)\n- [S](/secret.md)\n- [D](/drafts/d.md)")
    put(web, "/a.md", "# A")
    settings = {"mode": "crawl", "exclude": ("/drafts/**",), "crawl": {"base_url": web.base_url, "prefer": "markdown"}}
    source = make_source(tmp_path, Settings.model_validate({"source": settings}))
    assert [page.url for page in source.pages()] == ["/a"]
    assert not {"/secret.md", "/secret", "/drafts/d.md"} & set(web.paths())


def test_without_the_preference_nothing_more_is_asked(web: Web, tmp_path: Path) -> None:
    web.html("/", "<a href='/a.md'>A</a>")
    put(web, "/a.md", "# A")
    source = crawl(web, tmp_path, "html")
    assert [page.url for page in source.pages()] == ["/"]
    assert "/llms.txt" not in web.paths()
    assert source.report.skipped == {"/a.md": "not HTML but text/markdown"}


def test_a_hostile_list_is_bounded(web: Web, tmp_path: Path) -> None:
    put(web, "/llms.txt", "".join(f"[a](/{number}.md)" for number in range(5_000)) + "[" * 100_000 + "](" * 100_000)
    web.fallback = Answer(200, b"# A", MARKDOWN)
    source = crawl(web, tmp_path, max_pages=20)
    assert len([*source.pages()]) == 20
    assert source.report.truncated
