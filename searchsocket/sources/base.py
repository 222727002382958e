"""Source interface: list and read the pages of a site; and the globs that exclude some."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol
from urllib.parse import unquote

from pathspec import GitIgnoreSpec

from searchsocket.content.pages import RawPage
from searchsocket.errors import ConfigError
from searchsocket.project.settings.source_kinds import SourceKind
from searchsocket.web.urls.form import UrlForm


@dataclass(slots=True)
class SourceReport:
    """Report of one listing; complete only after the iterator ended. Only a complete run may delete."""

    complete: bool = False
    skipped: dict[str, str] = field(default_factory=dict)  # locator -> reason
    failed: dict[str, str] = field(default_factory=dict)  # locator -> error
    warnings: list[str] = field(default_factory=list)
    truncated: bool = False  # a limit of the source ended the listing early
    expected: int = 0  # pages known so far, for progress; 0 = unknown
    rendering: str = ""  # which pages a browser rendered, if the source chose
    url_form: UrlForm | None = None  # form of page addresses, if the source chose one

    def facts(self) -> dict[str, str]:
        """Facts for people, by name."""
        addresses = {"addresses": self.url_form.describe()} if self.url_form else {}
        return addresses | ({"rendering": self.rendering} if self.rendering else {})


@dataclass(frozen=True, slots=True)
class SourceOrigin:
    """Origin of the pages, in words for people."""

    mode: str  # the value of `source.mode`
    folder: str = ""  # relative to the project, if inside it
    address: str = ""  # of the crawled host, without credentials
    revision: str = ""  # branch, tag or commit of the repository
    generator: str = ""  # the site's generator, if its configuration names it

    def facts(self) -> dict[str, str]:
        """Known facts by name, the mode first."""
        values = {"source": self.mode, **{field.name: getattr(self, field.name) for field in fields(self)[1:]}}
        return {name: value for name, value in values.items() if value}


class Source(Protocol):
    """A place with pages: a build folder, content files, a crawled host, a commit."""

    kind: SourceKind

    @property
    def origin(self) -> SourceOrigin:
        """Origin of the pages."""

    @property
    def report(self) -> SourceReport:
        """The report on the last `pages()` iteration."""

    def pages(self) -> Iterator[RawPage]:
        """List every page once per URL, sorted by URL if that is free.

        A page that fails is reported and does not affect the others.

        Raises:
            SourceUnavailable: The listing cannot start.
        """

    def read(self, page: RawPage) -> bytes:
        """Read the current bytes of a page; works in another process than the one that listed it.

        Raises:
            SourceUnavailable: The page cannot be read (gone, too large, outside the root).
        """

    def modified(self, locator: str) -> float | None:
        """Return when the page at `locator` last changed, in seconds since 1970; None if the source does not know."""


class Excluder:
    """Test for excluded URLs."""

    def __init__(self, globs: Sequence[str]) -> None:
        """
        Args:
            globs: With the syntax of `.gitignore`; `/drafts/**` and `/drafts` both mean that page and all below.

        Raises:
            ConfigError: A glob cannot be read.
        """
        try:
            self._spec = GitIgnoreSpec.from_lines([_whole_tree(glob) for glob in globs]) if globs else None
        except (ValueError, TypeError) as error:
            raise ConfigError(f"source.exclude: {error}") from error

    def __call__(self, url: str) -> bool:
        """Return True if a canonical URL path is excluded."""
        if self._spec is None:
            return False
        path = url.removeprefix("/")
        # Globs are written like decoded paths, for example with spaces.
        return self._spec.match_file(path) or ("%" in path and self._spec.match_file(unquote(path)))


def _whole_tree(glob: str) -> str:
    return glob.removesuffix("/**") if len(glob) > len("/**") else glob
