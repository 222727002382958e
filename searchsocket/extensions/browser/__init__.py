"""Crawled pages whose text needs scripts, rendered by Chromium."""

from searchsocket.extensions.base import Extension, Renderer

EXTENSION = Extension(
    name="browser",
    renderer=Renderer(settings=f"{__name__}.settings:BrowserSettings", open=f"{__name__}.rendering:open_rendering"),
)
