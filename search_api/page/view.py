"""The search page as HTML: one template that escapes all data."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from searchsocket.system.json_text import JsonObject

if TYPE_CHECKING:
    from jinja2 import Template

FILES = files("search_api.page") / "files"
_TYPES = {
    "search.css": "text/css",
    "search.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "docs.css": "text/css",
    "owner.css": "text/css",
    "owner.js": "text/javascript",
}
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page; its version in the URL changes with its content."""

    content: bytes
    media_type: str

    @property
    def version(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class View:
    """Data of one page; empty parts are left out."""

    form: Mapping[str, str] = field(default_factory=dict)  # the form, by field
    filters: Mapping[str, str] = field(default_factory=dict)  # the value chosen of each facet
    answer: JsonObject | None = None  # of a search, as in the API's JSON
    index: JsonObject | None = None  # the health of the default scope, likewise
    problem: str = ""  # why there is no answer
    page: JsonObject | None = None  # one page of the index, likewise
    title: str = ""  # of the site; "" = the project's id


@cache
def assets() -> Mapping[str, Asset]:
    """The files of the page by name."""
    return {name: Asset((FILES / name).read_bytes(), kind) for name, kind in _TYPES.items()}


def asset_links(folder: str) -> dict[str, str]:
    """Links to the files of the page, below a folder, by name."""
    return {name: f"{folder}/{name}?v={asset.version}" for name, asset in assets().items()}


@cache
def read_template(name: str, **helpers: Callable[..., object]) -> "Template":
    """Compile a file of the page, once per process, at its first request: it takes tens of milliseconds.

    Args:
        helpers: Functions that the file may call, also as filters.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(helpers)
    environment.globals.update(helpers)
    return environment.from_string((FILES / name).read_text(encoding="utf-8"))


class Renderer:
    """Renders the page of one project."""

    def __init__(
        self,
        project: str,
        *,
        site: str,
        api: str,
        folder: str,
        facets: tuple[str, ...],
        scopes_of: Callable[[], tuple[str, ...]],
        health: str = "",
        beacon: str = "",
    ) -> None:
        """Everything that all views share.

        Args:
            scopes_of: Returns the public scopes, which may change.
            site: Scheme and host of the indexed site; "" = unknown.
            api, folder: The search endpoint and the folder of the assets, as links from the page.
            health: Link to the health endpoint, if an open page must follow the live generation; "" = it need not.
            beacon: Link to the endpoint that records opened results; "" = they are not recorded.
        """
        self._shared = {
            "site": site,
            "api": api,
            "health": health,
            "beacon": beacon,
            "facets": facets,
            "files": asset_links(folder),
        }
        self._project = project
        self._scopes_of = scopes_of

    def html(self, view: View) -> bytes:
        """The page, in UTF-8."""
        form = view.form
        offset = int(form["offset"]) if form.get("offset", "").isdecimal() else 0
        further = {**form, "offset": str(offset + len(view.answer["results"]))} if view.answer else {}
        template = read_template("search.html", ago=ago, short=short_revision, range_of=range_of)
        text = template.render(
            self._shared | asdict(view),
            project=view.title or self._project,
            scopes=self._scopes_of(),
            q=form.get("q", ""),
            scope=form.get("scope", ""),
            is_filtered=bool(form.keys() - {"q", "scope", "offset"}),
            offset=offset,
            further=f"?{urlencode(further)}",
        )
        return text.encode("utf-8", "replace")


def short_revision(revision: str) -> str:
    """Return the first 8 characters of a commit, with its `-dirty`."""
    commit, dash, dirty = revision.partition("-")
    return f"{commit[:8]}{dash}{dirty}"


def range_of(offset: int, count: int, total: int) -> str:
    """The range of the shown results: `11-20 of the 34 best pages`."""
    if offset == 0 and count == total:
        return f"{total} {'page' if total == 1 else 'pages'}"
    return f"{offset + 1}–{offset + count} of the {total} best pages"


def ago(seconds: float) -> str:
    """A duration since a time, in its largest unit."""
    for unit, length in _UNITS:
        if count := int(seconds // length):
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
