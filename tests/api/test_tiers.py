"""Who may see what (DESIGN 7), and who is taken for whom."""

from collections.abc import Callable
from typing import Any

import pytest
from api_client import KEY, Api
from starlette.datastructures import Headers

from search_api.tiers import client_address, is_loopback
from searchsocket.errors import ConfigError

WITH_KEY = {"authorization": f"Bearer {KEY}"}
SECRET = {"q": "battery", "scope": "secret-branch"}


def is_trusted(api: Api, **options: Any) -> bool:
    """Whether the caller sees source paths, which only the trusted do."""
    answer = api.post({"q": "battery"}, **options)
    return answer.status_code == 200 and answer.json()["results"][0]["routeFile"] is not None


def test_anyone_may_search_the_public_scope_but_sees_no_source_path(api: Api) -> None:
    body = api.post({"q": "battery"}).json()
    assert body["results"]
    assert {result["routeFile"] for result in body["results"]} == {None}
    assert {result["routeResolution"] for result in body["results"]} == {None}


def test_a_key_opens_every_scope_and_source_paths(api: Api) -> None:
    assert is_trusted(api, headers=WITH_KEY)
    assert api.post(SECRET, headers=WITH_KEY).json()["scope"] == "secret-branch"


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
    api = configured(key_env="OTHER_KEY", environ={"OTHER_KEY": "k2", "SEARCHSOCKET_API_KEY": KEY})
    assert is_trusted(api, headers={"authorization": "Bearer k2"})
    assert not is_trusted(api, headers=WITH_KEY)


def test_another_scheme_means_somebody_else(api: Api) -> None:
    """A staging site behind basic auth sends its own header along."""
    answer = api.post({"q": "battery"}, headers={"authorization": "Basic Zm9vOmJhcg=="})
    assert answer.status_code == 200
    assert answer.json()["results"][0]["routeFile"] is None


def test_this_machine_is_trusted_while_the_server_is_bound_to_it(local: Api) -> None:
    assert is_trusted(local)
    assert is_trusted(local, headers={"origin": "http://localhost:5173"})
    assert local.post(SECRET).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        {"x-forwarded-for": "198.51.100.7"}, {"forwarded": "for=198.51.100.7"}, {"x-real-ip": "198.51.100.7"},
        {"via": "1.1 proxy"}, {"x-forwarded-host": "evil.example"}, {"origin": "https://evil.example"},
        {"origin": "null"}, {"origin": "http://localhost.evil.example"}, {"origin": ""},
        {"sec-fetch-site": "cross-site"},
    ],
    ids=str,
)  # fmt: skip
def test_a_request_through_this_machine_is_not_from_it(local: Api, header: dict[str, str]) -> None:
    """A proxy, or a page of another site in a browser here."""
    assert not is_trusted(local, headers=header)


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1", "", "[", "a" * 5000]
)
def test_a_foreign_name_that_points_here_is_refused(local: Api, host: str) -> None:
    """DNS rebinding: the page of evil.example reads its own name, which now is this machine."""
    answer = local.post({"q": "battery"}, headers={"host": host})
    assert answer.status_code == 421
    assert "results" not in answer.json()


def test_names_of_the_site_itself_may_be_answered_on_loopback(configured: Callable[..., Api]) -> None:
    """`api.allowed_hosts`: for a proxy on the same machine; they are answered, not trusted."""
    api = configured(host="127.0.0.1", allowed_hosts=("search.example",))
    api.client = "127.0.0.1"
    assert api.post({"q": "battery"}).status_code == 200
    assert not is_trusted(api)
    assert api.post({"q": "battery"}, headers={"host": "other.example"}).status_code == 421


def test_loopback_is_not_trusted_on_an_open_address(configured: Callable[..., Api]) -> None:
    api = configured(host="0.0.0.0")
    api.client, api.base = "127.0.0.1", "http://localhost:8181"
    assert not is_trusted(api)


def test_trust_in_loopback_can_be_switched_off(configured: Callable[..., Api]) -> None:
    """`api.trust_loopback` has an effect: behind a proxy that tells nothing of its clients."""
    api = configured(host="127.0.0.1", trust_loopback=False)
    api.client, api.base = "127.0.0.1", "http://localhost:8181"
    assert not is_trusted(api)


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


def test_a_trusted_proxy_that_is_no_address_is_an_error_at_the_start(configured: Callable[..., Api]) -> None:
    with pytest.raises(ConfigError, match="trusted_proxies"):
        configured(trusted_proxies=("proxy.local",))
