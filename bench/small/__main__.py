"""The times that the owner of a small site waits: `python -m bench.small --modules NODE_MODULES`.

The bundled documentation site. NODE_MODULES is the folder of `npm i pagefind@1 minisearch@7`. Each row is the minimum
of its runs, CPU of the whole process tree. Pagefind indexes the built pages, MiniSearch the text that we extracted from
them, so its row has no reading of HTML. Then processes that stay: CPU and largest memory until an agent's server
greets, until its first answer, and until the service is ready. At last the Dagster definitions, beside Dagster itself,
and the source code of this project, beside semble with our table of words (`pip install semble`).

`--before` is the `searchsocket` command of an older version, installed elsewhere, and is measured in turn.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from bench.agents.ready import cost_of as cost_so_far
from bench.agents.ready import started
from bench.beside_pagefind.runs import COMMAND, PORT, Bench, compile_bytecode, rows
from bench.beside_pagefind.tree import Cost, commit, cost_of
from examples.site_archive import unpack

_ROOT = Path(__file__).resolve().parents[2]
_SITE = _ROOT / "examples" / "docs-site" / "build"
_QUERY = "go back to the previous index"
_DEFINITIONS = "import searchsocket_assets.definitions as d; d.defs"
_SEMBLE = "from pathlib import Path; from bench.code.searches import *; semble_index(Path({!r}), OurTable(), 'ours')"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", type=Path, help="Folder with the packages pagefind and minisearch.")
    parser.add_argument("--before", default="", metavar="COMMAND", help="Command of an older version.")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    unpack()
    compile_bytecode()
    commands = {"": COMMAND} | ({", before": options.before} if options.before else {})
    pagefind = str(options.modules.resolve() / ".bin" / "pagefind") if options.modules else ""
    with tempfile.TemporaryDirectory(prefix="searchsocket-bench-") as folder:
        versions = {
            name: Bench(Path(folder) / f"version{number}", _SITE, command, pagefind, _QUERY)
            for number, (name, command) in enumerate(commands.items())
        }
        print(f"commit {commit()}\n\n| what | CPU s | wall s | peak MB | disk MB |\n|---|---|---|---|---|")
        rows(options.runs, {f"cold{name}": (of.cold, of.root / ".searchsocket") for name, of in versions.items()})
        if options.modules:
            _print_peers(options, versions[""], Path(folder))
        for row in ("nothing changed", "one page changed", "second scope", "shell query"):
            rows(options.runs, {f"{row}{name}": (of.warm()[row], None) for name, of in versions.items()})
        for row, measure in {
            "agent's server, greeting": _greeting,
            "first answer": _answer,
            "service": _service,
        }.items():
            rows(options.runs, {f"{row}{name}": (_bound(measure, of), None) for name, of in versions.items()})
        _print_loading(options.runs, versions)
        _print_code(options.runs, Path(folder))


def _print_peers(options: argparse.Namespace, bench: Bench, folder: Path) -> None:
    build = [
        "node", str(Path(__file__).with_name("minisearch.mjs")), str(options.modules.resolve()),
        str(bench.root / ".searchsocket" / "pages"), str(folder / "minisearch.json"),
    ]  # fmt: skip
    peers: Mapping[str, tuple[Callable[[], Cost], Path | None]] = {
        "Pagefind": (bench.pagefind, bench.bundle),
        "MiniSearch, of our text": (lambda: cost_of(build, folder, bench.environ), None),
    }
    rows(options.runs, peers)


def _print_loading(runs: int, versions: Mapping[str, Bench]) -> None:
    dagster = [sys.executable, "-c", "import dagster"]
    loads = {"import dagster": (lambda: cost_of(dagster, versions[""].root, versions[""].environ), None)}
    rows(runs, loads | {f"definitions{name}": (_bound(_definitions, of), None) for name, of in versions.items()})


def _print_code(runs: int, folder: Path) -> None:
    bench = Bench(folder / "code", _SITE, COMMAND, "", "")
    shutil.copytree(_ROOT / "searchsocket", bench.root / "src")
    (bench.root / "searchsocket.toml").write_text('[code]\nenable = true\ninclude = ["src/**"]\n')
    code: dict[str, tuple[Callable[[], Cost], Path | None]] = {
        "source code, cold": (lambda: bench.cold("--only", "code"), bench.root / ".searchsocket")
    }
    if find_spec("semble"):
        semble = [sys.executable, "-c", _SEMBLE.format(str(bench.root / "src"))]
        code["source code, semble"] = (lambda: cost_of(semble, _ROOT, bench.environ), None)
    rows(runs, code)


def _bound(measure: Callable[[Bench], Cost], of: Bench) -> Callable[[], Cost]:
    return lambda: measure(of)


def _greeting(of: Bench) -> Cost:
    began_s = time.perf_counter()
    greeted, _ = started(of.root, of.command)
    return Cost(greeted.cpu_s, time.perf_counter() - began_s, greeted.peak_mb)


def _answer(of: Bench) -> Cost:
    began_s = time.perf_counter()
    _, answered = started(of.root, of.command)
    return Cost(answered.cpu_s, time.perf_counter() - began_s, answered.peak_mb)


def _service(of: Bench) -> Cost:
    """The cost of a service until it is ready."""
    began_s = time.perf_counter()
    command = [of.command, "serve", "--port", str(PORT)]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=of.root, env=of.environ, stdout=nothing, stderr=nothing) as service:
        while not _is_ready():
            assert service.poll() is None, "the service ended"
            time.sleep(0.02)
        cost = cost_so_far(service.pid)
        wall_s = time.perf_counter() - began_s
        service.terminate()
    return Cost(cost.cpu_s, wall_s, cost.peak_mb)


def _is_ready() -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{PORT}/api/ready") as answer:
            return bool(answer.status == 200)
    except URLError:
        return False


def _definitions(of: Bench) -> Cost:
    python = str(Path(of.command).with_name("python"))
    return cost_of([python, "-c", _DEFINITIONS], of.root, of.environ)


if __name__ == "__main__":
    main()
