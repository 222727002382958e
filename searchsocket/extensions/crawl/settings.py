"""Settings of a crawl."""

from typing import Annotated, Literal

from pydantic import Field

from searchsocket.project.settings.section import Count, WebAddress, WebAddressOrPath
from searchsocket.project.settings.site import SourceSection


class CrawlSettings(SourceSection):
    base_url: WebAddress = ""  # e.g. http://localhost:4173; {scope}, {branch}, {branch_slug} and {sha} are replaced
    routes: tuple[str, ...] = ()  # paths to start from
    sitemap_url: WebAddressOrPath = (
        ""  # absolute or below base_url; "" = the sitemap of robots.txt, unless routes are set
    )
    discover: bool = True  # follow links
    query_parameters: tuple[str, ...] = ()  # parameters that select a page, e.g. "page"; empty = as canonical links say
    max_depth: Annotated[int, Field(ge=0, le=100)] = 10
    max_pages: Count = 10_000
    concurrency: Annotated[int, Field(ge=1, le=64)] = 8
    timeout_s: Annotated[float, Field(gt=0)] = 30.0  # for a whole request, from the first packet to the last byte
    max_seconds: Annotated[float, Field(gt=0)] = 3600.0  # for the whole crawl
    max_failures_in_row: Count = 50  # after that, the crawl stops
    respect_robots_txt: bool = True
    prefer: Literal["html", "markdown"] = "html"  # markdown = llms.txt and the Markdown of pages, where offered
    render: Literal["auto"] | bool = False  # run the scripts of pages in a browser; auto = if they add text to the site
    render_hosts: tuple[str, ...] = ()  # other hosts that pages may load scripts and data from
    browser: str = ""  # path of Chromium, or CDP address of a browser that runs; "" = Chromium on the PATH

    def advice(self) -> str:
        return "check source.crawl.base_url and its answers"
