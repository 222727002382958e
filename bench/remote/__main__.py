"""Stores on other machines: `python -m bench.remote recall|stores|kills|starts|rates|writes`.

`recall` stores 50,000 rows in Milvus Lite and on a server, with each kind of index, and measures the recall of the
nearest rows, among all rows and among a tenth of them. `--uri` is the server; without it only Lite is measured. With
`--texts`, the rows are vectors of the paragraphs of a folder, each several times with noise.

`stores` stores 100,000 rows in the folder, in Postgres, in Milvus Lite and in Qdrant's local mode. It prints the recall
of the ten nearest rows and the median time of a query.

`kills` publishes 200 times to the Pinecone of the tests, and to the server of `--uri`. Before each, a run is killed by
SIGKILL before or within a random call. Meanwhile a reader queries without a pause. Every answer must be complete and of
one generation.

`starts` starts a service for a small site from an empty folder, with only an address and credentials.

`rates` publishes 2,000 records to each store from its own process, and queries the 50 nearest, one query after the
other. `writes` indexes a small site cold, again, with one page edited, and under another scope. It prints how much the
counters of each server rose. `--metrics` is the address of those of Milvus, which `make milvus` prints.
"""

import argparse
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.remote import many, rates, recall, starts, stores
from bench.remote.engines import Engine, pinecone_of_the_tests
from bench.remote.kills import kill_many
from bench.remote.starts import resident_mb
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.rows import kind_of
from searchsocket.types import MATCH_ALL


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.remote", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["recall", "stores", "kills", "starts", "rates", "writes"])
    parser.add_argument("--uri", help="URI of a Milvus server, e.g. of `make milvus`")
    parser.add_argument("--token", default=os.environ.get("MILVUS_TEST_TOKEN", "root:Milvus"))
    parser.add_argument("--metrics", help="address of that server's counters")
    parser.add_argument("--texts", type=Path, help="folder of pages: the rows of `recall` are near their paragraphs")
    parser.add_argument("--kinds", nargs="+", choices=list(recall.KINDS), default=list(recall.KINDS))
    parser.add_argument("--pid", type=int, help="process id of that server, to measure its memory")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--count", type=int, default=200, help="number of publishes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["lite", "server", "pinecone"])
    arguments = parser.parse_args()
    if arguments.what == "kills":
        print_kills(arguments)
        return
    if printed := {"stores": print_stores, "starts": print_starts, "rates": print_rates, "writes": print_writes}.get(
        arguments.what
    ):
        printed(arguments)
        return
    rows = (
        many.corpus(arguments.texts, arguments.rows, arguments.queries)
        if arguments.texts
        else recall.corpus(arguments.rows, arguments.queries)
    )
    with tempfile.TemporaryDirectory(prefix="searchsocket-remote-") as folder:
        uris = {"lite": str(Path(folder) / "lite.db")} | ({"server": arguments.uri} if arguments.uri else {})
        for engine, uri in uris.items():
            if arguments.only in (None, engine):
                connection = MilvusConnection(uri, arguments.token, timeout_s=600.0)
                kinds = [kind for kind in arguments.kinds if engine == "server" or kind != "diskann"]
                print_recall(engine, connection, rows, kinds, arguments.pid if engine == "server" else None)


def print_recall(
    engine: str, connection: MilvusConnection, rows: recall.Corpus, kinds: Sequence[str], pid: int | None
) -> None:
    """A table, a line for each kind of index and effort."""
    name = "bench_recall"
    try:
        write_s = recall.write(connection, name, rows)
        print(f"\n{engine}: {len(rows.vectors):,} rows, written in {write_s:,.0f} s\n")
        print("| index | of the 10 nearest | of 50 | p50 ms | of the 10 in a tenth | of 50 | p50 ms | "
              "down for s | built in s | MB |")  # fmt: skip
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for kind in kinds:
            down_s, built_s = recall.rebuild(connection, name, recall.KINDS[kind][0])
            for settings in recall.KINDS[kind]:
                wide, tenth = (
                    recall.ask(connection, name, settings, rows, where) for where in (MATCH_ALL, recall.TAGGED)
                )
                print(
                    f"| {kind_of(settings).text} | {wide.ten:.3f} | {wide.fifty:.3f} | {wide.p50_ms:.0f} | "
                    f"{tenth.ten:.3f} | {tenth.fifty:.3f} | {tenth.p50_ms:.0f} | {down_s:.0f} | {built_s:.0f} | "
                    f"{'' if pid is None else round(resident_mb(pid))} |",
                    flush=True,
                )
    finally:
        for each in connection.call("list_collections"):
            if each.startswith(name):
                connection.call("drop_collection", each)


def print_stores(arguments: argparse.Namespace) -> None:
    """A table, a line for each store."""
    count = max(arguments.rows, 100_000)
    print(f"{recall.DIMENSIONS} numbers a row, the {recall.CANDIDATES} nearest; {os.cpu_count()} CPUs\n")
    print("| store | rows | written in s | recall@10 | p50 ms | in a tenth | p50 ms |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in stores.STORES:
        rows = recall.corpus(count // stores.SLOW.get(name, 1), arguments.queries)
        result = stores.measure(name, rows, min(arguments.queries, 10) if name in stores.SLOW else arguments.queries)
        wide, tenth = (
            f"{result.recall:.3f} | {result.p50_ms:.1f}",
            f"{result.tenth_recall:.3f} | {result.tenth_p50_ms:.1f}",
        )
        print(f"| {name} | {len(rows.vectors):,} | {result.write_s:.0f} | {wide} | {tenth} |", flush=True)


def print_kills(arguments: argparse.Namespace) -> None:
    """A table, a line for each store; exits with 1 where a reader saw anything else than one generation, whole."""
    print(
        "| store | publishes | runs killed | ended first | fell before | answers meanwhile | generations | problems |"
    )
    print("|---|---:|---:|---:|---|---:|---:|---:|")
    problems: list[str] = []
    with ExitStack() as stack:
        engines: list[tuple[str, Engine]] = []
        if arguments.only in (None, "pinecone"):
            engines.append(("Pinecone of the tests", stack.enter_context(pinecone_of_the_tests())[0]))
        if arguments.uri and arguments.only in (None, "server"):
            name = f"bench_{os.getpid()}"
            engines.append(("Milvus server", Engine("milvus", arguments.uri, arguments.token, name)))
        for title, engine in engines:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="searchsocket-remote-")))
            ledger = kill_many(engine, folder / "index", arguments.count, arguments.seed)
            fell = ", ".join(f"{verb} ({count})" for verb, count in ledger.fell.most_common())
            print(
                f"| {title} | {ledger.publishes} | {ledger.fell.total()} | {ledger.ended_first} | {fell} | "
                f"{ledger.answers:,} | {len(ledger.generations)} | {len(ledger.problems)} |",
                flush=True,
            )
            problems += ledger.problems
            engine.vectors("bench").drop()  # type: ignore[attr-defined]
    print(*problems[:20], sep="\n")
    if problems:
        raise SystemExit(1)


def print_starts(arguments: argparse.Namespace) -> None:
    """A table, a line for each store."""
    print("| store | CPU s until it listens | until the first answer | MB then |\n|---|---:|---:|---:|")
    with ExitStack() as stack:
        provider = "SEARCHSOCKET__VECTOR__PROVIDER"
        stores: dict[str, dict[str, str]] = {"local": {}}
        if arguments.uri:
            milvus = {provider: "milvus", "MILVUS_URI": arguments.uri, "MILVUS_TOKEN": arguments.token}
            stores["Milvus server"] = milvus | {"SEARCHSOCKET__VECTOR__MILVUS__COLLECTION": f"bench_{os.getpid()}"}
        engine = stack.enter_context(pinecone_of_the_tests())[0]
        pinecone = {"PINECONE_API_KEY": engine.secret, "PINECONE_CONTROLLER_HOST": engine.address}
        stores["Pinecone of the tests"] = {provider: "pinecone"} | pinecone
        for title, environ in stores.items():
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="searchsocket-remote-"))
            start = starts.measure(Path(folder), environ)
            print(
                f"| {title} | {start.ready_cpu_s:.1f} | {start.answered_cpu_s:.1f} | {start.answered_mb:.0f} |",
                flush=True,
            )


def print_rates(arguments: argparse.Namespace) -> None:
    """A table, a line for each store."""
    count, queries = min(arguments.rows, 2_000), arguments.queries
    print(f"{count:,} records of {rates.DIMENSIONS} numbers, the {rates.TOP_K} nearest of all and of a tenth\n")
    print("| vectors in | records a second | queries a second | in a tenth | MB |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="searchsocket-remote-") as folder, pinecone_of_the_tests() as (pinecone, _):
        name = f"bench_{os.getpid()}"
        stores: dict[str, Engine | None] = {"the folder": None}
        stores["Milvus Lite"] = Engine("milvus", str(Path(folder) / "lite.db"), "", name)
        if arguments.uri:
            stores["Milvus server"] = Engine("milvus", arguments.uri, arguments.token, name)
        stores["Pinecone of the tests"] = pinecone
        for title, engine in stores.items():
            measured = rates.rates(engine, count, queries)
            queries_per_s = f"{measured.queries_s:,.1f} | {measured.tenth_s:,.1f}"
            print(f"| {title} | {measured.records_s:,.0f} | {queries_per_s} | {measured.mb:.0f} |", flush=True)


def print_writes(arguments: argparse.Namespace) -> None:
    """A table, a line for each store and run: the records that it wrote, and what its server counted."""
    print("| vectors in | run | records | what the server counted |\n|---|---|---:|---|")
    provider = "SEARCHSOCKET__VECTOR__PROVIDER"
    with ExitStack() as stack:
        engine, service = stack.enter_context(pinecone_of_the_tests())
        pinecone = {"PINECONE_API_KEY": engine.secret, "PINECONE_CONTROLLER_HOST": engine.address}
        stores: dict[str, tuple[dict[str, str], rates.Counters]] = {
            "Pinecone of the tests": ({provider: "pinecone"} | pinecone, lambda: rates.pinecone_counters(service))
        }
        if arguments.uri and arguments.metrics:
            milvus = {provider: "milvus", "MILVUS_URI": arguments.uri, "MILVUS_TOKEN": arguments.token}
            stores["Milvus server"] = (milvus, lambda: rates.milvus_counters(arguments.metrics))
        for title, (environ, counters) in stores.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="searchsocket-remote-")))
            for run, (records, rose) in zip(rates.RUNS, rates.writes(folder, environ, counters), strict=True):
                rises = ", ".join(f"{name} {number}" for name, number in sorted(rose.items()) if number)
                print(f"| {title} | {run} | {records} | {rises} |", flush=True)


if __name__ == "__main__":
    main()
