"""A public host leads nowhere but to the public internet, whatever its name resolves to (spec 8.2 B)."""

import time

import httpcore
import pytest

from searchsocket.extensions.crawl import fetch
from searchsocket.extensions.crawl.fetch import ForbiddenAddress, GuardedBackend, is_public
from searchsocket.system.exchange import Exchange, within

PUBLIC = (
    "93.184.216.34", "8.8.8.8", "1.0.0.1", "172.32.0.1", "192.0.1.1", "198.20.0.1", "223.255.255.254",
    "2606:2800:220:1::1", "2a00:1450:4001::1", "2620:4f:8000::1",
    "::ffff:93.184.216.34", "64:ff9b::93.184.216.34",  # IPv4 that is written or reached as IPv6
)  # fmt: skip
PRIVATE = {
    "loopback": ("127.0.0.1", "127.255.255.254", "::1"),
    "unspecified and this network": ("0.0.0.0", "0.1.2.3", "::"),
    "private": ("10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fdff::1"),
    "link-local, metadata of clouds": ("169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"),
    "site-local": ("fec0::1", "feff::1"),
    "shared by a provider": ("100.64.0.1", "100.127.255.255"),
    "documentation": ("192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff::1"),
    "benchmarking": ("198.18.0.1", "198.19.255.255", "2001:2::1"),
    "multicast": ("224.0.0.1", "239.1.1.1", "ff02::1", "ff0e::1"),
    "reserved, broadcast": ("240.0.0.1", "255.255.255.255", "192.0.0.8", "192.0.0.170", "192.88.99.1"),
    "IPv4-mapped": ("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:100.64.0.1"),
    "IPv4-compatible": ("::7f00:1", "::127.0.0.1", "::169.254.169.254", "::93.184.216.34"),
    "NAT64": ("64:ff9b::a9fe:a9fe", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::224.0.0.1"),
    "NAT64 inside a network": ("64:ff9b:1::1", "64:ff9b:1::5db8:d822", "64:ff9b:1:ffff::8.8.8.8"),
    "6to4": ("2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1"),
    "Teredo": ("2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
    "other protocols": ("2001:10::1", "2001:20::1", "2001:1::1", "100::1", "5f00::1"),
    "outside of what is given out": ("1::1", "4000::1", "8000::1", "f000::1", "1fff::1", "::ffff:0:127.0.0.1"),
}  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_connected_to(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", [address for group in PRIVATE.values() for address in group])
def test_an_address_of_any_other_kind_is_refused(address: str) -> None:
    assert not is_public(address)


def test_a_public_name_that_leads_inside_is_refused_at_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the second DNS answer differs from the first."""
    with within(Exchange(20.0, time.monotonic)):
        monkeypatch.setattr(fetch, "resolve", lambda *_: ["93.184.216.34", "10.0.0.1"])
        with pytest.raises(ForbiddenAddress, match=r"10\.0\.0\.1"):
            GuardedBackend(allow_private=False).connect_tcp("inside.test", 80)
        monkeypatch.setattr(fetch, "resolve", lambda *_: [])
        with pytest.raises(httpcore.ConnectError):
            GuardedBackend(allow_private=True).connect_tcp("nowhere.test", 80)
