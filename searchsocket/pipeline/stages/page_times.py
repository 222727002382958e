"""Times of mirror files, from the source of the site, so that two machines write the same files (spec 8.4)."""

from datetime import UTC, datetime

from searchsocket.errors import ConfigError, SourceUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.sources.git_objects import Repository

_VARIABLE = "SOURCE_DATE_EPOCH"


class PageTimes:
    """The time of each page: of the indexed commit, else `SOURCE_DATE_EPOCH`, else of the page's own source."""

    def __init__(self, run: ScopeRun) -> None:
        """
        Raises:
            ConfigError: `SOURCE_DATE_EPOCH` is not a time.
        """
        self._of_all = _commit_time(run) or _environment_time(run)
        self._source = run.make_source()

    def time_of(self, locator: str) -> str:
        """Return the time of a page in UTC, or "" if it is unknown (a crawled page without `Last-Modified`)."""
        if self._of_all:
            return self._of_all
        seconds = self._source.modified(locator)
        return "" if seconds is None else _text(seconds)


def _commit_time(run: ScopeRun) -> str:
    try:
        commit = run.source_revision().removesuffix("-dirty")
        return _text(Repository(run.project.root).commit_time(commit)) if commit else ""
    except SourceUnavailable:
        return ""


def _environment_time(run: ScopeRun) -> str:
    text = run.environ.get(_VARIABLE, "").strip()
    time = _text(int(text)) if text.isdecimal() and len(text) < 16 else ""
    if text and not time:
        raise ConfigError(f"{_VARIABLE} is {text[:40]!r}; set it to seconds since 1970, or remove it")
    return time


def _text(seconds: float) -> str:
    """Return the time to the second; "" if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds // 1, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""
