"""Milvus refuses, loses, forgets, or a run is killed: what is said, and that the next run is whole."""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import MAIN, ConstantVectors, everything, fill, record
from tests.extensions.milvus.faults.milvus_shop import AFTER_THE_EDIT, NEW, OLD, edit, next_run, rows, store_at
from tests.extensions.milvus.running import NEEDS_SERVER, TOKEN

pytestmark = NEEDS_SERVER

WRITES = {"upsert", "delete", "create_collection"}


def test_a_token_that_is_refused_is_said_so_and_not_told(
    milvus_folder: Path, uri: str, server: MilvusConnection, name: str
) -> None:
    wrong = MilvusConnection(uri, "root:opensesame", timeout_s=60.0, token_env="MY_TOKEN")
    for touch in (lambda store: everything(store.reader(MAIN)), edit):
        with pytest.raises(VectorBackendRefused, match="it rejects the token in MY_TOKEN") as refused:
            touch(store_at(milvus_folder, wrong, name))
        assert "opensesame" not in f"{refused.value} {refused.value!r} {refused.value.__context__!r}"
    next_run(milvus_folder, server, name)


def test_a_user_who_may_only_read_answers_and_does_not_write(
    milvus_folder: Path, uri: str, server: MilvusConnection, name: str
) -> None:
    """What a service needs to be given, and no more."""
    user, role = f"{name}_reader", f"{name}_reads"
    server.call("create_user", user, "opensesame")
    server.call("create_role", role)
    for privilege in ("Search", "Query", "Load", "GetLoadState"):
        server.call("grant_privilege", role, "Collection", privilege, "*")
    server.call("grant_role", user, role)
    try:
        reader = MilvusConnection(uri, f"{user}:opensesame", timeout_s=60.0)
        assert once_known(lambda: everything(store_at(milvus_folder, reader, name).reader(MAIN))) == OLD
        with pytest.raises(VectorBackendRefused, match="lacks permission") as refused:
            edit(store_at(milvus_folder, reader, name))
        assert "opensesame" not in str(refused.value)
    finally:
        server.call("drop_user", user)
    next_run(milvus_folder, server, name)


def once_known(ask: Callable[[], set[str]]) -> set[str]:
    """What is answered when each part of the server has heard of a new user and of what he may."""
    give_up = time.monotonic() + 30
    while True:
        try:
            return ask()
        except VectorBackendRefused:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.1)


def once_forgotten(ask: Callable[[], object]) -> None:
    """Return when each part of the server has heard that a user is gone."""
    give_up = time.monotonic() + 30
    while time.monotonic() < give_up:
        try:
            ask()
        except VectorBackendRefused:
            return
        time.sleep(0.1)
    pytest.fail("the server still answers a user who was dropped 30 s ago")


@pytest.mark.parametrize("last", [0, 1, 2])
def test_a_token_that_expires_while_a_run_goes_is_told_and_the_next_run_is_whole(
    last: int, milvus_folder: Path, uri: str, server: MilvusConnection, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Between any two of its writes; who reads with it is told the same, and reads with a new one what was live."""
    caplog.set_level(logging.DEBUG)
    user = f"{name}_expires_{last}"
    server.call("create_user", user, "opensesame")
    server.call("grant_role", user, "admin")
    written = 0

    class Expires(MilvusConnection):
        def call(self, name: str, *arguments: Any, **options: Any) -> Any:
            nonlocal written
            if name in WRITES and written == last:
                server.call("drop_user", user)
                once_forgotten(lambda: super(Expires, self).call("list_collections"))
            written += name in WRITES
            return super().call(name, *arguments, **options)

    reader = store_at(milvus_folder, MilvusConnection(uri, f"{user}:opensesame", timeout_s=60.0), name).reader(MAIN)
    assert once_known(lambda: everything(reader)) == OLD
    writer = store_at(milvus_folder, Expires(uri, f"{user}:opensesame", timeout_s=60.0, token_env="MY_TOKEN"), name)
    for touch in (lambda: edit(writer), lambda: everything(reader)):
        with pytest.raises(VectorBackendRefused, match="it rejects the token in") as refused:
            touch()
        assert "opensesame" not in f"{refused.value} {refused.value!r} {refused.value.__context__!r}{caplog.text}"
    assert written == last + 1
    next_run(milvus_folder, server, name)


def test_a_collection_that_is_dropped_while_it_is_used_is_told_and_made_again(
    milvus_folder: Path, server: MilvusConnection, name: str
) -> None:
    reader = store_at(milvus_folder, server, name).reader(MAIN)
    assert everything(reader) == OLD
    server.call("drop_collection", f"{name}_8")
    for _ in range(2):
        with pytest.raises(VectorBackendRefused, match="searchsocket index --resync"):
            everything(reader)
    assert store_at(milvus_folder, server, name).resync(MAIN, ConstantVectors()).rows == len(OLD)
    assert everything(reader) == OLD
    next_run(milvus_folder, server, name)


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "unheard"])
def test_half_an_upsert_is_made_whole(
    is_told: bool, milvus_folder: Path, uri: str, server: MilvusConnection, name: str
) -> None:
    """The server keeps the first half of a batch, or all of it and the answer is lost."""

    class Half(MilvusConnection):
        def call(self, name: str, *arguments: Any, **options: Any) -> Any:
            if name != "upsert" or len(arguments[1]) < 2:
                return super().call(name, *arguments, **options)
            super().call(name, arguments[0], arguments[1][: len(arguments[1]) // 2] if is_told else arguments[1])
            raise VectorBackendUnavailable("half of it")

    with pytest.raises(VectorBackendUnavailable, match="half of it"):
        edit(store_at(milvus_folder, Half(uri, TOKEN, timeout_s=60.0), name))
    next_run(milvus_folder, server, name)


def test_what_is_not_seen_in_time_is_not_published(
    milvus_folder: Path, uri: str, server: MilvusConnection, name: str
) -> None:
    class Blind(MilvusConnection):
        """Reads of the usual kind see nothing that was written lately."""

        def call(self, name: str, *arguments: Any, **options: Any) -> Any:
            found = super().call(name, *arguments, **options)
            return [] if name == "query" and options.get("output_fields") == ["row_key"] else found

    waits: list[float] = []
    vectors = MilvusVectors(Blind(uri, TOKEN, timeout_s=60.0), name, "shop", sleep=waits.append)
    with pytest.raises(
        VectorBackendUnavailable, match="are not visible after 31 s; the previous generation stays live"
    ):
        edit(LocalStore(milvus_folder, "shop", vectors=vectors))
    assert 30 <= sum(waits) <= 32
    next_run(milvus_folder, server, name)


def test_a_clock_that_was_set_back_names_no_generation_that_would_not_be_seen(
    milvus_folder: Path, server: MilvusConnection, name: str
) -> None:
    """Rows begin and end with generations in the order of their names."""
    store = store_at(milvus_folder, server, name)
    store._clock = lambda: datetime(1999, 1, 1, tzinfo=UTC)
    edit(store)
    assert everything(store.reader(MAIN)) == NEW
    assert rows(server, name) == AFTER_THE_EDIT


def test_a_name_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(VectorBackendUnavailable, match=r"nowhere\.invalid"):
        fill(
            store_at(tmp_path, MilvusConnection("http://nowhere.invalid:19530", TOKEN, timeout_s=1.0), "x"),
            [record("a")],
        )


class Killed(BaseException):
    """The process is no more."""


def test_a_run_that_is_killed_before_any_of_its_writes_is_invisible_and_the_next_one_whole(
    milvus_folder: Path, uri: str, server: MilvusConnection, name: str
) -> None:
    """What is read between two writes changes nothing, so these are all moments there are."""
    for last in range(99):
        if lives(store_at(milvus_folder, mortal(uri, last), name)):
            break
        next_run(milvus_folder, server, name)
        store = store_at(milvus_folder, server, name)
        store.rollback(MAIN)
        assert everything(store.reader(MAIN)) == OLD
    assert last > 5
    assert rows(server, name) == AFTER_THE_EDIT


def lives(store: LocalStore) -> bool:
    """Whether a run comes to its end."""
    try:
        edit(store)
    except Killed:
        return False
    return True


def mortal(uri: str, last: int) -> MilvusConnection:
    """A process that dies before it has written more than so many times."""
    written = 0

    class Mortal(MilvusConnection):
        def call(self, name: str, *arguments: Any, **options: Any) -> Any:
            nonlocal written
            written += name in WRITES
            if written > last:
                raise Killed
            return super().call(name, *arguments, **options)

    return Mortal(uri, TOKEN, timeout_s=60.0)
