"""What looks like a secret: the values of names such as API_KEY, and the shapes that keys of well-known services have.

The shapes are those of detect-secrets, which keeps them. Of its other detectors, the one of names backtracks, so
`named` replaces it; those of addresses and of random strings find what is no secret on every other page of
documentation; and that of private keys finds their first line alone, see `redactor.py`.
"""

import importlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import chain
from typing import Any

VERSION = 1  # raised where the same text is redacted in another way
LIBRARY = "detect-secrets"
_DETECTORS = (
    "artifactory", "aws", "azure_storage_key", "basic_auth", "cloudant", "discord", "github_token", "gitlab_token",
    "ibm_cloud_iam", "ibm_cos_hmac", "jwt", "mailchimp", "npm", "openai", "pypi_token", "sendgrid", "slack",
    "softlayer", "square_oauth", "stripe", "telegram_token", "twilio",
)  # fmt: skip
_BEARER = re.compile(r"\b[Bb]earer[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/-]{16,}=*)")
# A value ends where a quote, a bracket or a blank does. All repetitions before it are bounded: none is tried for long.
_ASSIGNED = r"[\"'`\]]{0,2}[ \t]{0,4}(?::=|=>|={1,3}|:)[ \t]{0,4}[\"'`]?(?P<value>[^\s\"'`<>(){}\[\],;|]{4,})"


@cache
def shapes() -> tuple[re.Pattern[str], ...]:
    """Keys of well-known services; loading them takes 0.2 s."""
    from detect_secrets.plugins.base import RegexBasedDetector

    modules = (importlib.import_module(f"detect_secrets.plugins.{name}") for name in _DETECTORS)
    kinds = (kind for module in modules for kind in vars(module).values() if isinstance(kind, type))
    detectors: list[Any] = [
        kind for kind in kinds if issubclass(kind, RegexBasedDetector) and kind is not RegexBasedDetector
    ]
    patterns: list[re.Pattern[str]] = [_BEARER, *chain.from_iterable(detector.denylist for detector in detectors)]
    return tuple(patterns)


@cache
def named(names: Sequence[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is assigned to a name that holds one of `names`: in capitals, as the environment has it, and in any case.

    The group `value` is what is assigned.
    """
    # The name goes on with another word, but not without end: a `tokenizer` is no token.
    either = "|".join(re.escape(name).replace("_", "[_-]?") for name in names)
    return (
        re.compile(rf"(?:{either.upper()})S?(?![A-Z])[A-Z0-9_]{{0,40}}{_ASSIGNED}"),
        re.compile(rf"(?i:{either})s?(?![a-z]|[A-Z]{{2}})[A-Za-z0-9_-]{{0,40}}{_ASSIGNED}"),
    )


def rules_version() -> str:
    """Names the rules: equal ones redact alike."""
    return f"{VERSION}-{version(LIBRARY)}"
