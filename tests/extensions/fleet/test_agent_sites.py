"""Websites in the user's list: crawled into a folder of the user, fetched again, served as a project, deleted."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from searchsocket.cli.main import cli
from searchsocket.errors import ConfigError
from searchsocket.extensions.fleet.user_list import (
    is_crawled,
    list_path,
    read_list,
    site_name,
    site_project,
    sites_folder,
)
from searchsocket.project.project import open_project
from tests.agents.agent_project import talk, text_of
from tests.extensions.fleet.test_agent_projects import stdio
from tests.sources.web import Web, serve


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has no list, no websites and no cache yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def web() -> Iterator[Web]:
    """A website of a guide, with a blog that is not part of it."""
    with serve() as server:
        links = '<a href="/guide/anchor">Anchor</a><a href="/guide/sail">Sail</a><a href="/blog/news">News</a>'
        server.html("/guide/", f"<p>The guide of the boat.</p>{links}")
        server.html("/guide/anchor", "<p>Drop the anchor with a capstan in shallow water.</p>")
        server.html("/guide/sail", "<p>Hoist the sail with a halyard against the wind.</p>")
        server.html("/blog/news", "<p>News of the harbour.</p>")
        yield server


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["mcp", *arguments])


def test_a_website_is_crawled_served_synced_and_removed(home: Path, web: Web) -> None:
    """A path in the URL limits the crawl; the next one processes only what changed."""
    url = f"{web.base_url}/guide"
    added = run("add", url, "--name", "boat")
    assert added.exit_code == 0, added.output
    assert "added boat" in added.stdout
    [listed] = read_list(list_path())
    folder = Path(listed.location)
    assert is_crawled(listed.location)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "searchsocket.toml").stat().st_mode) == 0o600
    assert "/blog/news" not in web.paths()

    async def about(client: object) -> list[str]:
        queries = ("capstan", "halyard", "harbour news")
        return [text_of(await client.call_tool("search", {"query": query})) for query in queries]  # type: ignore[attr-defined]

    capstan, halyard, news = talk(stdio([], os.environ, home), about, "auto")
    assert "/guide/anchor" in capstan
    assert "/guide/sail" in halyard
    assert "/blog/news" not in news

    web.html("/guide/sail", "<p>Hoist the sail with a winch against the wind.</p>")
    synced = run("sync")
    assert synced.exit_code == 0, synced.output
    assert "1 changed" in synced.output
    assert run("sync", "harbour").exit_code == 2
    assert run("remove", "boat").exit_code == 0
    assert not folder.exists()
    assert not read_list(list_path())


def test_a_website_that_cannot_be_crawled_leaves_nothing(home: Path, web: Web) -> None:
    failed = run("add", f"{web.base_url}/nowhere")
    assert failed.exit_code != 0
    assert not read_list(list_path())
    assert not list(sites_folder().glob("*"))


def test_a_host_that_leads_into_a_private_network_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guards of the crawl stay: only a URL that names a private address itself may lead to one."""
    answers = iter([["93.184.216.34"]])  # when the crawl begins; later ones lead inside
    monkeypatch.setattr("searchsocket.extensions.crawl.fetch.resolve", lambda *_: next(answers, ["10.0.0.7"]))
    failed = run("add", "http://docs.example.org", "--pages", "5")
    assert failed.exit_code != 0
    assert "private address 10.0.0.7" in failed.output
    assert not list(sites_folder().glob("*"))


def test_settings_of_a_website_are_kept(home: Path) -> None:
    """Only `--pages` changes a file that its user edited."""
    path = site_project("https://docs.example.org/guide/", None) / "searchsocket.toml"
    path.write_text(path.read_text() + "concurrency = 2\n")
    assert site_project("https://docs.example.org/guide", 7) == path.parent
    crawl = open_project(path.parent, {}).settings.source.crawl
    assert (crawl.max_pages, crawl.concurrency) == (7, 2)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://docs.example.org", "docs.example.org"),
        ("https://user:secret@docs.example.org/guide/", "docs.example.org-guide"),
        ("http://localhost:8000/a/../b", "localhost-8000-a-..-b"),
        ("https://docs.example.org/?page=1", ""),
        ("https://docs.example.org/#top", ""),
        ("https:///guide", ""),
        ("https://docs.example.org:port/", ""),
        ("file:///etc/passwd", ""),
    ],
)
def test_a_website_is_named_by_its_host_and_path(url: str, name: str) -> None:
    """A name never leaves its folder, and never shows a password."""
    if name:
        assert site_name(url) == name
        return
    with pytest.raises(ConfigError, match=r"URL|query"):
        site_name(url)
