"""Rules of a page for crawlers: robots metas, and the `X-Robots-Tag` header."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

OWN_NAMES = frozenset({"searchsocket", "robots", "*"})  # agents whose rules apply
_NAMED = re.compile(r"([\w*.-]+)[ \t]*:[ \t]*(.*)", re.DOTALL)
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_WORDS = re.compile(r"[\s,]+")
_MAX_CHARS = 2_000  # of one rule text


@dataclass(frozen=True, slots=True)
class PageRules:
    """Permissions of one page."""

    is_indexable: bool = True
    is_followable: bool = True  # its links may be followed


def page_rules(texts: Iterable[str], now_s: float) -> PageRules:
    """Read the rules for this crawler; unknown rules and rules for other agents do not apply.

    Args:
        texts: The content of each robots meta, or the value of each header line. An agent's name, as in
            `otherbot: noindex`, applies up to the next name in the same text.
        now_s: Seconds since 1970; from the date of `unavailable_after` on, a page is not indexed.
    """
    words: set[str] = set()
    for text in texts:
        words |= _words(text[:_MAX_CHARS], now_s)
    return PageRules(not words & {"noindex", "none"}, not words & {"nofollow", "none"})


def _words(text: str, now_s: float) -> set[str]:
    words: set[str] = set()
    applies = True
    parts = text.split(",")
    for number, part in enumerate(parts):
        rule = part.strip()
        if (named := _NAMED.fullmatch(rule)) and named[1].lower() not in _WITH_VALUE:
            applies = named[1].lower() in OWN_NAMES
            rule = named[2]
            named = _NAMED.fullmatch(rule)
        if not applies:
            continue
        if named is None:
            words.update(_WORDS.split(rule.lower()))
        elif named[1].lower() == "unavailable_after":
            # A date may begin with a weekday and a comma.
            dates = (named[2], ",".join([named[2], *parts[number + 1 : number + 2]]))
            if any(date is not None and date <= now_s for date in map(_seconds, dates)):
                words.add("noindex")
    return words


def _seconds(text: str) -> float | None:
    text = text.strip()
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        try:
            time = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    try:
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        return None
