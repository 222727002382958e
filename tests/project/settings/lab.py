"""Lab for the effects of settings: a small site, its configuration file, and requests to it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from search_api.app import create_app
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import Project, open_project
from tests.api_client import Api
from tests.pipeline.conftest import Site
from tests.sources.web import Web

WEB = "http://web.test"  # stands for the address of the test's web server
OTHER_HOST = "other.test"  # stands for the same server under another name
KEYS = {"SEARCHSOCKET_API_KEY": "the usual key of the lab", "OTHER_KEY": "the other key of the lab"}


@dataclass(frozen=True, slots=True)
class Effect:
    """A key, another value than its default, and what is seen with either."""

    key: str
    value: object
    observe: Callable[["Lab"], object]
    before: object  # what is seen while the key has its default
    after: object  # what is seen with `value`, and nothing else changed
    given: Mapping[str, object] = field(default_factory=dict)  # keys that are set in both
    prepare: Callable[["Lab"], None] = lambda lab: None
    web: Callable[[Web], None] | None = None  # what a web server serves, where one is needed
    anew: bool = False  # the second look is at a site that was never indexed; else the change is all that is new


@dataclass(slots=True)
class Lab:
    """One project, and whatever an effect may be seen in."""

    root: Path
    patch: pytest.MonkeyPatch
    web: Web = field(default_factory=Web)
    site: Site = field(init=False)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True)
        self.site = Site(self.root)

    def configure(self, keys: Mapping[str, object]) -> None:
        """Write the configuration file; JSON values but objects are TOML values."""
        flat = {
            f"{key}.{name}" if name else key: inner
            for key, value in keys.items()
            for name, inner in (value.items() if isinstance(value, dict) else [("", value)])
        }
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in flat.items()]
        self.write(
            "searchsocket.toml",
            "".join(lines).replace(WEB, self.web.base_url).replace(OTHER_HOST, other_host(self.web)),
        )

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def page(self, file: str, body: str, head: str = "") -> None:
        """A built page that is nothing but `body`."""
        self.write(f"build/{file}", f"<html><head><title>Page</title>{head}</head><body>{body}</body></html>")

    @property
    def project(self) -> Project:
        return open_project(self.root, {})

    def index(self, scope: str = "main") -> IndexSummary:
        return self.site.index(scope, accept_large_deletion=True)

    def urls(self) -> list[str]:
        """URLs of the pages in the index, after a run."""
        self.index()
        return sorted(self.site.urls())

    def mirror(self, file: str) -> str:
        """The text of a mirror page without its front matter, after a run; "" when there is none."""
        self.index()
        return self.site.mirror().get(file, "").rpartition("\n---\n")[2].strip()

    def sections(self, url: str) -> list[str]:
        """The texts of a page's chunks but the summary, after a run."""
        self.index()
        records = sorted(self.site.records(), key=lambda record: record.chunk.ordinal)
        return [
            record.chunk.body.text for record in records if record.page.url == url and record.chunk.kind == "section"
        ]

    def listed(self) -> list[str]:
        """URLs that the source lists."""
        return [page.url for page in self.site.run().make_source().pages()]

    def api(self, *, local: bool = False, client: str = "203.0.113.9", base: str = "http://search.example") -> Api:
        """The service, as the internet or as its own machine sees it."""
        if not self.project.state_dir.exists():
            self.index()
        host = "127.0.0.1" if local else "0.0.0.0"
        app = create_app(self.project, environ=KEYS, host=host)
        return Api(app, "127.0.0.1" if local else client, "http://localhost:8181" if local else base)

    def found(self, q: str, **options: object) -> list[str]:
        """URLs of the results of a query, best first."""
        answer = self.api(local=True).post({"q": q, **options})
        assert answer.status_code == 200, answer.text
        return [result["url"] for result in answer.json()["results"]]


def other_host(web: Web) -> str:
    """Another name of the test's web server, with its port."""
    return web.base_url.replace("http://127.0.0.1", "localhost")


def outcome(use: Callable[[], object], naming: str = "") -> str:
    """`ok`, or the code of the error that came of it; an error must name what it is about."""
    try:
        use()
    except SearchSocketError as error:
        return error.code if naming in str(error) else f"{error.code}, naming something else: {error}"
    return "ok"
