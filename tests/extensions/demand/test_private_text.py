"""Secrets and numbers of persons are never kept, and ordinary queries are."""

import pytest

from searchsocket.extensions.demand.tally import storable_query

PRIVATE = [
    "ana@example.org invoice",
    "4111 1111 1111 1111",
    "call +49 (0)30 1234-5678",
    "DE89 3704 0044 0532 0130 00",
    "123-45-6789",
    "login from 203.0.113.9",
    "fe80:0:0:0:1:2:3:4",
    "sk-proj-abcdefghij1234567890ABCDEF",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "9f86d081884c7d659a2feaa0c55ad015",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "https://example.org/reset?token=1",
    "password: hunter2secret",
    "x" * 101,
    "john.doe (at) example.com",
    "john[at]example.com",
    "john@ example.com",
    "john @ example.com",
    "john＠example.com",  # normalised before it is checked
    "４１１１ １１１１ １１１１ １１１１",
    "fe80::1",
    "2001:db8::7",
    "password hunter2secret99",
    "passwort: geheim123",
    "reset code 839201",
    "otp 839201",
]


@pytest.mark.parametrize("query", PRIVATE)
def test_private_text_is_not_kept(query: str) -> None:
    assert storable_query(query) == ""


@pytest.mark.parametrize(
    "query",
    [
        "How do I install it?", "max_cost_usd", "useState", "utf8mb4_unicode_520_ci", "http 404", "2026-11-26",
        "ERR_HTTP2_STREAM_CANCEL", "reset password", "api key rotation", "ipv6", "internationalization",
        "use @media queries", "@angular/core", "std::vector", "Foo::Bar", "error code 100060", "exit code 139",
        "password sha256", "password reset", "code 128 barcode",
    ],
)  # fmt: skip
def test_ordinary_queries_are_kept(query: str) -> None:
    assert storable_query(query) == query.casefold()


def test_equal_queries_are_one() -> None:
    assert storable_query("  Install\tGuide ") == storable_query("install guide")
