"""An extension of another distribution brings a source with settings of its own."""

from pathlib import Path

import pytest

from searchsocket import extensions
from searchsocket.errors import ConfigError
from searchsocket.extensions.base import Extension, PageSource
from searchsocket.project.settings import load
from searchsocket.project.settings.model import Settings, with_sections
from searchsocket.project.settings.site import SourceSection
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.sources import SourceRequest, make_source
from searchsocket.sources.content_files import ContentFilesSource


class FeedSettings(SourceSection):
    folder: str = "feed"


def open_feed(request: SourceRequest) -> ContentFilesSource:
    return ContentFilesSource(request.root / request.settings.source.section(FeedSettings).folder, ["*.md"])


FEED = Extension(
    name="feed",
    source=PageSource(settings=f"{__name__}:FeedSettings", open=f"{__name__}:open_feed", formats=("markdown",)),
)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "installed", lambda: (FEED,))
    monkeypatch.setattr(load, "_all_settings", lambda: with_sections(Settings, (FEED,)))


@pytest.mark.parametrize(("keys", "folder"), [("", "feed"), ('feed.folder = "news"', "news")])
def test_its_mode_opens_it(tmp_path: Path, keys: str, folder: str) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "one.md").write_text("# One\n")
    (tmp_path / "searchsocket.toml").write_text(f'[source]\nmode = "feed"\n{keys}\n')
    settings = load.load_settings(tmp_path, {})
    assert [page.url for page in make_source(tmp_path, settings).pages()] == ["/one"]
    assert source_kind(settings.source.mode).formats == {"markdown"}


def test_a_mode_that_no_extension_brings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text('[source]\nmode = "fed"\n')
    with pytest.raises(ConfigError, match=r"source\.mode"):
        load.load_settings(tmp_path, {})
