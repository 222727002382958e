"""Two copies of the service, and visitors that query only copies that are ready."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

import httpx

COMMAND = str(Path(sys.executable).with_name("searchsocket"))
DRAIN_S = 2
_PROBE_S, _QUERY_S = 0.2, 0.05


class Copy:
    """One copy of the service, in an empty folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        folder.mkdir()
        self._folder = folder
        self._environ = {**environ, "PYTHONUNBUFFERED": "1"}
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
        self.is_ready = False

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [COMMAND, "serve", "--port", "0", "--drain-seconds", str(DRAIN_S)]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                command, cwd=self._folder, env=self._environ, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:\d+", self._process.stdout.readline())
        assert address, (self._folder / "log").read_text()
        self.address = address[0]

    def restart(self, number: signal.Signals) -> None:
        """End it by a signal, and start it again."""
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(60)
        self.start()
        while not self.is_ready:
            time.sleep(_PROBE_S)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Balancer:
    """Asks a question every 50 ms, of a copy that was ready at the last probe.

    Like the balancers that are used, it tries another copy if a connection is refused or cut, and fails after both.
    """

    def __init__(self, copies: Sequence[Copy], key: str) -> None:
        self._copies = copies
        self._headers = {"authorization": f"Bearer {key}"}
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to probe and to ask."""
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._probe, self._visit)]
        for thread in self._threads:
            thread.start()
        while not all(copy.is_ready for copy in self._copies):
            time.sleep(_PROBE_S)

    def stop(self) -> None:
        """End both."""
        self._ended.set()
        for thread in self._threads:
            thread.join(30)

    def counts(self) -> Counter[str]:
        """The outcomes of the queries until now."""
        with self._lock:
            return Counter(self._counts)

    def _probe(self) -> None:
        while not self._ended.wait(_PROBE_S):
            for copy in self._copies:
                try:
                    copy.is_ready = httpx.get(f"{copy.address}/api/ready", timeout=2).status_code == httpx.codes.OK
                except httpx.HTTPError:
                    copy.is_ready = False

    def _visit(self) -> None:
        for number in count():
            if self._ended.wait(_QUERY_S):
                return
            outcome = self._outcome(number)
            with self._lock:
                self._counts[outcome] += 1

    def _outcome(self, number: int) -> str:
        outcome = "no copy was ready"
        for copy in sorted(self._copies, key=lambda copy: (not copy.is_ready, (number + id(copy)) % 2)):
            try:
                answer = httpx.get(
                    f"{copy.address}/api/search", params={"q": f"harbour page {number % 40}"}, timeout=10
                )
            except httpx.HTTPError as error:
                outcome = type(error).__name__
                continue
            if answer.status_code != httpx.codes.OK:
                return f"status {answer.status_code}"
            return "ok" if answer.json()["results"] else "no results"
        return outcome

    def urls(self, scope: str) -> list[str]:
        """The pages of a scope, as `find` lists them."""
        body = {"q": "quay", "scope": scope, "limit": 100}
        answer = httpx.post(f"{self._copies[0].address}/api/find", json=body, headers=self._headers, timeout=30)
        answer.raise_for_status()
        return [page["url"] for page in answer.json()["occurrences"]]

    def finds(self, scope: str, word: str) -> bool:
        """Return True if a query for the word has a result."""
        body = {"q": word, "scope": scope}
        answer = httpx.post(f"{self._copies[0].address}/api/search", json=body, headers=self._headers, timeout=30)
        return answer.status_code == httpx.codes.OK and bool(answer.json()["results"])
