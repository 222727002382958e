"""Globs over URL paths that take pages out (spec 7, `source.exclude`)."""

from collections.abc import Callable, Sequence
from urllib.parse import unquote

from pathspec import GitIgnoreSpec

from searchsocket.errors import ConfigError


def excluder(globs: Sequence[str]) -> Callable[[str], bool]:
    """A test for URLs that are to be left out.

    Args:
        globs: As in a `.gitignore`, over URL paths: `/drafts/**` and `/drafts` both mean that page and all below it.

    Raises:
        ConfigError: A glob cannot be read.
    """
    if not globs:
        return lambda _: False
    try:
        spec = GitIgnoreSpec.from_lines([_whole_tree(glob) for glob in globs])
    except (ValueError, TypeError) as error:
        raise ConfigError(f"source.exclude: {error}") from error

    def excluded(url: str) -> bool:
        path = url.removeprefix("/")
        # Globs are written as people read paths, with spaces and all.
        return spec.match_file(path) or ("%" in path and spec.match_file(unquote(path)))

    return excluded


def _whole_tree(glob: str) -> str:
    return glob.removesuffix("/**") if len(glob) > len("/**") else glob
