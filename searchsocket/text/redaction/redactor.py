"""Replace probable secrets, in time linear in the length of the text (spec 24)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from searchsocket.text.redaction.rules import named, rules_version, shapes

MARK = "[redacted]"
NAMES = (
    "api_key", "token", "secret", "password", "passwd",
    "pwd", "pass", "passphrase", "private_key", "access_key", "credential",
)  # fmt: skip
# Words that start a placeholder, such as `your-key-here`, if only words follow: `my-9f86d081` is a value.
_PLACEHOLDER_WORD = re.compile(
    r"(?i)(?:your|my|the|some|an?|our|example|sample|dummy|fake|test|change|placeholder|todo|none|null|nil|true"
    r"|false|undefined|string|process|import|os|env|getenv|secrets|config|settings|self|this|ctx|request|req|x{3,})"
    r"(?![a-z0-9])"
)
_WORDS_ONLY = re.compile(r"(?:[^A-Za-z0-9]*(?:[A-Za-z]{1,30}(?![A-Za-z0-9])|[0-9]{1,4}(?![A-Za-z0-9])))*[^A-Za-z0-9]*")
# A variable, formula, element, template, colour, option, path or address: not a secret value.
_REFERENCE = re.compile(
    r"[$%]?[$%][A-Za-z_][A-Za-z_0-9]*%?(?![A-Za-z0-9$])|[$%#&@]?[{<(]|&[a-z]{2,8}$|@[A-Za-z]|[*.\\]{2}|\*|\\[a-z]"
    r"|#[0-9a-fA-F]{3,8}$|#[a-z]+$|#$|--?[a-z]+(?:[-=]|$)|(?:~|\.{1,2})?/[a-z._]|https?:|[A-Z]:\\"
    r"|\.[A-Za-z_]+(?![A-Za-z0-9])"
    r"|(?:process|import|os|env|secrets|config|settings|self|this|ctx|request|req)[.?!]+[A-Za-z_$][A-Za-z_0-9]*"
)
_REST = re.compile(r"[A-Za-z0-9_./+=-]{0,4096}")
_HAS_DIGIT, _HAS_LETTER = re.compile(r"[0-9]"), re.compile(r"[A-Za-z]")
_MIN_PLAIN_CHARS = 8  # of a value whose name is not in capitals like an environment variable
# Invisible characters inside a name, and letters that look like Latin ones.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0410\u0415\u041e\u0420\u0421\u0422\u041a",
    "aeopcyxisAEOPCTK",
)
_KEY_BEGIN = "-----BEGIN "
# A private key: its first line, then lines of base64, and perhaps headers about its encryption.
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
    """Redacts texts deterministically; safe to share between threads.

    Args:
        names: A value is a secret if it is assigned to a name that contains one of these, in any case and without `_`.
        keep: Values that are not secrets, such as those of examples.
    """

    def __init__(self, names: Sequence[str] = NAMES, keep: Sequence[str] = ()) -> None:
        self._names = tuple(names)
        self._keep = frozenset(keep)
        self.version = f"{rules_version()}-{'|'.join(self._names)}-{'|'.join(sorted(self._keep))}"

    def __call__(self, text: str) -> str:
        return self.redact(text).text

    def redact(self, text: str) -> Redacted:
        """Replace each secret in the text by `[redacted]`."""
        spans = _merge_spans(self._spans(text))
        if not spans:
            return Redacted(text, 0)
        parts, start = [], 0
        for begin, end in spans:
            parts += [text[start:begin], MARK]
            start = end
        return Redacted("".join([*parts, text[start:]]), len(spans))

    def _spans(self, text: str) -> Iterator[Span]:
        plain, offsets = _as_seen(text)
        for begin, end in self._plain_spans(plain):
            yield (offsets[begin], offsets[end - 1] + 1) if offsets else (begin, end)

    def _plain_spans(self, text: str) -> Iterator[Span]:
        yield from _private_keys(text)
        for pattern in shapes():
            group = "value" if "value" in pattern.groupindex else 0
            for match in pattern.finditer(text):
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
        if value in self._keep or len(set(value)) < 3 or _REFERENCE.match(value):
            return False
        if _PLACEHOLDER_WORD.match(value) and _WORDS_ONLY.fullmatch(value):
            return False
        if not is_strict:  # an environment variable is assigned only a value
            return True
        return bool(len(value) >= _MIN_PLAIN_CHARS and _HAS_DIGIT.search(value) and _HAS_LETTER.search(value))


def _end(text: str, end: int) -> int:
    """The end of a key that is longer than its pattern."""
    tail = _REST.match(text, end)
    return tail.end() if tail and (text[end - 1].isalnum() or text[end - 1] == ".") else end


def _as_seen(text: str) -> tuple[str, Sequence[int]]:
    """The text as a person reads it: without invisible characters, and with Latin letters for lookalikes.

    Also returns the position in `text` of each of its characters; empty if no character was removed.
    """
    plain = text if text.isascii() else text.translate(_LOOKALIKES)
    if text.isascii() or not _UNSEEN.search(text):
        return plain, ()
    offsets = [at for at, character in enumerate(plain) if not _UNSEEN.match(character)]
    return "".join(plain[at] for at in offsets), offsets


def _private_keys(text: str) -> Iterator[Span]:
    """Yield the text between the first and last line of private keys, including truncated ones."""
    at = text.find(_KEY_BEGIN)
    while at >= 0:
        key = _PRIVATE_KEY.match(text, at)
        if key:
            yield key.span("value")
        at = text.find(_KEY_BEGIN, key.end() if key else at + 1)


def _merge_spans(spans: Iterator[Span]) -> list[Span]:
    """Sort the spans and merge those that touch."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined
