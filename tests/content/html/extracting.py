"""A piece of HTML as the page that it becomes."""

from searchsocket.content.html.extract import extract_html
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.web.urls.resolve import site_base

WEB_SITE = site_base(["https://example.com"])
EXTRACT, TRANSFORM = ExtractSettings(), TransformSettings()
PAGE = RawPage("/docs/getting-started", "/docs/getting-started", "docs/getting-started.html", "")


def extract(
    html: str | bytes,
    extracting: ExtractSettings = EXTRACT,
    transforming: TransformSettings = TRANSFORM,
    *,
    charset: str = "",
    page: RawPage = PAGE,
) -> ExtractedPage:
    data = html.encode() if isinstance(html, str) else html
    return extract_html(data, page, extracting, transforming, site=WEB_SITE, charset=charset)


def body(html: str) -> str:
    return extract(f"<main>{html}</main>").body
