"""Form of a site's addresses: with or without `.html`, with or without a trailing slash.

The page is the same in all forms (`page_path`); its address is the path that opens it on the site's host.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import unquote

from searchsocket.project.settings.site import UrlStyle
from searchsocket.web.urls.paths import HTML_SUFFIX, is_index, is_xhtml

# In order of preference between equals: forms that work on every host come first.
Flat = Literal["suffix", "clean", "slash"]  # `name.html` is opened as /name.html, /name, /name/
Folder = Literal["index", "slash", "bare"]  # `name/index.html` is opened as /name/index.html, /name/, /name

_FEW_LINKS = 2  # so many may lead to other sites of the host
_MAX_PREFIX = 2  # folders: GitLab serves pages of `group/project`
_STYLES: Mapping[str, tuple[Flat, Folder]] = {
    "clean": ("clean", "bare"),
    "slash": ("slash", "slash"),
    "html": ("suffix", "slash"),
    "index": ("suffix", "index"),
}


@dataclass(frozen=True, slots=True)
class UrlForm:
    """The form of a site's addresses, and the evidence for it."""

    flat: Flat = "clean"
    folder: Folder = "slash"
    links: int = 0  # distinct addresses in the site's own links; 0 = the form is not from links
    agreeing: int = 0  # number of them that have this form
    is_stated: bool = False  # set in the configuration
    prefix: str = ""  # a base path without which most links open pages, but with which they do not
    evidence: str = ""  # digest of its sources; the same evidence gives the same form

    def address(self, url: str, file: str) -> str:
        """The path that opens a page.

        Args:
            url: Page path from `page_path`; not the home page.
            file: The name of its file, e.g. `index.html`.
        """
        if is_index(file):
            # Hosts look for a lower-case name: `Index.html` opens only with its whole name.
            return {"index": f"{url}/{file}", "slash": f"{url}/", "bare": url}[
                self.folder if file.islower() and not is_xhtml(file) else "index"
            ]
        suffix = HTML_SUFFIX.search(file)
        if suffix and is_xhtml(file):
            return url + suffix[0]
        return {"suffix": url + (suffix[0] if suffix else ".html"), "clean": url, "slash": f"{url}/"}[self.flat]

    def describe(self) -> str:
        """Describe the form for people: `/page.html and /folder/ (412 of 415 links)`."""
        form = f"{self.address('/page', 'page.html')} and {self.address('/folder', 'index.html')}"
        if self.links:
            return f"{form} ({self.agreeing:,} of {self.links:,} links)"
        links = f"links begin with {self.prefix}" if self.prefix else "the pages link to nothing"
        return f"{form} (urls.style)" if self.is_stated else f"{form} (assumed; {links})"


CLEAN = UrlForm("clean", "bare")
AS_FILES = UrlForm("suffix", "index")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of the pages of a site on its host."""

    form: UrlForm = CLEAN
    base: str = ""  # base path of the site, from `normalise_prefix`

    def of(self, url: str, file: str) -> str:
        """The path that opens a page on the site's host; "" if it equals `url`.

        Args:
            url: The page, without the base path.
            file: As in `UrlForm.address`.
        """
        if url == "/" and not is_xhtml(file) and (not self.base or is_index(file)):
            address = f"{self.base}/"  # the same on every host
        else:
            address = self.form.address(self.base + url.rstrip("/"), file)
        return "" if address == url else address

    def of_served(self, url: str, served_url: str) -> str:
        """Like `of`, for a page and its own path; a trailing slash means a folder's page."""
        return self.of(url, served_url.rpartition("/")[2] or "index.html")


AT_THEIR_URLS = Addresses()


def url_form_of(text: str) -> UrlForm | None:
    """Parse a form from JSON; None for any other text."""
    try:
        form = UrlForm(**json.loads(text))
    except (ValueError, TypeError):
        return None
    return form if form.flat in get_args(Flat) and form.folder in get_args(Folder) else None


def stated_form(style: UrlStyle) -> UrlForm | None:
    """The form for `urls.style`; None for `auto`."""
    return UrlForm(*_STYLES[style], is_stated=True) if style in _STYLES else None


class LinkVotes:
    """Counts the forms of a site's links to its pages; each address counts once."""

    def __init__(self, is_file: Callable[[str], bool]) -> None:
        """
        Args:
            is_file: Returns True if the site has a file with this name, relative to its root.
        """
        self._is_file = is_file
        self._counted_paths: set[str] = set()
        self._flat: Counter[str] = Counter()
        self._folder: Counter[str] = Counter()
        self._prefixes: Counter[str] = Counter()

    @property
    def links(self) -> int:
        """Number of distinct addresses so far that open a page of the site and show a form."""
        return self._flat.total() + self._folder.total()

    def count(self, path: str) -> None:
        """Count a link.

        Args:
            path: A path of this site, from `resolve_address`.
        """
        if path not in self._counted_paths:
            self._counted_paths.add(path)
            path = unquote(path)
            if vote := self._vote(path):
                counts, form = vote
                counts[form] += 1
            else:
                self._count_prefix(path)

    def form(self) -> UrlForm:
        """The form of most links."""
        folder = _most(self._folder, get_args(Folder))
        flat = _most(self._flat, get_args(Flat)) or ("suffix" if folder == "index" else "clean")
        folder = folder or "slash"
        agreeing = self._flat[flat] + self._folder[folder]
        prefix, links = next(iter(self._prefixes.most_common(1)), ("", 0))
        prefix = prefix if links > max(self.links, _FEW_LINKS) else ""
        return UrlForm(cast("Flat", flat), cast("Folder", folder), self.links, agreeing, prefix=prefix)

    def _count_prefix(self, path: str) -> None:
        """Count the first one or two folders of a path if the rest of it opens a page."""
        names = path.strip("/").split("/")
        for size in range(1, min(len(names), _MAX_PREFIX + 1)):
            if self._vote(f"/{'/'.join(names[size:])}{'/' if path.endswith('/') else ''}"):
                self._prefixes[f"/{'/'.join(names[:size])}"] += 1
                return

    def _vote(self, path: str) -> tuple[Counter[str], str] | None:
        """Return the counter and the form that a path shows; None if it opens no page, or shows no form."""
        name = path.strip("/")
        if "/" not in name and (not name or is_index(name)):
            return None  # the home page is `/` on every host, even if links differ
        if ".." in name.split("/"):  # an escaped slash was in it
            return None
        if path.endswith("/"):
            if self._is_file(f"{name}/index.html"):
                return self._folder, "slash"
            return (self._flat, "slash") if self._is_file(f"{name}.html") else None
        if HTML_SUFFIX.search(name) and self._is_file(name):
            return (self._folder, "index") if is_index(name.rpartition("/")[2]) else (self._flat, "suffix")
        flat, folder = self._is_file(f"{name}.html"), self._is_file(f"{name}/index.html")
        if flat == folder:  # if both exist, it may mean either
            return None
        return (self._flat, "clean") if flat else (self._folder, "bare")


def _most(counts: Counter[str], forms: tuple[str, ...]) -> str:
    return max(forms, key=lambda form: counts[form]) if counts else ""  # the first of equals
