"""One Postgres for the tests of a process."""

from collections.abc import Iterator

import pytest

from tests.extensions.pgvector.running import MISSING, running


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server of its own."""
    if MISSING:
        pytest.skip(MISSING)
    with running() as url:
        yield url
