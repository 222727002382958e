"""Patterns of secrets: values of names such as API_KEY, and the key formats of well-known services.

Most formats come from detect-secrets. Three of its detectors are not used: names (replaced by `named`), addresses and
random strings (they report harmless text on every other page of documentation), and private keys (it reports their
first line alone, see `redactor.py`). Every repetition is bounded, so a match attempt costs a bounded number of steps.
"""

import importlib
import re
from collections.abc import Sequence
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


def _word(name: str, begin: str) -> str:
    """The pattern of one name; a short one must be a whole word, since `pass` is also in `compass`."""
    escaped = re.escape(name).replace("_", "[_-]?")
    return f"{begin}{escaped}" if len(name) <= 4 else escaped


def rules_version() -> str:
    """The version of the rules; equal versions redact equally."""
    return f"{VERSION}-{version(LIBRARY)}"
