"""Settings of the browser, part of `source.crawl`."""

from typing import Literal

from searchsocket.project.settings.section import SettingsSection


class BrowserSettings(SettingsSection):
    render: Literal["auto"] | bool = False  # run the scripts of pages in a browser; auto = if they add text to the site
    render_hosts: tuple[str, ...] = ()  # other hosts that pages may load scripts and data from
    browser: str = ""  # path of Chromium, or CDP address of a browser that runs; "" = Chromium on the PATH
