"""`searchsocket dagster` as a user starts it, and the queries and actions of its pages, by their own GraphQL."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bench.crashes.processes import kill_tree

T = TypeVar("T")
COMMAND = [sys.executable, "-m", "searchsocket.cli.main"]
REPOSITORY = {"repositoryLocationName": "searchsocket", "repositoryName": "__repository__"}
_PATIENCE_S = 600.0  # this machine may be busy
_RUNS = """{ runsOrError(limit: 1000) { ... on Runs { results {
  runId jobName status startTime endTime tags { key value }
  assetMaterializations { assetKey { path } metadataEntries { label ... on IntMetadataEntry { intValue } } } } } } }"""
_COUNTED = {"chunk_embeddings": ("created",), "search_index": ("upserted", "deleted")}


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as the page of runs lists it."""

    run_id: str
    job: str
    status: str
    scope: str
    launched_by: str
    seconds: float
    embeddings: int
    records: int

    @property
    def is_over(self) -> bool:
        return self.status in ("SUCCESS", "FAILURE", "CANCELED")


class DagsterUi:
    """The processes, and their GraphQL."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.root, self._environ = root, {**os.environ, **environ}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "dagster", "--project", str(self.root), "--port", str(self.port)],
            stdout=(self.root.parent / "dagster.log").open("a"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=self._environ,
        )
        wait_for(lambda: self._try("{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }"), "UI")

    def kill(self) -> None:
        """End every process of Dagster at once, as a crash of the machine does."""
        kill_tree(self.process.pid)
        self.process.wait()

    def ask(self, query: str, **variables: object) -> Any:
        """
        Raises:
            RuntimeError: The answer is an error.
        """
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.address}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            reply = json.load(answer)
        if reply.get("errors"):
            raise RuntimeError(str(reply["errors"])[:1000])
        return reply["data"]

    def _try(self, query: str) -> Any:
        with suppress(OSError, RuntimeError):
            return self.ask(query)["repositoriesOrError"].get("nodes")
        return None

    def runs(self) -> list[Run]:
        """Every run, the newest first."""
        return [_run(run) for run in self.ask(_RUNS)["runsOrError"]["results"]]

    def partitions(self) -> list[str]:
        reply = self.ask(
            "query($k: AssetKeyInput!) { assetNodeOrError(assetKey: $k) { ... on AssetNode { partitionKeys } } }",
            k={"path": ["search_index"]},
        )
        return list(reply["assetNodeOrError"]["partitionKeys"])

    def partitions_that(self, state: str) -> list[str]:
        """The partitions that the page of `search_index` shows as `materialized` or as `failed`."""
        reply = self.ask(
            "query($k: AssetKeyInput!) { assetNodeOrError(assetKey: $k) { ... on AssetNode { "
            "assetPartitionStatuses { ... on DefaultPartitionStatuses "
            "{ materializedPartitions failedPartitions } } } } }",
            k={"path": ["search_index"]},
        )
        return list(reply["assetNodeOrError"]["assetPartitionStatuses"][f"{state}Partitions"])

    def launch(self, job: str, scope: str = "", config: Mapping[str, Any] | None = None) -> str:
        """Launch a job as the launchpad does."""
        tags = [{"key": "dagster/partition", "value": scope}] if scope else []
        answer = self.ask(
            "mutation($p: ExecutionParams!) { launchRun(executionParams: $p) "
            "{ __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }",
            p={
                "selector": {**REPOSITORY, "jobName": job},
                "runConfigData": config or {},
                "executionMetadata": {"tags": tags},
            },
        )["launchRun"]
        if "run" not in answer:
            raise RuntimeError(str(answer))
        return str(answer["run"]["runId"])

    def backfill(self, assets: Sequence[str], scopes: Sequence[str]) -> str:
        """Materialize partitions of assets, as the dialog of the asset graph does."""
        answer = self.ask(
            "mutation($p: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $p) "
            "{ __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }",
            p={"assetSelection": [{"path": [name]} for name in assets], "partitionNames": list(scopes)},
        )["launchPartitionBackfill"]
        if "backfillId" not in answer:
            raise RuntimeError(str(answer))
        return str(answer["backfillId"])

    def backfill_status(self, backfill_id: str) -> str:
        reply = self.ask(
            "query($b: String!) { partitionBackfillOrError(backfillId: $b) { ... on PartitionBackfill { status } } }",
            b=backfill_id,
        )
        return str(reply["partitionBackfillOrError"]["status"])

    def terminate(self, run_id: str, policy: str = "SAFE_TERMINATE") -> None:
        answer = self.ask(
            "mutation($r: String!, $p: TerminateRunPolicy) { terminateRun(runId: $r, terminatePolicy: $p) "
            "{ __typename } }",
            r=run_id,
            p=policy,
        )["terminateRun"]
        if answer["__typename"] != "TerminateRunSuccess":
            raise RuntimeError(str(answer))

    def turn_on(self, sensor: str) -> None:
        self.ask(
            "mutation($s: SensorSelector!) { startSensor(sensorSelector: $s) { __typename } }",
            s={**REPOSITORY, "sensorName": sensor},
        )

    def last_tick(self, sensor: str) -> Mapping[str, Any]:
        """Status and words of a sensor's newest tick; nothing where there is none."""
        reply = self.ask(
            "query($s: SensorSelector!) { sensorOrError(sensorSelector: $s) { ... on Sensor { sensorState "
            "{ ticks(limit: 1) { status timestamp skipReason runIds } } } } }",
            s={**REPOSITORY, "sensorName": sensor},
        )
        return dict(next(iter(reply["sensorOrError"]["sensorState"]["ticks"]), {}))

    def failure(self, run_id: str) -> str:
        """Return the error on the page of a failed run."""
        reply = self.ask(
            "query($r: ID!) { logsForRun(runId: $r) { ... on EventConnection { events "
            "{ ... on ExecutionStepFailureEvent { failureMetadata { description } } "
            "... on LogMessageEvent { level message } } } } }",
            r=run_id,
        )
        for event in filter(None, reply["logsForRun"]["events"]):
            if event.get("level") == "ERROR":  # why a check stopped it
                return str(event["message"]).strip()
            if metadata := event.get("failureMetadata"):
                return str(metadata["description"]).strip()
        return ""


def _run(run: Mapping[str, Any]) -> Run:
    tags = {tag["key"]: tag["value"] for tag in run["tags"]}
    numbers = {
        (made["assetKey"]["path"][-1], entry["label"]): entry["intValue"]
        for made in run["assetMaterializations"]
        for entry in made["metadataEntries"]
        if "intValue" in entry
    }

    def total(asset: str) -> int:
        return sum(numbers.get((asset, label)) or 0 for label in _COUNTED[asset])

    return Run(
        run["runId"],
        run["jobName"],
        run["status"],
        tags.get("dagster/partition", ""),
        tags.get("searchsocket/launched_by", ""),
        round((run["endTime"] or 0) - (run["startTime"] or 0), 1) if run["endTime"] else 0.0,
        total("chunk_embeddings"),
        total("search_index"),
    )


def wait_for(ask: Callable[[], T | None], what: str, patience_s: float = _PATIENCE_S) -> T:
    """Ask again and again until the answer is something.

    Raises:
        TimeoutError: It did not come.
    """
    deadline = time.monotonic() + patience_s
    while not (answer := ask()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come")
        time.sleep(0.5)
    return answer
