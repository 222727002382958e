"""Replace probable secrets, in time linear in the length of the text (spec 24).

Secrets are values of names such as API_KEY, and the key formats of well-known services. Most formats come from
detect-secrets. Three of its detectors are not used: names (replaced by `named`), addresses and random strings (they
report harmless text on every other page of documentation), and private keys (it reports their first line alone). Every
repetition is bounded, so a match attempt costs a bounded number of steps.
"""

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import chain
from typing import Any

VERSION = 2  # raise it if the same text is redacted differently
LIBRARY = "detect-secrets"
_DETECTORS = (
    "artifactory", "aws", "azure_storage_key", "basic_auth", "cloudant", "discord", "github_token", "gitlab_token",
    "ibm_cloud_iam", "ibm_cos_hmac", "jwt", "mailchimp", "npm", "openai", "pypi_token", "sendgrid", "slack",
    "softlayer", "square_oauth", "stripe", "telegram_token", "twilio",
)  # fmt: skip
# Formats that detect-secrets does not have. `value` is the secret if the pattern includes context.
_FORMATS = (
    r"\b[Bb]earer[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/-]{16,400}={0,4})",
    r"(?i:\bauthorization)[\"']?[ \t]{0,4}[:=,][ \t]{0,4}[\"'`]?(?i:basic|token)[ \t]{1,4}"
    r"(?P<value>[A-Za-z0-9+/_-]{8,400}={0,2})",
    r"\bAIza[A-Za-z0-9_-]{35}",  # Google
    r"\bGOCSPX-[A-Za-z0-9_-]{20,60}",
    r"\bya29\.[A-Za-z0-9_-]{20,400}",
    r"\bgithub_pat_[A-Za-z0-9_]{22,255}",
    r"\bsk-ant-[A-Za-z0-9_-]{20,200}",  # Anthropic
    r"\bsk-(?:proj|svcacct|or-v1)-[A-Za-z0-9_-]{20,200}",  # OpenAI, OpenRouter
    r"\bhf_[A-Za-z0-9]{30,60}",  # Hugging Face
    r"\bpcsk_[A-Za-z0-9_]{30,120}",  # Pinecone
    r"\bjina_[A-Za-z0-9_-]{40,100}",
    r"\bdo[opr]_v1_[a-f0-9]{64}",  # DigitalOcean
    r"\bdckr_pat_[A-Za-z0-9_-]{20,60}",
    r"\b(?:gsk|xai|whsec|shpat|sbp)[_-][A-Za-z0-9]{32,100}",  # Groq, xAI, Stripe webhooks, Shopify, Supabase
    r"\b[rs]k_test_[A-Za-z0-9]{24,120}",
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,60}",
)
# A value ends at a quote, bracket or blank.
_VALUE = r"(?P<value>[^\s\"'`<>(){}\[\],;|]{4,4096})"
_QUOTES = r"[\"'`\]]{0,2}"
_BLANKS = r"[ \t]{0,4}"
_ASSIGNMENT = rf"{_BLANKS}(?::=|=>|={{1,3}}|[:\uff1d\uff1a]){_BLANKS}"
_ASSIGNED = rf"{_QUOTES}{_ASSIGNMENT}[\"'`]?{_VALUE}"
# Other separators between a name and its value: a new line, a table cell, an element.
_APART = rf"{_QUOTES}(?:{_ASSIGNMENT}(?:\r?\n[ \t]{{0,12}})?|{_BLANKS}\|{_BLANKS}|>)[\"'`]?{_VALUE}"
# The password of `curl -u name:password`.
_CURL = rf"\bcurl\b[^\n]{{0,200}}?[ \t](?:-u|--user)[ \t=]{{0,2}}[\"']?[^\s:\"'<>]{{1,60}}:{_VALUE}"
_UNBOUNDED = re.compile(r"(?P<kept>\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|\{(?P<least>\d+),\}|[*+]", re.DOTALL)
_MAX_BLANKS, _MAX_ANY, _MAX_REPEATS = 4, 100, 400
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


@cache
def shapes() -> tuple[re.Pattern[str], ...]:
    """Patterns of keys of well-known services; loading them takes 0.2 s."""
    from detect_secrets.plugins.base import RegexBasedDetector

    modules = (importlib.import_module(f"detect_secrets.plugins.{name}") for name in _DETECTORS)
    kinds = (kind for module in modules for kind in vars(module).values() if isinstance(kind, type))
    detectors: list[Any] = [
        kind for kind in kinds if issubclass(kind, RegexBasedDetector) and kind is not RegexBasedDetector
    ]
    foreign = chain.from_iterable(detector.denylist for detector in detectors)
    return (*map(re.compile, _FORMATS), *(re.compile(bounded(shape.pattern), shape.flags) for shape in foreign))


def bounded(pattern: str) -> str:
    """The pattern with an upper limit on every repetition: 4 blanks, 100 of any character, 400 of a class.

    `(?: *)(?:=| +)(?: *)` costs the cube of a run of blanks, and detect-secrets contains several of its kind.
    """

    def limit(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0]
        before = pattern[: match.start()]
        limits = {" ": _MAX_BLANKS, r"\s": _MAX_BLANKS, ".": _MAX_ANY}
        most = next((limits[end] for end in limits if before.endswith(end)), _MAX_REPEATS)
        least = int(match["least"] or (match[0] == "+"))
        return f"{{{least},{max(least, most)}}}"

    return _UNBOUNDED.sub(limit, pattern)


@cache
def named(names: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Patterns of values for names that contain one of `names`: in capitals, in any case, options, `curl -u`.

    The group `value` is the value.
    """
    # Another word may follow the name, but not directly: a `tokenizer` is not a token.
    capitals = "|".join(_word(name.upper(), r"(?<![A-Za-z])") for name in names)
    either = "|".join(_word(name, r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))") for name in names)
    any_case = rf"(?i:{either})s?(?![a-z]|[A-Z]{{2}})[A-Za-z0-9_-]{{0,40}}"
    return (
        re.compile(rf"(?:{capitals})S?(?![A-Z])[A-Z0-9_]{{0,40}}{_ASSIGNED}"),
        re.compile(any_case + _APART),
        re.compile(rf"(?<![A-Za-z0-9_-])--?[a-z-]{{0,20}}(?i:{either})[ \t]{{1,4}}[\"']?{_VALUE}"),
        re.compile(_CURL),
    )


@cache
def quoted(names: Sequence[str]) -> re.Pattern[str]:
    """Pattern of quoted values of names that contain one of `names`; the group `value` is the value."""
    either = "|".join(_word(name, r"(?<![A-Za-z])") for name in names)
    return re.compile(
        rf"(?i:{either})[A-Za-z0-9_-]{{0,40}}{_QUOTES}{_ASSIGNMENT}[a-z]?[\"'`](?P<value>[^\s\"'`]{{4,4096}})"
    )


def _word(name: str, begin: str) -> str:
    """The pattern of one name; a short one must be a whole word, since `pass` is also in `compass`."""
    escaped = re.escape(name).replace("_", "[_-]?")
    return f"{begin}{escaped}" if len(name) <= 4 else escaped


def rules_version() -> str:
    """The version of the rules; equal versions redact equally."""
    return f"{VERSION}-{version(LIBRARY)}"


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

    def redact(self, text: str, *, is_secret_file: bool = False) -> Redacted:
        """Replace each secret in the text by `[redacted]`.

        Args:
            is_secret_file: The text is of a file whose name looks secret: a quoted value is a secret even if it is
                short, and the text keeps its number of lines.
        """
        spans = _merge_spans(chain(self._spans(text), self._quoted_spans(text) if is_secret_file else ()))
        if not spans:
            return Redacted(text, 0)
        parts, start = [], 0
        for begin, end in spans:
            parts += [text[start:begin], MARK, "\n" * text.count("\n", begin, end) if is_secret_file else ""]
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

    def _quoted_spans(self, text: str) -> Iterator[Span]:
        if self._names:
            for match in quoted(self._names).finditer(text):
                if self._is_secret(match["value"], is_strict=False):
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


def _merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort the spans and merge those that touch."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined
