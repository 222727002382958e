"""Pages of a running site over HTTP; Chromium runs their scripts where the text needs them."""

from searchsocket.extensions.base import Extension, PageSource

EXTENSION = Extension(
    name="crawl",
    source=PageSource(
        settings=f"{__name__}.settings:CrawlSettings",
        open=f"{__name__}.source:open_crawl",
        formats=("html", "http"),
        address_key="base_url",
    ),
)
