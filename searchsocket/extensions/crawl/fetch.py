"""One GET with the limits that a hostile server makes necessary: host, size, time, redirects, retries.

Also the limits of a crawl, which ends at one and names the setting. Addresses are checked after DNS, for exactly the
address in use.
"""

import ipaddress
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore
import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

from searchsocket.errors import SourceUnavailable
from searchsocket.system.bounded_http import BodyLimit, BoundedTransport
from searchsocket.system.exchange import TimedStream, current
from searchsocket.system.retry_after import retry_after_s
from searchsocket.web.urls.resolve import join

_V4_REFUSED = (ipaddress.IPv4Network("192.0.0.0/24"), ipaddress.IPv4Network("192.88.99.0/24"))
_V6_GLOBAL = ipaddress.IPv6Network("2000::/3")
# Protocols and tunnels (Teredo among them), 6to4, documentation. Older Python versions treat some of them as global.
_V6_REFUSED = tuple(map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
# Packets to these networks reach the IPv4 address in their last 32 bits: mapped, and NAT64.
_V4_INSIDE = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))


class CrawlBudget:
    """Limits on time and on consecutive failures. Shared by the threads of a crawl."""

    def __init__(self, *, max_seconds: float, max_failures_in_row: int, monotonic: Callable[[], float]) -> None:
        self._max_seconds = max_seconds
        self._max_failures = max_failures_in_row
        self._monotonic = monotonic
        self._ends = monotonic() + max_seconds
        self._lock = threading.Lock()
        self._in_row = 0
        self.limit = ""  # the limit that ended the crawl, in words; "" while it runs

    def remaining_s(self) -> float:
        """Seconds until the crawl ends; 0 if it has ended."""
        remaining_s = self._ends - self._monotonic()
        if remaining_s <= 0:
            self._end(f"source.crawl.max_seconds = {self._max_seconds:g}")
        return 0.0 if self.limit else remaining_s

    def is_over(self) -> bool:
        return self.remaining_s() <= 0

    def count(self, *, failed: bool) -> None:
        """Count one page: an answer, or a failure that a retry might fix."""
        with self._lock:
            self._in_row = self._in_row + 1 if failed else 0
            broken = self._in_row >= self._max_failures
        if broken:
            self._end(f"source.crawl.max_failures_in_row = {self._max_failures}")

    def _end(self, limit: str) -> None:
        with self._lock:
            self.limit = self.limit or limit


class GuardedBackend(httpcore.SyncBackend):
    """Connects to the address that was checked, so that a second DNS answer cannot differ from the first."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        exchange = current()
        resolved = resolve(host, port, exchange.remaining_s(httpcore.ConnectTimeout))
        refused = [address for address in resolved if not (self._allow_private or is_public(address))]
        if refused:
            raise ForbiddenAddress(f"host {host!r} resolves to the private address {refused[0]}; not crawled")
        failure: Exception | None = None
        for number, address in enumerate(resolved):
            # The other addresses need time too.
            wait_s = exchange.remaining_s(httpcore.ConnectTimeout) / (len(resolved) - number)
            try:
                return TimedStream(super().connect_tcp(address, port, wait_s, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"host {host!r} has no address")


USER_AGENT = "searchsocket/0.1 (+site search indexer)"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_REDIRECTS = 5
_SENT_BACK = ("etag", "last-modified")  # headers that a later request repeats
_BYTES = "latin-1"  # a character for each byte
_MAX_RETRY_AFTER_S = 30.0
_RETRIED_STATUS = {429, 500, 502, 503, 504}
ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.8,text/plain;q=0.5"


class FetchFailed(SourceUnavailable):
    """A URL could not be fetched; `permanent` means that a retry would not help."""

    def __init__(self, message: str, *, status: int = 0, permanent: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.permanent = permanent


class RedirectsAway(FetchFailed):
    """The host redirects to another host; `permanent` is about retries, `status` tells if the page moved for good."""


class RedirectRefused(FetchFailed):
    """The host redirects to a URL that the caller does not allow, for example by robots.txt."""


class _TryAgain(Exception):
    def __init__(self, failure: FetchFailed, after_s: float | None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.after_s = after_s


@dataclass(frozen=True, slots=True)
class Response:
    """Response to a GET; `not_modified` has no body."""

    url: str  # after redirects on the same host
    status: int
    headers: Mapping[str, str]  # lower-case names
    body: bytes
    not_modified: bool = False
    cookies: Mapping[str, str] = field(default_factory=dict)  # of a redirect
    robots_tags: tuple[str, ...] = ()  # each `X-Robots-Tag` line, since an agent's name applies within its line


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Bounds of one fetch."""

    max_bytes: int
    timeout_s: float  # of one request, from name resolution to the last byte of the response
    attempts: int = 4
    connections: int = 8


class Fetcher:
    """GETs on one host. Thread-safe; keeps no state between requests; cookies last for the redirects of a request."""

    def __init__(
        self,
        base_url: str,
        limits: FetchLimits,
        budget: CrawlBudget,
        *,
        accept: str = ACCEPT,
        allows_private: bool | None = None,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            allows_private: Allow private addresses for the host; None = only if it has one now.

        Raises:
            SourceUnavailable: The URL has no host, or the host has no address.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SourceUnavailable(f"crawl base URL {without_login(base_url)!r} must be http(s)://host")
        self.origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()
        self._own_origin = _origin(urlsplit(self.origin))
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
        if allows_private is None:
            # A private base URL is the owner's choice; for a public one, a private address is an attack.
            resolved = resolve(parts.hostname, port, limits.timeout_s)
            allows_private = any(not is_public(address) for address in resolved)
        self.allows_private = allows_private
        self._limits = limits
        self._budget = budget
        self._sleep = sleep
        self._client = httpx.Client(
            transport=BoundedTransport(
                limits.timeout_s,
                limits.max_bytes,
                backend=GuardedBackend(allow_private=allows_private),
                connections=limits.connections,
                trust_env=False,
                monotonic=monotonic,
            ),
            headers={"User-Agent": USER_AGENT, "Accept": accept},
            follow_redirects=False,
            trust_env=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            auth=(unquote(parts.username), unquote(parts.password or "")) if parts.username else None,
        )

    def close(self) -> None:
        self._client.close()

    def get(
        self,
        url: str,
        *,
        validators: Mapping[str, str] | None = None,
        is_allowed: Callable[[str], bool] = lambda _: True,
        is_optional: bool = False,
    ) -> Response:
        """Fetch a URL, following redirects on the same host only.

        Args:
            url: Absolute, on this host.
            validators: `etag` and `last-modified` of the stored copy.
            is_allowed: Returns True for URLs that a redirect may lead to.
            is_optional: Do not retry, and do not count a failure against the host.

        Raises:
            RedirectRefused: A redirect leads to a URL that is not allowed.
            FetchFailed: No usable response after all retries.
        """
        retrying = Retrying(
            retry=retry_if_exception_type(_TryAgain),
            stop=stop_after_attempt(1) if is_optional else self._gives_up,
            wait=_wait,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            answer = retrying(self._follow, url, validators or {}, is_allowed)
        except _TryAgain as error:
            self._budget.count(failed=not is_optional)
            raise error.failure from error
        except SourceUnavailable as error:
            is_permanent = isinstance(error, FetchFailed) and error.permanent
            self._budget.count(failed=not (is_permanent or is_optional))
            raise
        self._budget.count(failed=False)
        return answer

    def _gives_up(self, state: RetryCallState) -> bool:
        """Return True if a request is not repeated: too many attempts, or the crawl would end first."""
        return state.attempt_number >= self._limits.attempts or state.upcoming_sleep >= self._budget.remaining_s()

    def _follow(self, url: str, validators: Mapping[str, str], is_allowed: Callable[[str], bool]) -> Response:
        cookies: dict[str, str] = {}  # some hosts set one and redirect to the same page
        cookie = ""
        visited = {(url, cookie)}
        for _ in range(_MAX_REDIRECTS + 1):
            answer = self._once(url, validators, cookie)
            if answer.status not in (301, 302, 303, 307, 308):
                return answer
            cookies |= answer.cookies
            cookie = "; ".join(f"{name}={value}" for name, value in sorted(cookies.items()))
            target = _redirect_target(url, answer.headers.get("location", ""))
            if not self.same_host(target):
                raise RedirectsAway(
                    f"{url} redirects to another host: {target[:200]}", status=answer.status, permanent=True
                )
            if (target, cookie) in visited:
                raise FetchFailed(f"{url} redirects in a loop", permanent=True)
            if not is_allowed(target):
                raise RedirectRefused(f"{url} redirects to {target[:200]}, which is not allowed", permanent=True)
            visited.add((target, cookie))
            url = target
        raise FetchFailed(f"{url}: more than {_MAX_REDIRECTS} redirects", permanent=True)

    def same_host(self, url: str) -> bool:
        """Return True if an absolute URL is on the crawled origin."""
        try:
            return _origin(urlsplit(url)) == self._own_origin
        except ValueError:
            return False

    def _once(self, url: str, validators: Mapping[str, str], cookie: str) -> Response:
        headers = {"Cookie": cookie} if cookie else {}
        if validators.get("etag"):
            headers["If-None-Match"] = validators["etag"]
        if validators.get("last-modified"):
            headers["If-Modified-Since"] = validators["last-modified"]
        timeout_s = min(self._limits.timeout_s, self._budget.remaining_s())
        try:
            sent = httpx.Headers(headers, encoding=_BYTES)
            with self._client.stream("GET", url, headers=sent, timeout=timeout_s) as answer:
                return self._judge(url, answer)
        except httpx.TimeoutException as error:
            late = (
                "had not arrived when the crawl ended"
                if self._budget.is_over()
                else f"took longer than {timeout_s:g} s"
            )
            raise FetchFailed(f"{url} {late}") from error
        except BodyLimit as error:
            failure = FetchFailed(f"{url} is {error.__cause__}", permanent=error.is_final)
            raise failure if error.is_final else _TryAgain(failure, None) from error
        except httpx.TransportError as error:
            certificate = "CERTIFICATE" in str(error)
            failure = FetchFailed(f"{url}: {type(error).__name__}: {error}", permanent=certificate)
            raise failure if certificate else _TryAgain(failure, None) from error
        except (httpx.InvalidURL, httpx.HTTPError, UnicodeError, ValueError) as error:
            raise FetchFailed(f"{url}: {type(error).__name__}: {error}", permanent=True) from error

    def _judge(self, url: str, answer: httpx.Response) -> Response:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        headers |= {name: value for name in _SENT_BACK for value in _raw_values(answer, name)}
        status = answer.status_code
        robots_tags = tuple(answer.headers.get_list("x-robots-tag"))
        if status == 304:
            return Response(url, status, headers, b"", not_modified=True, robots_tags=robots_tags)
        if status in _RETRIED_STATUS:
            failure = FetchFailed(f"{url} answered {status}", status=status)
            raise _TryAgain(failure, retry_after_s(headers, now=time.time()))
        if status >= 400:
            raise FetchFailed(f"{url} answered {status}", status=status, permanent=status < 500)
        if 300 <= status < 400:
            return Response(url, status, headers, b"", cookies=_cookies(_raw_values(answer, "set-cookie")))
        return Response(url, status, headers, answer.read(), robots_tags=robots_tags)


def _raw_values(answer: httpx.Response, name: str) -> list[str]:
    """Return the values of a header as they are sent back: a character for each byte, whatever it means."""
    return [value.decode(_BYTES) for key, value in answer.headers.raw if key.lower() == name.encode()]


def _cookies(lines: Iterable[str]) -> dict[str, str]:
    """The names and values of cookies, without their attributes."""
    pairs = (line.partition(";")[0].partition("=") for line in lines)
    return {name.strip(): value.strip() for name, mark, value in pairs if mark and name.strip()}


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    """Scheme, host with login, and port, if it is not the default."""
    port = parts.port
    return parts.scheme, parts.netloc.lower().removesuffix(f":{port}"), port or _DEFAULT_PORTS.get(parts.scheme)


def _redirect_target(url: str, location: str) -> str:
    """The URL that a `Location` means, escaped; a relative one resolves against `url`."""
    origin, _, below = url.partition("://")[2].partition("/")
    root = f"{url.partition('://')[0]}://{origin}"
    target = join(location, f"/{below}")
    if target is None:
        return location
    if target.authority:
        scheme = location.partition(":")[0].strip().lower()
        root = f"{scheme if scheme in ('http', 'https') else url.partition(':')[0]}://{target.authority}"
    return f"{root}{target.path}{target.query}"


def without_login(url: str) -> str:
    """Remove the login from an address, so that it may be shown: the part before the `@` of its host is a secret."""
    return re.sub(r"^([^/?#]*//)[^/?#]*@", r"\1", url)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _TryAgain) and error.after_s is not None:
        return min(error.after_s, _MAX_RETRY_AFTER_S)
    return float(min(0.5 * 2 ** (state.attempt_number - 1), 8.0))


class ForbiddenAddress(SourceUnavailable):
    """A host name resolves to a private address although the base URL does not."""


def is_public(address: str) -> bool:
    """Return True if an IP address is reachable on the public internet and has no special meaning inside a network."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if any(ip in network for network in _V4_INSIDE):
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
        return ip in _V6_GLOBAL and ip.is_global and not any(ip in network for network in _V6_REFUSED)
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _V4_REFUSED)


def resolve(host: str, port: int, timeout_s: float) -> list[str]:
    """All addresses of a host.

    Raises:
        SourceUnavailable: The name cannot be resolved, or not in time.
    """
    answer: Future[list[str]] = Future()
    # The system's resolver has no timeout. A daemon thread does not delay the exit of the process.
    threading.Thread(target=_look_up, args=(answer, host, port), name="resolve", daemon=True).start()
    try:
        addresses = answer.result(timeout_s)
    except TimeoutError as error:
        raise SourceUnavailable(f"host {host!r} was not resolved within {timeout_s:.3g} s") from error
    except (OSError, UnicodeError) as error:
        raise SourceUnavailable(f"host {host!r} cannot be resolved: {error}") from error
    return list(dict.fromkeys(addresses))


def _look_up(answer: "Future[list[str]]", host: str, port: int) -> None:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answer.set_result([str(entry[4][0]) for entry in entries])
    except (OSError, UnicodeError) as error:  # raised again in `resolve`
        answer.set_exception(error)
