"""URL of a content file, derived from its path.

A route's page file (`+page.md`) has the URL of its route. For other files, the URL is the path below the fixed part of
the matching glob: with `content/**/*.md`, `content/blog/x.md` is `/blog/x`; `index.md` and `README.md` are
the page of their folder.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from searchsocket.errors import ConfigError, InvalidRequest
from searchsocket.web.routes import route_url
from searchsocket.web.routes.kit import clean_dir
from searchsocket.web.routes.segments import InvalidRoute
from searchsocket.web.urls.paths import join_name

_SUFFIX = re.compile(r"\.(?:md|mdx|svx|markdown)$", re.IGNORECASE)
_PAGE = re.compile(r"\+page(?:@.*)?\.(?:svelte\.mdx?|md|mdx|svx)")
_MAGIC = re.compile(r"[*?\[!\\]")
_FOLDER_PAGES = ("index", "readme")  # in this order, if both exist


@dataclass(frozen=True, slots=True)
class ContentPage:
    """Position of a file on the site."""

    url: str = ""
    served_url: str = ""
    rank: int = 0  # if two files have one URL, the lower rank is used
    skip: str = ""  # reason why it has no URL; "" if it has one


class ContentPaths:
    """The globs of a project, compiled, to match files and determine their URLs."""

    def __init__(self, globs: Sequence[str], routes_dir: str) -> None:
        """
        Args:
            globs: With the syntax of `.gitignore`, but for included files.
            routes_dir: The routes folder, relative to the same root as the globs.

        Raises:
            ConfigError: A glob cannot be read, or points out of the root.
        """
        self.globs = tuple(globs)
        self._routes_dir = clean_dir(routes_dir)
        for glob in globs:
            if ".." in glob.split("/") or glob.startswith("/"):
                raise ConfigError(f"source.content_files.globs: {glob!r} must stay below base_dir, without `..` or `/`")
        try:
            self._specs = [(GitIgnoreSpec.from_lines([glob]), _fixed_folder(glob)) for glob in globs]
        except (ValueError, TypeError) as error:
            raise ConfigError(f"source.content_files.globs: {error}") from error

    def folders(self) -> list[str]:
        """The folders to list, none inside another."""
        folders = sorted({folder for _, folder in self._specs})
        return [
            folder
            for folder in folders
            if not any(folder != above and (above == "" or folder.startswith(f"{above}/")) for above in folders)
        ]

    def matches(self, path: str) -> bool:
        """Return True if any glob matches this relative path."""
        return any(spec.match_file(path) for spec, _ in self._specs)

    def page_at(self, path: str) -> ContentPage:
        """The URL of a relative path that a glob matches."""
        rank, folder = next((i, folder) for i, (spec, folder) in enumerate(self._specs) if spec.match_file(path))
        name = path.rpartition("/")[2]
        try:
            if _PAGE.fullmatch(name):
                return self._page_of_route(path, folder, rank)
            if not _SUFFIX.search(name):
                return ContentPage(skip="not Markdown")
            if name.startswith("+"):
                return ContentPage(skip="not the page file of its route")
            return _page_of_file(path[len(folder) :].strip("/"), rank)
        except (InvalidRequest, InvalidRoute) as error:
            return ContentPage(skip=str(error))

    def _page_of_route(self, path: str, folder: str, rank: int) -> ContentPage:
        inside = self._routes_dir and path.startswith(f"{self._routes_dir}/")
        folders = path[len(self._routes_dir if inside else folder) :].strip("/").split("/")[:-1]
        url = route_url("/" + "/".join(folders))
        if url is None:
            return ContentPage(skip="its route has parameters, so it has no fixed URL")
        return ContentPage(url, url, rank * 4)


def _page_of_file(inner: str, rank: int) -> ContentPage:
    *folders, name = inner.split("/")
    stem = _SUFFIX.sub("", name)
    url = "/"
    for folder in folders:
        url = join_name(url, folder)
    if stem.lower() in _FOLDER_PAGES:
        return ContentPage(url, f"{url.rstrip('/')}/", rank * 4 + 1 + _FOLDER_PAGES.index(stem.lower()))
    url = join_name(url, stem)
    return ContentPage(url, url, rank * 4 + 3)


def _fixed_folder(glob: str) -> str:
    """The folders of a glob before its first wildcard."""
    fixed: list[str] = []
    for part in glob.split("/")[:-1]:
        if _MAGIC.search(part):
            break
        fixed.append(part)
    return "/".join(part for part in fixed if part not in ("", "."))
