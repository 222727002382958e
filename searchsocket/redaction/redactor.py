"""Replaces what looks like a secret, in time that grows with the text and no faster (spec 24)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from searchsocket.redaction.rules import named, rules_version, shapes

MARK = "[redacted]"
NAMES = ("api_key", "token", "secret", "password", "passwd")
# Patterns of others may take the square of a text, so they are given a window of it at a time; of two neighbours that
# overlap, one holds every key that is no longer than the overlap, and each of a longer one a part.
_WINDOW, _OVERLAP = 1_000, 250
# No value, but the place for one.
_PLACEHOLDER = re.compile(
    r"(?i)[$%<{&#@*.\\-]|(?:your|my|the|some|an?|our|example|sample|dummy|fake|test|change|placeholder|todo|none|null|nil|true"
    r"|false|undefined|string|process|import|os|env|getenv|secrets|config|settings|self|this|ctx|request|req|x{3,})(?![a-z0-9])"
)
_REST = re.compile(r"[A-Za-z0-9_./+=-]{0,4096}")
_HAS_DIGIT, _HAS_LETTER = re.compile(r"[0-9]"), re.compile(r"[A-Za-z]")
_MIN_PLAIN_CHARS = 8  # of a value whose name is not written as those of the environment are
_KEY_BEGIN = "-----BEGIN "
# A private key: its first line, then lines of base64, and perhaps some that say how it is encrypted.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<value>(?:(?:\s|\\n)+(?:[A-Za-z-]{3,20}: ?[^\n]{1,100}|[A-Za-z0-9+/=]{16,}))+(?:(?:\s|\\n)+[A-Za-z0-9+/=]+)?)"
)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets."""

    text: str
    count: int  # values that were replaced


class Redactor:
    """Redacts texts, the same one always in the same way; safe to share between threads.

    Args:
        names: A value is a secret if it is assigned to a name that holds one of these, in any case and without `_`.
        keep: Values that are none, such as those of examples.
    """

    def __init__(self, names: Sequence[str] = NAMES, keep: Sequence[str] = ()) -> None:
        self._names = tuple(names)
        self._keep = frozenset(keep)
        self.version = f"{rules_version()}-{'|'.join(self._names)}-{'|'.join(sorted(self._keep))}"

    def __call__(self, text: str) -> str:
        return self.redact(text).text

    def redact(self, text: str) -> Redacted:
        """The text with `[redacted]` in place of each secret."""
        spans = _joined(self._spans(text))
        if not spans:
            return Redacted(text, 0)
        parts, start = [], 0
        for begin, end in spans:
            parts += [text[start:begin], MARK]
            start = end
        return Redacted("".join([*parts, text[start:]]), len(spans))

    def _spans(self, text: str) -> Iterator[Span]:
        yield from _private_keys(text)
        for begin, end in _windows(text):
            for pattern in shapes():
                for match in pattern.finditer(text, begin, end):
                    group = "value" if "value" in pattern.groupindex else 0
                    if match[group] not in self._keep and MARK not in match[group]:
                        yield match.start(group), _end(text, match.end(group))
        if self._names:
            for is_strict, pattern in enumerate(named(self._names)):
                for match in pattern.finditer(text):
                    is_call = text.startswith("(", match.end())
                    if not is_call and self._is_secret(match["value"], is_strict=bool(is_strict)):
                        yield match.span("value")

    def _is_secret(self, value: str, *, is_strict: bool) -> bool:
        value = value.rstrip(".:!?")
        if value in self._keep or _PLACEHOLDER.match(value) or len(set(value)) < 3:
            return False
        if not is_strict:  # a variable of the environment is set to nothing but its value
            return True
        return bool(len(value) >= _MIN_PLAIN_CHARS and _HAS_DIGIT.search(value) and _HAS_LETTER.search(value))


def _end(text: str, end: int) -> int:
    """Where a key ends that is longer than its pattern, or than a window."""
    rest = _REST.match(text, end)
    return rest.end() if rest and (text[end - 1].isalnum() or text[end - 1] == ".") else end


def _windows(text: str) -> Iterator[Span]:
    for begin in range(0, max(len(text) - _OVERLAP, 1), _WINDOW - _OVERLAP):
        yield begin, min(begin + _WINDOW, len(text))


def _private_keys(text: str) -> Iterator[Span]:
    """What stands between the first and the last line of private keys, also of one that is cut off."""
    at = text.find(_KEY_BEGIN)
    while at >= 0:
        key = _PRIVATE_KEY.match(text, at)
        if key:
            yield key.span("value")
        at = text.find(_KEY_BEGIN, key.end() if key else at + 1)


def _joined(spans: Iterator[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined
