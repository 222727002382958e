"""Globs over URL paths that exclude pages (spec 7, `source.exclude`)."""

from collections.abc import Sequence
from urllib.parse import unquote

from pathspec import GitIgnoreSpec

from searchsocket.errors import ConfigError


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
