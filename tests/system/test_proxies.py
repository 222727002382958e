"""Proxies and certificates in the environment, by the rules of curl and Go, and what is said of unusable ones."""

from collections.abc import Iterator

import httpx
import pytest

from searchsocket.errors import EmbedderRefused
from searchsocket.models.embedders.openai import OpenAIEmbedder
from searchsocket.system.bounded_http import bounded_client
from searchsocket.system.exchange import EnvironmentRefused, _ssl_context
from searchsocket.system.proxies import environment_proxies
from tests.models.embedders.openai_server import DIMENSIONS, serve

NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
PROXY = "http://proxy.example:3128"
CLOSED = "socks5://user:secret@127.0.0.1:9"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    _ssl_context.cache_clear()
    yield monkeypatch
    _ssl_context.cache_clear()


@pytest.mark.parametrize(
    ("exceptions", "url", "is_direct"),
    [
        ("*", "http://a.example/", True),
        ("a.example", "http://a.example/", True),
        ("a.example", "http://deep.a.example:8080/", True),
        ("a.example", "http://nota.example/", False),
        (".a.example", "http://deep.a.example/", True),
        ("A.Example ,b.example", "http://a.example/", True),
        ("localhost:8080", "http://localhost:8080/", True),
        ("localhost:8080", "http://localhost:8081/", False),
        ("127.0.0.1", "http://127.0.0.1:8181/", True),
        ("127.0.0.0/8", "http://127.1.2.3/", True),
        ("10.0.0.0/8", "http://127.0.0.1/", False),
        ("10.0.0.0/8", "http://a.example/", False),
        ("::1", "http://[::1]:8181/", True),
        ("[::1]", "http://[::1]:8181/", True),
        ("localhost,[::1],fe80::/10", "http://[fe80::17]/", True),
        ("localhost,[::1],fe80::/10", "http://a.example/", False),
        ("", "http://a.example/", False),
    ],
)
def test_no_proxy_covers_names_addresses_and_networks(
    environment: pytest.MonkeyPatch, exceptions: str, url: str, is_direct: bool
) -> None:
    environment.setenv("ALL_PROXY", PROXY)
    environment.setenv("NO_PROXY", exceptions)
    assert environment_proxies().of(httpx.URL(url)) == ("" if is_direct else PROXY)


def test_the_proxy_of_the_scheme_comes_before_the_one_of_all(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("ALL_PROXY", PROXY)
    environment.setenv("HTTPS_PROXY", "secure.example:8080")
    proxies = environment_proxies()
    assert proxies.of(httpx.URL("https://a.example/")) == "http://secure.example:8080"
    assert proxies.of(httpx.URL("http://a.example/")) == PROXY


@pytest.mark.parametrize(
    "variables",
    [
        {"HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "localhost,127.0.0.1,::1,[::1],fe80::/10"},
        {"ALL_PROXY": CLOSED, "NO_PROXY": "127.0.0.1"},
        {"SSL_CERT_FILE": "/nowhere/ca.pem"},
    ],
    ids=["networks", "SOCKS", "certificates"],
)
def test_a_server_of_this_machine_is_asked_whatever_the_environment_has(
    environment: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        environment.setenv(name, value)
    with serve() as server:
        embedder = OpenAIEmbedder("m", DIMENSIONS, "key", base_url=server.url)
        assert embedder.embed(["a"], "passage").shape == (1, DIMENSIONS)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"ALL_PROXY": CLOSED}, r"\$ALL_PROXY cannot be used: SOCKS needs the package socksio"),
        ({"HTTPS_PROXY": "ftp://user:secret@a.example"}, r"\$HTTPS_PROXY cannot be used: its address is invalid"),
        ({"SSL_CERT_FILE": "/nowhere/ca.pem"}, r"\$SSL_CERT_FILE cannot be read: No such file"),
        ({"SSL_CERT_FILE": __file__}, r"\$SSL_CERT_FILE cannot be read: "),
    ],
)
def test_an_unusable_variable_is_named_without_its_password(
    environment: pytest.MonkeyPatch, variables: dict[str, str], reason: str
) -> None:
    for name, value in variables.items():
        environment.setenv(name, value)
    with bounded_client(1.0, 1_000) as client, pytest.raises(EnvironmentRefused, match=reason) as failure:
        client.get("https://127.0.0.1:9/")
    assert "secret" not in str(failure.value)
    embedder = OpenAIEmbedder("m", DIMENSIONS, "key", base_url="https://127.0.0.1:9/v1")
    with pytest.raises(EmbedderRefused, match=reason):  # a new attempt would fail in the same way
        embedder.embed(["a"], "passage")
