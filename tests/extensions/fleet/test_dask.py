"""Batches run on a real Dask cluster of this machine, and whatever becomes of it is said in our words."""

import sys
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import ClusterUnavailable, ConfigError, ConfigMissing
from searchsocket.extensions.fleet import dask as cluster
from searchsocket.extensions.fleet.dask import DaskExecutor, _refuse_strangers, address_label, dask_executor
from searchsocket.system.processes import map_batches
from tests.system.test_processes import die_always, die_once, double

LOCAL: dict[str, Any] = {
    "threads_per_worker": 1,
    "dashboard_address": "127.0.0.1:0",
    "host": "127.0.0.1",
    "silence_logs": 50,
}


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """Two workers, each a process of its own."""
    import dask
    from distributed import LocalCluster

    # By default, a worker that dies is given up if it is not running 15 s later, even if it has returned meanwhile.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}),
        LocalCluster(n_workers=2, processes=True, **LOCAL) as cluster,  # type: ignore[no-untyped-call]
    ):
        yield cluster


@pytest.fixture
def address(workers: Any) -> str:
    """The scheduler, once both workers run: an earlier test may have killed them."""
    workers.wait_for_workers(2)
    return str(workers.scheduler_address)


def mapped(work: Any, batches: Any, executor: DaskExecutor) -> list[Any]:
    return list(
        map_batches(
            work, batches, workers=executor.workers, lost=lambda batch: -batch, make_executor=lambda _: executor
        )
    )


def test_results_come_in_the_order_of_the_batches(address: str) -> None:
    with dask_executor(address) as executor:
        assert executor.workers == 2
        assert mapped(double, range(50), executor) == [n * 2 for n in range(50)]


def test_a_worker_that_dies_costs_a_retry(address: str, tmp_path: Path) -> None:
    batches = [(number, tmp_path / "died") for number in range(12)]
    with dask_executor(address) as executor:
        assert mapped(die_once, batches, executor) == list(range(12))
    assert (tmp_path / "died").exists()


@pytest.mark.long
def test_a_batch_that_kills_every_worker_is_given_up_alone(address: str) -> None:
    with dask_executor(address) as executor:
        assert mapped(die_always, range(12), executor) == [-5 if number == 5 else number for number in range(12)]


def test_the_error_of_a_worker_is_raised_here(address: str) -> None:
    with dask_executor(address) as executor, pytest.raises(TypeError, match="unsupported operand"):
        mapped(double_text, ["a"], executor)


def double_text(batch: str) -> str:
    return batch - batch  # type: ignore[operator]


def test_a_worker_of_another_version_gets_no_work(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask's workers end without a word when they cannot load what they are sent."""
    monkeypatch.setattr(cluster, "_refuse_strangers", partial(_refuse_strangers, own_version="9.9"))
    message = r"worker tcp://127.* has searchsocket [\d.]+, but this process has 9\.9; install the"
    with pytest.raises(ClusterUnavailable, match=message), dask_executor(address):
        pass


def test_a_worker_without_our_code_gets_no_work() -> None:
    ours = version("searchsocket")
    dying = OSError("the connection was closed")
    _refuse_strangers({"tcp://1": ours, "tcp://2": ours, "tcp://3": dying}, "tcp://scheduler:8786")
    with pytest.raises(ClusterUnavailable, match=r"worker tcp://2 .*scheduler:8786 has no searchsocket"):
        _refuse_strangers({"tcp://1": ours, "tcp://2": PackageNotFoundError("searchsocket")}, "tcp://scheduler:8786")


def test_a_cluster_that_is_lost_ends_the_run_and_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(cluster, "_CONNECT_S", 2)
    workers = LocalCluster(n_workers=1, processes=False, protocol="tcp", **LOCAL)  # type: ignore[no-untyped-call]
    with workers, dask_executor(workers.scheduler_address) as executor:
        results = map_batches(double, range(50), workers=1, lost=lambda _: -1, make_executor=lambda _: executor)
        assert next(results) == 0
        workers.close()
        with pytest.raises(ClusterUnavailable, match=r"tcp://127\.0\.0\.1:\d+"):
            list(results)


def test_a_result_that_is_lost_on_its_way_is_a_lost_cluster() -> None:
    """Dask takes a future that it cancels between two lines of its own for one with an error."""
    from distributed import cfexecutor
    from tornado.ioloop import IOLoop

    class Lost:
        status = "lost"

        async def _result(self, raiseit: bool) -> int:
            return 7

    inner: Future[int] = Future()
    outer: Future[int] = Future()
    IOLoop(make_current=False).run_sync(lambda: cfexecutor._cascade_future(Lost(), inner))
    assert isinstance(inner.exception(), TypeError)
    executor = cluster.DaskExecutor.__new__(cluster.DaskExecutor)
    executor._label = "tcp://127.0.0.1:8786"
    executor._hand_over(inner, outer)
    with pytest.raises(ClusterUnavailable, match="was lost while it worked"):
        outer.result()


def test_a_cluster_without_workers_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(cluster, "_LOOK_S", 0.02)
    monkeypatch.setattr(cluster, "_NO_WORKER_S", 0.05)
    empty = LocalCluster(n_workers=0, processes=False, protocol="tcp", **LOCAL)  # type: ignore[no-untyped-call]
    with empty, dask_executor(empty.scheduler_address) as executor:
        assert executor.workers == 1
        with pytest.raises(ClusterUnavailable, match=r"had no worker for .* `dask worker"):
            mapped(double, range(3), executor)


def test_a_scheduler_that_does_not_answer_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.1)
    message = r"answers at tcp://127\.0\.0\.1:1 .*`dask scheduler`"
    with pytest.raises(ClusterUnavailable, match=message) as caught, dask_executor("tcp://127.0.0.1:1/?token=secret"):
        pass
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "address", ["tls://reader:secret@scheduler:8786", "secret@scheduler:8786", "secret", "tcp://secret", "", "tcp://:1"]
)
def test_an_address_that_is_none_or_holds_a_login_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(ConfigError, match=r"run\.dask_address") as caught:
        address_label(address)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["tcp://scheduler:8786", "tls://10.0.0.1:8786", "scheduler:8786", "tcp://[::1]:1"])
def test_an_address_is_shown_without_what_stands_behind_it(address: str) -> None:
    assert address_label(address) == address_label(f"{address}/x?token=secret") == address


def test_without_dask_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigMissing, match=r"pip install searchsocket\[dask\]"), dask_executor("tcp://127.0.0.1:1"):
        pass


def test_a_client_that_gave_up_is_a_lost_cluster() -> None:
    """Whatever is asked of it then ends in our words, also that it takes back what is under way."""
    from distributed import LocalCluster

    workers = LocalCluster(n_workers=1, processes=False, protocol="tcp", **LOCAL)  # type: ignore[no-untyped-call]
    with workers, dask_executor(workers.scheduler_address) as executor:
        waiting = executor.submit(double, 1)
        executor._client.close()
        with pytest.raises(ClusterUnavailable, match="no longer answers"):
            _ = executor.workers
        waiting.cancel()
        executor.shutdown(cancel_futures=True)
