"""Visitors that no test counts as one."""

import pytest


@pytest.fixture(autouse=True)
def fixed_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a random key, two visitors share a bit in one of a thousand pairs."""
    monkeypatch.setattr("searchsocket.extensions.demand.tally.secrets.token_bytes", lambda count: bytes(count))
