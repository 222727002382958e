"""Rules of `curation.toml` for queries, read again when the file changes."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from searchsocket.curation.rules import (
    FILE_NAME,
    CurationRules,
    PageRule,
    is_current,
    plain_query,
    read_curation,
)
from searchsocket.errors import ConfigError
from searchsocket.text.synonyms import Synonyms, make_synonyms


def utc_now() -> datetime:
    return datetime.now(UTC)


class Curation:
    """The rules of a project; safe to share between threads. Implements `SynonymSource`."""

    def __init__(
        self,
        root: Path | None = None,
        synonyms: Sequence[Sequence[str]] = (),
        clock: Callable[[], datetime] = utc_now,
        on_error: Callable[[BaseException], object] = lambda _: None,
    ) -> None:
        """
        Args:
            root: Folder of the project; None: no rules.
            synonyms: `ranking.synonyms`, which apply too.
            on_error: Called with the mistakes of a file when it is read; its other rules count.
        """
        self._path = root and root / FILE_NAME
        self._groups = synonyms
        self._clock = clock
        self._on_error = on_error
        self._read: tuple[tuple[int, ...] | None, CurationRules] | None = None  # with the stamp of the file
        self._synonyms: tuple[CurationRules, date, Synonyms] | None = None

    def rules(self) -> CurationRules:
        """Return the valid rules, including expired ones; an unchanged file costs one `stat` call."""
        stamp, cached = self._stamp(), self._read
        if cached is None or cached[0] != stamp:
            cached = self._read = (stamp, self._read_file())
        return cached[1]

    def _read_file(self) -> CurationRules:
        if self._path is None:
            return CurationRules()
        try:
            rules = read_curation(self._path)
        except FileNotFoundError:
            return CurationRules()
        if rules.mistakes:
            self._on_error(ConfigError("; ".join(rules.mistakes)))
        return rules

    def _stamp(self) -> tuple[int, ...] | None:
        try:
            info = os.stat(self._path) if self._path else None
        except OSError:  # the file does not exist, or reading it reports the error
            return None
        return (info.st_mtime_ns, info.st_size, info.st_ino) if info else None

    def today(self) -> date:
        """Return the current day, by which rules expire."""
        return self._clock().astimezone(UTC).date()

    def matching(self, q: str) -> tuple[PageRule, ...]:
        """Return the rules for a query today, in the order of the file."""
        rules = self.rules()
        if not rules.pages:
            return ()
        plain, today = plain_query(q), self.today()
        return tuple(rule for rule in rules.pages if is_current(rule, today) and rule.is_about(plain))

    def current(self) -> Synonyms:
        """Return the synonyms of the settings, and of the file as it is now."""
        rules, today, cached = self.rules(), self.today(), self._synonyms
        if cached is None or cached[0] is not rules or cached[1] != today:
            groups = (rule.words for rule in rules.synonyms if is_current(rule, today))
            cached = self._synonyms = (rules, today, make_synonyms([*self._groups, *groups]))
        return cached[2]

    def notices(self, has_page: Callable[[str], bool]) -> list[str]:
        """Return a sentence for each rule without effect: invalid, expired, or a pin of a page that is not indexed."""
        rules, today = self.rules(), self.today()
        expired = [
            f"{FILE_NAME}:{rule.line} expired on {rule.until}; remove the rule or change its date"
            for rule in rules.expired(today)
        ]
        pins = (rule for rule in rules.pages if rule.effect == "pin" and is_current(rule, today))
        missing = [
            f"{FILE_NAME}:{rule.line} pins {page}, which is not in the index"
            for rule in pins
            for page in rule.pages
            if not has_page(page)
        ]
        return [*rules.mistakes, *expired, *missing]

    def version(self) -> str:
        """Return a text that changes when the rules do; "" without rules."""
        digest = self.rules().digest
        return f"{digest} {self.today()}" if digest else ""
