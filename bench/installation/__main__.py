"""A whole installation under load: `python -m bench.installation`, a few minutes.

Two indexers with a disk each, one bucket (moto serves S3), one Milvus server, Dagster on Postgres if
`dagster-postgres` is installed, a counting provider of embeddings, and two copies of the service behind a balancer that
gets queries all the time. A site is indexed and five branches are backfilled. Then every process is killed or stopped
once and started again, and both copies are replaced in turn. Reports failed queries, lost or duplicate records, and
texts that were paid for twice. `make .venv-buckets/.ready .venv-milvus/.ready` downloads the servers.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from bench.installation.balancer import Balancer, Copy
from bench.installation.site import BRANCHES, PAGES, Clone, make_origin, word_of
from bench.week.provider import Provider
from tests.extensions.fleet.bucket_servers import bucket_server

MILVUS = Path(".venv-milvus/bin/python")
KEY = "installation-key-of-24-chars"
Environ = dict[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="installation-")))
        return Installation(folder, stack).run()


class Installation:
    """All processes, and the walk through them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.problems: list[str] = []
        self.provider = Counted()
        bucket = stack.enter_context(bucket_server("s3"))
        milvus_uri, self.milvus = stack.enter_context(milvus_server())
        self.environ: Environ = {
            **os.environ, **bucket.environ,
            "SEARCHSOCKET__ARTIFACTS__URL": f"{bucket.url}/site", "SEARCHSOCKET__ARTIFACTS__POLL_SECONDS": "1",
            "SEARCHSOCKET__VECTOR__PROVIDER": "milvus", "MILVUS_URI": milvus_uri, "MILVUS_TOKEN": "root:Milvus",
            "SEARCHSOCKET_API_KEY": KEY, "SEARCHSOCKET_SIGNING_SECRET": "s" * 32, 
            "SEARCHSOCKET__API__RATE_LIMIT__MAX": "0", "HOME": str(folder),
        }  # fmt: skip
        origin = make_origin(folder / "origin", self.provider.address)
        dagster_home = stack.enter_context(dagster_homes(folder, self.environ))
        self.indexers = [
            Clone(
                origin,
                folder / name,
                {**self.environ, **dagster_home, "SEARCHSOCKET_CACHE": str(folder / name / "cache")},
            )
            for name in ("a", "b")
        ]
        # A copy says itself where the queries of its visitors may go.
        embeddings = {"PROVIDER": "openai", "BASE_URL": self.provider.address, "API_KEY_ENV": ""}
        copies_environ = {
            **self.environ,
            **{f"SEARCHSOCKET__EMBEDDINGS__{key}": text for key, text in embeddings.items()},
        }
        self.copies = [Copy(folder / f"copy-{number}", copies_environ) for number in (1, 2)]
        self.balancer = Balancer(self.copies, KEY)
        stack.callback(self._stop)

    def run(self) -> int:
        a, b = self.indexers
        self.step("index main", lambda: a.index("main"))
        self.step("start two copies", lambda: [copy.start() for copy in self.copies])
        self.balancer.start()
        self.step("backfill five branches on the other disk", lambda: b.run("backfill", "--scopes", "feature/*"))
        self.step("index main on the other disk", lambda: b.index("main"))
        for number, indexer in enumerate(self.indexers):
            self.step(f"kill indexer {number + 1} while it runs", lambda indexer=indexer: self._kill_indexer(indexer))
        for number, copy in enumerate(self.copies):
            self.step(f"kill copy {number + 1}", lambda copy=copy: copy.restart(signal.SIGKILL))
        self.step("stop Milvus for 5 s", lambda: self._pause(self.milvus))
        self.step("replace both copies in turn", lambda: [copy.restart(signal.SIGTERM) for copy in self.copies])
        time.sleep(3)
        self.balancer.stop()
        self._check()
        return 1 if self.problems else 0

    def step(self, name: str, act: object) -> None:
        """One act, and what the load saw of it."""
        began, before = time.monotonic(), self.balancer.counts()
        self.provider.step = name
        act()  # type: ignore[operator]
        counts = self.balancer.counts() - before
        failed = sum(counts.values()) - counts["ok"]
        detail = f", {failed} failed: {dict(counts)}" if failed else ""
        print(f"{name}: {time.monotonic() - began:.1f} s, {counts['ok']} queries answered{detail}", flush=True)
        if failed:
            self.problems.append(f"{failed} queries failed: {name}")

    def _kill_indexer(self, indexer: Clone) -> None:
        """An edit is pushed; the run dies in the middle; the next one publishes it."""
        indexer.edit("main", "killed")
        process = indexer.start("index", "--scope", "main")
        time.sleep(2.5)
        process.kill()
        process.wait()
        indexer.index("main")

    def _pause(self, process: "subprocess.Popen[str]") -> None:
        pids = [process.pid, *children(process.pid)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(5)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        time.sleep(2)

    def _check(self) -> None:
        """Every page of every branch is found once, stores are whole, and no text was paid twice."""
        for scope in ("main", *self.indexers[1].scopes()):
            urls = Counter(self.balancer.urls(scope))
            if len(urls) < PAGES or max(urls.values(), default=0) > 1:
                self.problems.append(
                    f"scope {scope}: {len(urls)} of {PAGES} pages, {max(urls.values(), default=0)} at most"
                )
        for branch in BRANCHES:
            scope = self.indexers[1].scope_of(branch)
            if not self.balancer.finds(scope, word_of(branch)):
                self.problems.append(f"the page of branch {branch} is not found in scope {scope}")
        for number, indexer in enumerate(self.indexers):
            report = indexer.doctor()
            self.problems += [f"indexer {number + 1}: {line}" for line in report]
        twice = self.provider.paid_twice()
        print(f"texts paid: {self.provider.texts}, paid twice: {len(twice)}")
        self.problems += [f"paid in {', '.join(steps)}: {text[-80:]!r}" for text, steps in twice.items()]
        print(f"queries: {dict(self.balancer.counts())}")
        print("\n".join(self.problems) or "no problems")

    def _stop(self) -> None:
        self.balancer.stop()
        for copy in self.copies:
            copy.stop()


class Counted(Provider):
    """A provider that knows which texts it was paid for."""

    def __init__(self) -> None:
        super().__init__()
        self.step = ""
        self.paid: dict[str, list[str]] = {}  # steps in which a text was paid

    def answer(self, texts: list[str]) -> dict[str, object]:
        if len(texts) > 1 or len(texts[0]) > 60:
            for text in texts:
                self.paid.setdefault(text, []).append(self.step)
        return super().answer(texts)

    def paid_twice(self) -> dict[str, list[str]]:
        """Texts that were paid more than once, with the steps."""
        return {text: steps for text, steps in self.paid.items() if len(steps) > 1}


@contextmanager
def milvus_server() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The address of a server, and its process."""
    command = [str(MILVUS), "tests/extensions/milvus/server.py", "--until-end-of", str(os.getpid())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.terminate()


@contextmanager
def dagster_homes(folder: Path, environ: Environ) -> Iterator[Environ]:
    """Dagster's history in Postgres, where its package is installed; else each indexer keeps its own."""
    if not find_spec("dagster_postgres"):
        print("dagster-postgres is not installed: each indexer keeps Dagster's history on its own disk")
        yield {}
        return
    from tests.extensions.pgvector.running import running

    with running() as url:
        home = folder / "dagster"
        home.mkdir()
        (home / "dagster.yaml").write_text(
            "telemetry:\n  enabled: false\nstorage:\n  postgres:\n    postgres_url:\n      env: DAGSTER_POSTGRES_URL\n"
        )
        yield {
            "DAGSTER_HOME": str(home),
            "DAGSTER_POSTGRES_URL": url.replace("postgresql://", "postgresql+psycopg2://"),
        }


def children(pid: int) -> list[int]:
    """All processes below one."""
    direct = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, direct) for each in (child, *children(child))]


if __name__ == "__main__":
    sys.exit(main())
