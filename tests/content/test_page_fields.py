"""A field of pages is one row of a table: read from metas and front matter, or computed."""

from pathlib import Path

import pytest

from searchsocket.content import page_fields
from searchsocket.content.html import metadata
from searchsocket.content.html.converters import FAST
from searchsocket.content.html.extract import EXTRACTOR_VERSION
from searchsocket.content.markdown import page as markdown_page
from searchsocket.content.page_fields import FIELDS, PageField
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.pipeline.extraction.job import extract_page
from searchsocket.project.settings.load import load_settings
from searchsocket.project.settings.model import Settings
from searchsocket.web.urls.resolve import AT_ROOT

HEAD = '<head><meta name="dated" content="5"></head>'
HTML = f"<html>{HEAD}<body><main><h1>One</h1><p>Two three.</p></main></body></html>"
MARKDOWN = "---\ndated_on: 5\n---\n# One\n\nTwo three.\n"


def extracted(text: str, kind: str, settings: Settings) -> ExtractedPage:
    page = RawPage("/a", "/a", "a", "", kind)  # type: ignore[arg-type]
    return extract_page(text.encode(), page, settings, AT_ROOT, FAST)


def use(monkeypatch: pytest.MonkeyPatch, *fields: PageField) -> None:
    for module in (page_fields, metadata, markdown_page):
        monkeypatch.setattr(module, "FIELDS", (*FIELDS, *fields))


@pytest.mark.parametrize(("text", "kind"), [(HTML, "html"), (MARKDOWN, "markdown")])
def test_a_row_reads_a_field_from_html_and_markdown(monkeypatch: pytest.MonkeyPatch, text: str, kind: str) -> None:
    """`redirect_to` stands for a field that only the table fills."""
    field = PageField(name="redirect_to", metas=("dated",), keys=("dated_on",), parse=lambda stated: f"v{stated}")
    use(monkeypatch, field)
    assert extracted(text, kind, Settings()).redirect_to == "v5"


def test_a_new_row_and_a_new_version_read_pages_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert page_fields.fields_version() in EXTRACTOR_VERSION
    versions = [page_fields.fields_version()]
    for version in (1, 2):
        use(monkeypatch, PageField(name="redirect_to", version=version))
        versions.append(page_fields.fields_version())
    assert len(set(versions)) == 3


@pytest.mark.parametrize(("text", "kind"), [(HTML, "html"), (MARKDOWN, "markdown")])
def test_a_computed_field_is_a_facet_if_the_settings_name_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, kind: str
) -> None:
    use(monkeypatch, PageField(name="head_title", compute=lambda page: str(len(page.body.split()))))
    (tmp_path / "searchsocket.toml").write_text('[facets]\nhead_title = "number"\n')
    page = extracted(text, kind, load_settings(tmp_path, {}))
    assert page.head_title.isdecimal()
    assert page.facets == (f"head_title={page.head_title}",)
    assert extracted(text, kind, Settings()).facets == ()
