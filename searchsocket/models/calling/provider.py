"""HTTP requests to a provider: classify refusals, parse JSON, read charged tokens and rate limits.

Providers differ only in their requests and in the rows that they return. The limits are in OpenAI's headers,
`x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. `reset` is the time until the whole `limit` is available again
(platform.openai.com/docs/guides/rate-limits); the refill rate follows from it.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.system.bounded_http import BodyLimit, bounded_client, failure_reason
from searchsocket.system.json_text import JsonObject
from searchsocket.system.retry_after import retry_after_s
from searchsocket.text.provider_words import provider_message

_TRANSIENT = (408, 409, 429)  # and 500 and above
_OF_CONTENT = (400, 413, 422)
_REASON_NAMES = ("error", "detail", "message", "msg", "errors")
_MAX_DEPTH, _MAX_REASONS = 5, 5
_RATE_LIMITED = (429, 503)
_MAX_TOKENS_PER_CHARACTER, _EXTRA_TOKENS_PER_TEXT = 4, 16  # a provider that reports more is not believed
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WINDOW_S = 60.0  # period of the limits
_MAX_WAIT_S = 60.0  # longest wait because of headers


@dataclass(frozen=True, slots=True)
class Refusal:
    """A failed request; no text in it contains a part of the key.

    Attributes:
        fix: Advice for people; "" = none.
        is_transient: The same request may succeed later.
        is_rate_limit: The provider receives more requests than it takes.
        retry_after_s: The pause that the provider asked for, in seconds; None = it did not.
        status: HTTP status; 0 = no answer.
        reason: The provider's own words.
    """

    message: str
    fix: str = ""
    is_transient: bool = False
    is_rate_limit: bool = False
    retry_after_s: float | None = None
    status: int = 0
    reason: str = ""

    @property
    def is_of_content(self) -> bool:
        """Return True if the provider may accept the same request with other texts."""
        return self.status in _OF_CONTENT

    @property
    def advice(self) -> str:
        """The message and the fix."""
        return f"{self.message}; {self.fix}" if self.fix else self.message


class ProviderFailure(Exception):
    """A request failed; `refusal` describes how."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refusal_of(
    host: str,
    status: int,
    content: bytes,
    headers: Mapping[str, str],
    key: str,
    *,
    code: str = "",
    key_fix: str = "",
    fix: str = "",
) -> Refusal:
    """Classify an answer that is not a success.

    Args:
        content: Body of the answer.
        code: The provider's name for the error.
        key_fix: Advice if the key is at fault.
        fix: Advice if the request itself is at fault.
    """
    label = f"{status} {code}".rstrip()
    if status in (401, 403):
        cause = "the key" if status == 401 else "the key or its balance"
        return Refusal(f"{host} rejects {cause} ({label})", key_fix or "set a valid key, then run again")
    if status == 402 or code == "insufficient_quota":
        advice = "add credit to the provider's account, or raise its limit there"
        return Refusal(f"{host} answers {label}: the account has no credit left", advice)
    reason = provider_message(reason_of(content), key)
    message = f"{host} answers {provider_message(label, key)}{': ' if reason else ''}{reason}"
    if status in _TRANSIENT or status >= 500:
        return Refusal(message, "", True, status in _RATE_LIMITED, retry_after_s(headers), status, reason)
    return Refusal(message, fix, status=status, reason=reason)


def reason_of(content: bytes) -> str:
    """Return the reason in the body of a refusal: in `error`, `detail` or `message`, of an object or of a list."""
    text = content.decode("utf-8", "replace")
    try:
        return reason_in(json.loads(text)) or text
    except (ValueError, RecursionError):
        return text


def reason_in(body: object) -> str:
    """Return the reason that a JSON value states for a refusal; "" if it states none."""
    return "; ".join(_reasons(body, depth=0))


def _reasons(value: object, depth: int) -> Iterator[str]:
    """Yield the reasons in a JSON value; FastAPI lists the location of each problem (`loc`) before its `msg`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value[:_MAX_REASONS]:
            yield from _reasons(item, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        name = next((name for name in _REASON_NAMES if value.get(name)), "")
        place = value.get("loc")
        prefix = f"{'.'.join(map(str, place))}: " if name == "msg" and isinstance(place, list) else ""
        yield from (f"{prefix}{reason}" for reason in _reasons(value.get(name), depth + 1))


class ProviderClient:
    """POST requests to one provider, each with one deadline and a limit of bytes; safe to share between threads."""

    def __init__(self, base_url: str, key: str, *, setting: str, max_timeout_s: float, max_answer_bytes: int) -> None:
        """Open no connection yet.

        Args:
            key: Sent as a bearer token; "" = none.
            setting: Name of the section that configures the provider, for messages.

        Raises:
            ConfigError: The address, or the key, cannot be sent.
        """
        self.host = host_of(base_url, setting)
        check_key(key, f"the key of {setting} contains invalid characters; set it again")
        self._base_url = base_url.rstrip("/")
        self._key = key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = bounded_client(max_timeout_s, max_answer_bytes, headers=headers)

    def post(self, path: str, body: JsonObject, timeout_s: float) -> bytes:
        """Send a JSON body and return the body of the answer.

        Raises:
            ProviderFailure: No answer, an answer that is not a success, or one that is too large.
        """
        # A lone surrogate in hostile input has no UTF-8 form.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json"}
        try:
            answer = self._client.post(f"{self._base_url}/{path}", content=content, headers=headers, timeout=timeout_s)
        except httpx.TimeoutException:
            problem = f"{self.host} did not answer within {timeout_s:g} seconds"
        except BodyLimit as error:
            problem = f"{self.host} sent an invalid answer: {error}"
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            problem = f"{self.host} cannot be reached ({failure_reason(error)})"
        else:
            if answer.status_code == 200:
                return answer.content
            raise ProviderFailure(refusal_of(self.host, answer.status_code, answer.content, answer.headers, self._key))
        # Raised outside the handler, so that the traceback does not contain the request with the key.
        raise ProviderFailure(Refusal(problem, is_transient=True))


def check_key(key: str, problem: str) -> None:
    """Check that a header can contain a key.

    Raises:
        ConfigError: It cannot, with this message.
    """
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(problem)


def host_of(base_url: str, setting: str) -> str:
    """Return the host of a provider's address.

    Raises:
        ConfigError: The address is not http(s), names no host, or has a part after its path.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{setting}.base_url must begin with http:// or https://, and name a host")
    if parts.query or parts.fragment:
        raise ConfigError(
            f"{setting}.base_url must end with its path, without ? and #; "
            "for Azure, set https://NAME.openai.azure.com/openai/v1"
        )
    return parts.hostname


def json_object(content: bytes, origin: str, invalid: type[SearchSocketError]) -> JsonObject:
    """Parse an answer that must be a JSON object.

    Args:
        origin: Name of the model, for messages.
        invalid: The error to raise.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise invalid(f"{origin} did not answer with JSON ({type(error).__name__})") from error
    if not isinstance(body, dict):
        raise invalid(f"{origin} did not answer with a JSON object ({type(body).__name__})")
    return body


def charged_tokens(body: JsonObject, characters: int, texts: int) -> int | None:
    """Tokens that an answer reports as charged; None = it reports none, or more than the texts can have.

    Args:
        characters: Length of all texts of the request.
        texts: Number of these texts.
    """
    usage = body.get("usage")
    stated = usage.get("total_tokens") if isinstance(usage, dict) else None
    most = _MAX_TOKENS_PER_CHARACTER * characters + _EXTRA_TOKENS_PER_TEXT * texts
    return stated if type(stated) is int and 0 <= stated <= most else None


@dataclass(slots=True)
class _Bucket:
    limit: float
    level: float
    refill: float  # per second
    at: float

    def level_at(self, now: float) -> float:
        return min(self.limit, self.level + self.refill * (now - self.at))


class Rates:
    """Remaining requests and tokens of a provider; safe to share between threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, _Bucket] = {}

    def note(self, headers: Mapping[str, str]) -> None:
        """Read the limits in the headers of an answer; unreadable headers are ignored."""
        now = self._clock()
        with self._lock:
            for kind in ("requests", "tokens"):
                limit, remaining = (
                    _number(headers.get(f"x-ratelimit-{name}-{kind}")) for name in ("limit", "remaining")
                )
                if not limit or remaining is None:
                    continue
                reset_s = _duration_s(headers.get(f"x-ratelimit-reset-{kind}", ""))
                refill = (limit - remaining) / reset_s if reset_s and remaining < limit else limit / _WINDOW_S
                bucket = self._buckets.get(kind)
                # `remaining` does not include running calls, so their share stays subtracted.
                level = remaining if bucket is None else min(remaining, bucket.level_at(now))
                self._buckets[kind] = _Bucket(limit, level, refill, now)

    def wait_s(self, tokens: int) -> float:
        """Return the seconds until a call of so many tokens is accepted; 0.0 counts as a call."""
        now = self._clock()
        with self._lock:
            needs = [
                (self._buckets[kind], need)
                for kind, need in (("requests", 1), ("tokens", tokens))
                if kind in self._buckets
            ]
            wait = max(
                ((min(need, each.limit) - each.level_at(now)) / each.refill for each, need in needs), default=0.0
            )
            if wait > 0.0:
                return min(wait, _MAX_WAIT_S)
            for each, need in needs:
                each.level, each.at = each.level_at(now) - need, now
            return 0.0


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _duration_s(text: str) -> float:
    """Parse a duration such as `6m0s`, `1.5s` or `20ms`; 0.0 for anything else."""
    return sum(float(number) * _UNIT_S[unit] for number, unit in _DURATION_PART.findall(text))
