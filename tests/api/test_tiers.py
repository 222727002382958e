"""Permissions of callers (spec 14.3), and how a caller is identified."""

from collections.abc import Callable
from typing import Any

import pytest
from api_client import KEY, Api
from starlette.datastructures import Headers

from search_api.gate.callers import client_address
from searchsocket.errors import ConfigError
from searchsocket.project.settings.model import RateLimitSettings
from searchsocket.serving.hosts import is_loopback

WITH_KEY = {"authorization": f"Bearer {KEY}"}
SECRET = {"q": "battery", "scope": "secret-branch"}


def is_trusted(api: Api, **options: Any) -> bool:
    """Return True if the caller sees source paths, which only trusted callers do."""
    answer = api.post({"q": "battery"}, **options)
    return answer.status_code == 200 and answer.json()["results"][0]["routeFile"] is not None


def test_anyone_may_search_the_public_scope_but_sees_no_source_path(api: Api) -> None:
    body = api.post({"q": "battery"}).json()
    assert body["results"]
    assert {result["routeFile"] for result in body["results"]} == {None}
    assert {result["routeResolution"] for result in body["results"]} == {None}
    assert {result[name] for result in body["results"] for name in ("source", "mirror")} == {None}


def test_a_key_opens_every_scope_and_source_paths(api: Api) -> None:
    assert is_trusted(api, headers=WITH_KEY)
    best = api.post({"q": "battery"}, headers=WITH_KEY).json()["results"][0]
    assert best["mirror"]["file"].endswith(".md")
    assert api.post(SECRET, headers=WITH_KEY).json()["scope"] == "secret-branch"


def test_a_site_that_sends_its_key_for_a_visitor_makes_nobody_trusted(configured: Callable[..., Api]) -> None:
    """The rate limit counts the visitor, by an address that is trusted only with the key."""
    api = configured(rate_limit=RateLimitSettings(max=2))
    visitor = {**WITH_KEY, "x-searchsocket-visitor": "198.51.100.7"}
    assert api.post(SECRET, headers=visitor).status_code == 403
    assert not is_trusted(api, headers=visitor)
    assert api.post({"q": "battery"}, headers=visitor).status_code == 429
    assert not is_trusted(api, headers={**WITH_KEY, "x-searchsocket-visitor": "198.51.100.8"})
    assert not is_trusted(api, headers={**WITH_KEY, "x-searchsocket-visitor": "no address"})
    assert api.post({"q": "battery"}, headers={"x-searchsocket-visitor": "198.51.100.7"}).status_code == 200
    wrong = {"authorization": "Bearer wrong", "x-searchsocket-visitor": "198.51.100.9"}
    assert api.post({"q": "battery"}, headers=wrong).status_code == 401


@pytest.mark.parametrize("scope", ["secret-branch", "not-there", "feature/x"])
def test_other_scopes_are_refused_whether_they_exist_or_not(api: Api, scope: str) -> None:
    """Failure mode 52: an anonymous caller reads the configured scopes and learns of no other."""
    answer = api.post({"q": "battery", "scope": scope})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "INVALID_SCOPE")
    assert answer.json()["error"]["message"].replace(scope, "X") == "scope 'X' cannot be read without a key"


@pytest.mark.parametrize("scope", ["..", "///", "\u0000", "ä", "x" * 201])
def test_a_scope_that_cannot_be_one_is_refused(api: Api, scope: str) -> None:
    """Failure mode 13, from outside."""
    assert api.post({"q": "battery", "scope": scope}, headers=WITH_KEY).status_code in (400, 404)
    assert api.post({"q": "battery", "scope": scope}).status_code in (400, 403)


def test_configured_scopes_are_open(configured: Callable[..., Api]) -> None:
    """`api.scopes` has an effect: those, and only those."""
    api = configured(scopes=("secret-branch",))
    assert api.post(SECRET).status_code == 200
    assert api.post({"q": "battery"}).json()["scope"] == "secret-branch"
    assert api.post({"q": "battery", "scope": "main"}).status_code == 403


@pytest.mark.parametrize("key", ["", "x", KEY + "x", KEY[:-1], KEY.upper(), "é"])
def test_a_wrong_key_is_refused(api: Api, key: str) -> None:
    answer = api.post({"q": "battery"}, headers={"authorization": f"Bearer {key}".encode()})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("environ", [{}, {"SEARCHSOCKET_API_KEY": ""}, {"SEARCHSOCKET_API_KEY": "  "}])
def test_without_a_configured_key_no_key_is_right(configured: Callable[..., Api], environ: dict[str, str]) -> None:
    """Fail closed: an unset variable must not make the empty key right."""
    api = configured(environ=environ)
    for key in ("", " ", "x"):
        assert api.post(SECRET, headers={"authorization": f"Bearer {key}"}).status_code in (401, 403)


def test_the_key_variable_is_a_setting(configured: Callable[..., Api]) -> None:
    api = configured(
        key_env="OTHER_KEY", environ={"OTHER_KEY": "another key of the service", "SEARCHSOCKET_API_KEY": KEY}
    )
    assert is_trusted(api, headers={"authorization": "Bearer another key of the service"})
    assert not is_trusted(api, headers=WITH_KEY)


def test_another_scheme_means_somebody_else(api: Api) -> None:
    """A staging site behind basic auth sends its own header along."""
    answer = api.post({"q": "battery"}, headers={"authorization": "Basic Zm9vOmJhcg=="})
    assert answer.status_code == 200
    assert answer.json()["results"][0]["routeFile"] is None


TOKEN = "t0ken-of-the-state-folder"
WITH_TOKEN = {"authorization": f"Bearer {TOKEN}"}


def on_loopback(api: Api) -> Api:
    """Asked as by a program of the machine that the server runs on."""
    api.client, api.base = "127.0.0.1", "http://localhost:8181"
    return api


@pytest.mark.parametrize("environ", [{}, {"SEARCHSOCKET_API_KEY": KEY}], ids=["no key", "a key"])
@pytest.mark.parametrize("token", ["", TOKEN], ids=["no token", "a token"])
def test_the_absence_of_headers_grants_nothing(
    configured: Callable[..., Api], environ: dict[str, str], token: str
) -> None:
    """A local proxy that sends no client headers looks like a local request, so it must not be trusted."""
    api = on_loopback(configured(host="127.0.0.1", environ=environ, token=token))
    assert api.post({"q": "battery"}).status_code == 200
    assert not is_trusted(api)
    assert api.post(SECRET).status_code == 403


def test_that_request_is_limited_too(configured: Callable[..., Api]) -> None:
    limit = RateLimitSettings(max=1, window_ms=30_000)
    api = on_loopback(configured(host="127.0.0.1", token=TOKEN, environ={}, rate_limit=limit))
    assert [api.get("/api/search?q=a").status_code for _ in range(2)] == [200, 429]
    assert api.get("/api/search?q=a", headers=WITH_TOKEN).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_the_token_opens_what_the_key_would(configured: Callable[..., Api], host: str) -> None:
    api = on_loopback(configured(host=host, environ={}, token=TOKEN))
    assert is_trusted(api, headers=WITH_TOKEN)
    assert api.post(SECRET, headers=WITH_TOKEN).json()["scope"] == "secret-branch"
    assert api.post(SECRET, headers={"authorization": f"Bearer {TOKEN}x"}).status_code == 401


def test_a_key_ends_any_other_trust(configured: Callable[..., Api]) -> None:
    api = on_loopback(configured(host="127.0.0.1", token=TOKEN, dev=True))
    assert not is_trusted(api)
    assert api.post(SECRET).status_code == 403
    assert api.post(SECRET, headers=WITH_TOKEN).status_code == 401
    assert is_trusted(api, headers=WITH_KEY)


def test_this_machine_is_trusted_under_dev(local: Api) -> None:
    assert is_trusted(local)
    assert is_trusted(local, headers={"origin": "http://localhost:5173"})
    assert local.post(SECRET).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        {"x-forwarded-for": "198.51.100.7"}, {"forwarded": "for=198.51.100.7"}, {"x-real-ip": "198.51.100.7"},
        {"via": "1.1 proxy"}, {"x-forwarded-host": "evil.example"}, {"origin": "https://evil.example"},
        {"origin": "null"}, {"origin": "http://localhost.evil.example"}, {"origin": ""},
        {"origin": "http://127.0.0.1%00.evil.example"}, {"origin": "http://127.0.0.1/evil.example"},
        {"origin": "http://evil.example@localhost"}, {"origin": "localhost"},
        {"sec-fetch-site": "cross-site"},
    ],
    ids=str,
)  # fmt: skip
def test_a_request_through_this_machine_is_not_from_it(local: Api, header: dict[str, str]) -> None:
    """A proxy, or a page of another site in a browser here."""
    assert not is_trusted(local, headers=header)


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1", "", "127.1"]
)
def test_a_foreign_name_that_points_here_is_refused(local: Api, host: str) -> None:
    """DNS rebinding: the page of evil.example reads its own name, which now is this machine."""
    answer = local.post({"q": "battery"}, headers={"host": host})
    assert answer.status_code == 421
    assert "results" not in answer.json()


NO_HOSTS = [
    "127.0.0.1/evil.example", "127.0.0.1%00.evil.example", "127.0.0.1%2Fevil.example", "evil.example@127.0.0.1",
     "localhost evil.example", "localhost,evil.example", "localhost:80:80", "localhost:8o", "localhost:123456",
     "localhost..", ".localhost", "http://localhost", "[::1", "::1", "[::1%25lo]", "[127.0.0.1]", "[::1]evil.example",
     "localhost#", "localhost?", "l\xf6calhost", "[", ":80", "a" * 5000,
]  # fmt: skip


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0"])
def test_a_host_that_is_none_is_refused(configured: Callable[..., Api], bound: str) -> None:
    """RFC 9110 7.2: `name[:port]`; each of these means one name to one program and another to the next."""
    api = configured(host=bound)
    for host in NO_HOSTS:
        answer = api.post({"q": "battery"}, headers={"host": host.encode("latin-1")})
        assert (host, answer.status_code, answer.json()["error"]["code"]) == (host, 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "localhost:", "localhost:8181", "127.0.0.1:1", "[::1]", "[::1]:8181"]
)
def test_every_way_to_write_this_machine_is_read(local: Api, host: str) -> None:
    assert is_trusted(local, headers={"host": host})


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0"])
def test_two_hosts_are_refused(configured: Callable[..., Api], bound: str) -> None:
    """A proxy may have looked at the other one."""
    headers = [("host", "localhost"), ("host", "localhost")]
    assert configured(host=bound).request("GET", "/api/search?q=battery", headers=headers).status_code == 400


@pytest.mark.parametrize("host", ["http://search.example", "search.example/docs", "*.example", ""])
def test_an_allowed_host_that_is_none_is_an_error_at_the_start(configured: Callable[..., Api], host: str) -> None:
    """It would else never match, in silence."""
    with pytest.raises(ConfigError, match=r"api\.allowed_hosts"):
        configured(allowed_hosts=(host,))


def test_names_of_the_site_itself_may_be_answered_on_loopback(configured: Callable[..., Api]) -> None:
    """`api.allowed_hosts`: for a proxy on the same machine; they are answered, not trusted."""
    api = configured(host="127.0.0.1", allowed_hosts=("search.example",))
    api.client = "127.0.0.1"
    assert api.post({"q": "battery"}).status_code == 200
    assert not is_trusted(api)
    assert api.post({"q": "battery"}, headers={"host": "other.example"}).status_code == 421


def test_dev_trusts_nobody_on_an_open_address(configured: Callable[..., Api]) -> None:
    assert not is_trusted(on_loopback(configured(host="0.0.0.0", environ={}, dev=True)))


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True), ("localhost", True),
     ("LOCALHOST.", True),
     ("::ffff:127.0.0.1", True), ("0.0.0.0", False), ("10.0.0.1", False), ("localhost.example", False), ("", False),
     ("::ffff:10.0.0.1", False), ("127.0.0.1.example", False), ("2130706433", False)],
)  # fmt: skip
def test_loopback_names_and_addresses(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_forwarded_addresses_count_only_from_trusted_proxies() -> None:
    """Failure mode 51: else any caller could pretend to be a new client with each request."""
    from ipaddress import ip_network

    proxies = [ip_network("10.0.0.0/8")]
    headers = Headers({"x-forwarded-for": "1.1.1.1, 198.51.100.7, 10.1.1.1"})
    assert client_address(headers, "10.0.0.2", proxies) == "198.51.100.7"
    assert client_address(headers, "203.0.113.9", proxies) == "203.0.113.9"
    assert client_address(headers, "203.0.113.9", []) == "203.0.113.9"
    assert client_address(Headers({"x-forwarded-for": "junk"}), "10.0.0.2", proxies) == "10.0.0.2"
    assert client_address(Headers({}), "2001:db8:1:2:3::4", []) == "2001:db8:1:2::/64"
    assert client_address(Headers({}), "", []) == ""


def test_ipv6_counts_by_the_network_of_one_subscriber_whoever_names_the_address() -> None:
    """Else each of a subscriber's 2**64 addresses would be a client of its own."""
    from ipaddress import ip_network

    proxies = [ip_network("127.0.0.1"), ip_network("::1")]
    for hop in ("2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", "[2001:db8:1:2:3::4]", "2001:db8:1:2::5%eth0"):
        for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
            assert client_address(Headers({"x-forwarded-for": hop}), peer, proxies) == "2001:db8:1:2::/64"
    assert client_address(Headers({"x-forwarded-for": "2001:db8:1:3::1"}), "::1", proxies) == "2001:db8:1:3::/64"
    assert client_address(Headers({"x-forwarded-for": "::ffff:198.51.100.7"}), "::1", proxies) == "198.51.100.7"


def test_a_trusted_proxy_that_is_no_address_is_an_error_at_the_start(configured: Callable[..., Api]) -> None:
    with pytest.raises(ConfigError, match="trusted_proxies"):
        configured(trusted_proxies=("proxy.local",))
