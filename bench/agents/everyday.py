"""Sixty everyday tasks of four repositories: `python -m bench.agents.everyday FOLDER VOCABULARIES [--check|--later]`.

Counts calls and tokens until an agent has read the lines that answer (`everyday.tsv`): with the tools of `searchsocket
mcp`, with those of semble (`pip install semble==0.7.0`) and with `grep` and `sed` alone. FOLDER contains the source
distributions of `SOURCES`, each unpacked under the name of its package, as a git repository, after `searchsocket code
sync`.
`--check` has twenty tasks of two other repositories (`everyday_check.tsv`), since read together with the first sixty.
`--later` has twenty of two more (`everyday_later.tsv`), on which nothing was tuned.
VOCABULARIES is as in `bench.agents.tokens`. Tokens are those of `cl100k_base`, of requests and answers.

No model decides. The query is the task's own words. An agent cannot know when it is done, so it stops at a gold line.
For a version, it must also have seen the number in the output for that file. Steps, in this order:

- searchsocket, semble: search, five results; the whole text of these five; search, ten results; the whole text of the
  last five. searchsocket gets the text with one `fetch`, semble with one `sed`, because it has no tool for that.
- grep: of the task's words those that look like identifiers, then those that are rarest in the files (this count is
  free); for each of the first three the first 50 lines with it, then 40 lines around the first, second and third match.
"""

import argparse
import csv
import json
import os
import random
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from bench.agents.tokens import real_counts

HERE = Path(__file__).parent
SOURCES = {  # package -> version, licence, the sha256 of its source distribution
    "structlog": ("25.3.0", "MIT OR Apache-2.0", "8dab497e6f6ca962abad0c283c46744185e0c9ba900db52a423cb6db99f7abeb"),
    "marshmallow": ("3.26.1", "MIT", "e6d8affb6cb61d39d26402096dc0aee12d5a26d490a121f118d2e81dc0719dc6"),
    "trio": ("0.30.0", "MIT OR Apache-2.0", "0781c857c0c81f8f51e0089929a26b5bb63d57f927728a5586f7e36171f064df"),
    "aiohttp": ("3.11.18", "Apache-2.0", "ae856e1138612b7e412db63b7708735cff4d38d0399f6a5435d3dac2669f558a"),
}
CHECKED = {
    "jinja2": ("3.1.6", "BSD-3-Clause", "0137fb05990d35f1275a587e9aee6d56da821fc83491a0fb838183be43f66d6d"),
    "urllib3": ("2.5.0", "MIT", "3fc47733c7e419d4bc3f6b3dc2b4f890bb743906a30d56ba4a5bfa4bbff92760"),
}
LATER = {
    "flask": ("3.1.1", "BSD-3-Clause", "284c7b8f2f58cb737f0cf1c30fd7eaf0ccfcde196099d24ecede3fc2005aa59e"),
    "werkzeug": ("3.1.3", "BSD-3-Clause", "60723ce945c19328679790e3282cc758aa4a6040e4bb330f53d30fa546d44746"),
}
COMMAND = str(Path(sys.executable).with_name("searchsocket"))
_PLACE = re.compile(r"^(\S+):(\d+)-(\d+)(.*)$")
_STOP_WORDS = (
    "where when which what with that this from have been does into than then there their only some while"
    " the and are was can for how its has had not who one version set change option added since instead"
)
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True)
class Task:
    """A task and its gold lines: one of them must be seen."""

    repository: str
    kind: str
    text: str
    golds: tuple[tuple[str, str], ...]  # file, text of the line
    version: str

    def is_done(self, seen: dict[str, list[str]]) -> bool:
        """Return True if the lines seen of a file contain a gold line and the version."""
        return any(
            any(text in line for line in seen[file]) and any(self.version in line for line in seen[file])
            for file, text in self.golds
        )


@dataclass
class CallLog:
    """Requests with their answers, one text per call, and the lines seen of each file."""

    calls: list[str] = field(default_factory=list)
    seen: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, sent: str, back: str) -> None:
        self.calls.append(f"{sent}\n{back}")


class Outcome(NamedTuple):
    """Of one task and one contender."""

    solved: bool
    texts: list[str]


def tasks(name: str) -> list[Task]:
    """Those of a file."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Task(row["repository"], row["kind"], row["task"], tuple(_golds(row["gold"])), row["version"] or "")
        for row in rows
    ]


def _golds(text: str) -> Iterator[tuple[str, str]]:
    for gold in text.split(" || "):
        file, _, line = gold.partition("|")
        yield file, line.strip()


class Ours:
    """`searchsocket mcp`, as a client starts it."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, log: CallLog, tool: str, **arguments: Any) -> list[str]:
        """Call a tool; the places that it names."""
        answer = await self._client.call_tool(tool, arguments)
        text = "\n".join(one.text for one in answer.content)  # type: ignore[union-attr]
        log.add(f"{tool} {json.dumps(arguments)}", text)
        places, file = [], ""
        for line in text.splitlines():
            if place := _PLACE.match(line):
                file = place[1]
                places.append(f"{place[1]}:{place[2]}-{place[3]}")
            if file:
                log.seen[file].append(line)
        return places

    async def steps(self, log: CallLog, task: Task) -> Any:
        first = await self.call(log, "search_code", query=task.text)
        yield
        if first:
            await self.call(log, "fetch", ids=first)
        yield
        more = await self.call(log, "search_code", query=task.text, limit=10)
        yield
        if rest := [place for place in more if place not in first][:5]:
            await self.call(log, "fetch", ids=rest)
        yield


class Semble:
    """Semble's tools: what its server answers, made by its library."""

    def __init__(self, root: Path) -> None:
        from semble import SembleIndex
        from semble.types import ContentType

        from bench.code.searches import OurTable

        self._root = root
        with patch("semble.index.index.load_model", lambda _: (OurTable(), "ours")):
            self._index = SembleIndex.from_path(root, content=tuple(ContentType), model_path="ours")

    def _search(self, log: CallLog, query: str, **more: int) -> list[tuple[str, int, int]]:
        from semble.utils import format_results

        sent = {"query": query, "repo": ".", **more}
        results = self._index.search(query, top_k=more.get("top_k", 5), max_snippet_lines=10)
        answer = format_results(query, results, 10)
        log.add(f"search {json.dumps(sent)}", json.dumps(answer))
        for one in answer["results"]:
            log.seen[one["file_path"]] += one["content"].splitlines()
        return [(one["file_path"], one["start_line"], one["end_line"]) for one in answer["results"]]

    async def steps(self, log: CallLog, task: Task) -> Any:
        first = self._search(log, task.text)
        yield
        _read(self._root, log, first)
        yield
        more = self._search(log, task.text, top_k=10)
        yield
        _read(self._root, log, [place for place in more if place not in first])
        yield


def _read(root: Path, log: CallLog, places: list[tuple[str, int, int]]) -> None:
    """Lines of files, as a shell prints them."""
    sent, back = [], []
    for file, first, last in places:
        lines = (root / file).read_text(encoding="utf-8", errors="replace").splitlines()[first - 1 : last]
        sent.append(f"sed -n {first},{last}p {file}")
        back += [f"{file}:{first}", *lines]
        log.seen[file] += lines
    log.add("; ".join(sent), "\n".join(back))


class Grep:
    """`grep` and `sed`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _lines(self, word: str) -> list[str]:
        command = [
            "grep",
            "-rniIF",
            "--exclude-dir=.git",
            "--exclude-dir=.searchsocket",
            "--exclude=searchsocket.toml",
            "--",
            word,
            ".",
        ]
        lines = subprocess.run(command, cwd=self._root, capture_output=True, text=True, errors="replace").stdout
        return sorted(lines.splitlines(), key=lambda line: line.split(":")[0])

    async def steps(self, log: CallLog, task: Task) -> Any:
        words = dict.fromkeys(word for word in re.findall(r"[\w.]*\w{3}", task.text) if word.casefold() not in _STOP)
        matches = {word: lines for word in words if (lines := self._lines(word))}
        by_use = sorted(matches, key=lambda word: (not _is_name(word), len(matches[word])))
        for word in by_use[:3]:
            head = matches[word][:50]
            log.add(f"grep -rniIF {word} . | head -50", "\n".join(head))
            at = []
            for line in head:
                file, number, text = line.removeprefix("./").split(":", 2)
                log.seen[file].append(text)
                at.append((file, int(number)))
            yield
            opened: list[tuple[str, int]] = []
            for file, number in at:
                if len(opened) < 3 and all(file != path or abs(number - line) > 20 for path, line in opened):
                    opened.append((file, number))
                    _read(self._root, log, [(file, max(1, number - 20), number + 19)])
                    yield


def _is_name(word: str) -> bool:
    return bool(re.search(r"[_.]|[a-z][A-Z]|^[A-Z]{3}", word))


async def outcome(contender: Any, task: Task) -> Outcome:
    """Step after step until a gold line is seen, or there are none left."""
    log = CallLog()
    async for _ in contender.steps(log, task):
        if task.is_done(log.seen):
            return Outcome(True, log.calls)
    return Outcome(False, log.calls)


async def run_tasks(folder: Path, all_tasks: list[Task]) -> tuple[dict[str, list[Outcome]], dict[str, str]]:
    """Run all tasks; return the outcomes by contender, and the definitions of their tools."""
    outcomes_of: dict[str, list[Outcome]] = defaultdict(list)
    offered = ""
    for name in dict.fromkeys(task.repository for task in all_tasks):
        root = folder / name
        server = StdioServerParameters(command=COMMAND, args=["mcp"], cwd=str(root), env=dict(os.environ))
        others = {"semble": Semble(root), "grep": Grep(root)}
        async with Client(stdio_client(server)) as client:
            listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
            offered = json.dumps(listed) + (client.instructions or "")
            for task in (task for task in all_tasks if task.repository == name):
                for who, contender in {"searchsocket": Ours(client), **others}.items():
                    outcomes_of[who].append(await outcome(contender, task))
    return outcomes_of, {"searchsocket": offered, "semble": await _sembles_definitions(), "grep": ""}


async def _sembles_definitions() -> str:
    from semble.mcp import _IndexCache, create_server

    server = create_server(_IndexCache())
    listed = [tool.model_dump(by_alias=True, exclude_none=True) for tool in await server.list_tools()]
    return json.dumps(listed) + (server.instructions or "")


def interval(values: list[float], of: Callable[[list[float]], float] = statistics.fmean) -> tuple[float, float]:
    """The interval that contains 95 % of the resamplings of tasks."""
    drawn = random.Random(41)
    made = sorted(of(drawn.choices(values, k=len(values))) for _ in range(5_000))
    return made[125], made[-126]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("vocabularies", type=Path, metavar="VOCABULARIES")
    parser.add_argument("--each", type=Path, metavar="FILE", help="write calls and tokens of each task to FILE")
    parser.add_argument("--check", action="store_true", help="use the tasks of two other repositories")
    parser.add_argument("--later", action="store_true", help="use those of two more, on which nothing was tuned")
    options = parser.parse_args()
    sources, file_name = SOURCES, "everyday.tsv"
    if options.check or options.later:
        sources, file_name = (CHECKED, "everyday_check.tsv") if options.check else (LATER, "everyday_later.tsv")
    all_tasks = [task for name in sources for task in tasks(file_name) if task.repository == name]
    outcomes_of, definitions = anyio.run(run_tasks, options.folder.resolve(), all_tasks)
    tokens: dict[str, list[float]] = {}
    for who, outcomes in outcomes_of.items():
        texts = [text for one in outcomes for text in one.texts]
        counts = iter([counted[1] for counted in real_counts(options.vocabularies, [*texts, definitions[who]])])
        tokens[who] = [sum(next(counts) for _ in one.texts) for one in outcomes]
        print(f"{who}: {_summary(outcomes, tokens[who])}; definitions {next(counts)}")
        for kind in dict.fromkeys(task.kind for task in all_tasks):
            of_kind = [at for at, task in enumerate(all_tasks) if task.kind == kind]
            print(f"  {kind}: {_summary([outcomes[at] for at in of_kind], [tokens[who][at] for at in of_kind])}")
    for other in ("semble", "grep"):
        less = [ours - theirs for ours, theirs in zip(tokens["searchsocket"], tokens[other], strict=True)]
        low, high = interval(less)
        fewer, more = sum(value < 0 for value in less), sum(value > 0 for value in less)
        print(
            f"tokens beyond {other}'s: {statistics.fmean(less):.0f} ({low:.0f} to {high:.0f});"
            f" fewer {fewer}, more {more}"
        )
    if options.each:
        with options.each.open("w", encoding="utf-8") as file:
            for at, task in enumerate(all_tasks):
                cells = [
                    f"{len(outcomes_of[w][at].texts) if outcomes_of[w][at].solved else '-'} {tokens[w][at]:.0f}"
                    for w in outcomes_of
                ]
                print(task.repository, task.kind, *cells, task.text, sep="\t", file=file)


def _summary(outcomes: list[Outcome], tokens: list[float]) -> str:
    calls = [len(one.texts) if one.solved else 99 for one in outcomes]
    within = ", ".join(f"{sum(n <= most for n in calls)} in {most}" for most in (1, 2, 4))
    return (
        f"{sum(one.solved for one in outcomes)} of {len(outcomes)} solved ({within}),"
        f" tokens median {statistics.median(tokens):.0f}, mean {statistics.fmean(tokens):.0f}"
    )


if __name__ == "__main__":
    main()
