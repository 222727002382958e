"""Duration and result of each step of the week, as Dagster and the provider report them, checked."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from bench.week.dagster_ui import DagsterUi, Run, wait_for
from bench.week.provider import Provider

_HEAD = "| day | what happened | runs | texts embedded | records moved | work, s | what the UI showed |"
_FAILED = {"FAILURE": "failed", "SUCCESS": "ok", "CANCELED": "canceled"}


@dataclass(frozen=True, slots=True)
class Row:
    day: str
    what: str
    runs: str
    embeddings: int  # as the runs say
    records: int  # upserted and deleted
    seconds: float  # of the runs, together
    words: str  # of the UI


@dataclass(slots=True)
class Ledger:
    ui: DagsterUi
    provider: Provider
    rows: list[Row] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _failing: set[str] = field(default_factory=set)  # scopes whose newest run failed: they are tried again
    _texts: int = 0

    def step(
        self,
        day: str,
        what: str,
        expected: Mapping[str, str],
        words: Callable[[Mapping[str, Run]], str] = lambda _: "",
        *,
        count: bool = True,
    ) -> Mapping[str, Run]:
        """Wait until each scope has its new runs, which end as expected, and put them on record.

        Args:
            expected: Scope, or job where it has none -> how its run ends.
            count: Whether what the provider was asked for is compared with what the runs say.
        """
        runs = wait_for(lambda: self._finished(expected), f"{what}: runs of {', '.join(expected)}")
        for name, status in expected.items():
            if runs[name].status != status:
                self.wrong.append(f"{day}, {what}: run of {name} ended as {runs[name].status}, not {status}")
        self._note(day, what, expected, words(runs), count=count)
        return runs

    def note(self, day: str, what: str, words: str) -> None:
        """Something that takes no run."""
        self._note(day, what, (), words, count=True)

    def expect(self, holds: object, claim: str) -> None:
        """Put on record that a claim does not hold."""
        if not holds:
            self.wrong.append(claim)

    def _finished(self, expected: Mapping[str, str]) -> Mapping[str, Run] | None:
        new = [run for run in self.ui.runs() if run.run_id not in self._seen]
        by_name = {run.scope or run.job: run for run in reversed(new)}  # the newest of each
        is_done = all(name in by_name and by_name[name].is_over for name in expected)
        if not is_done or any(not run.is_over for run in new):
            return None
        # What failed before is tried again by itself, perhaps just before what is waited for.
        is_old = any(name in self._failing and by_name[name].status != end for name, end in expected.items())
        return None if is_old else by_name

    def _note(self, day: str, what: str, expected: Iterable[str], words: str, *, count: bool) -> None:
        new = [run for run in self.ui.runs() if run.run_id not in self._seen]
        more, wanted = [], set(expected)
        for run in reversed(new):  # the oldest first
            name = run.scope or run.job
            if name in wanted:
                wanted.remove(name)
            elif name not in self._failing:
                more.append(run)
            (self._failing.add if run.status == "FAILURE" else self._failing.discard)(name)
        self.expect(not more, f"{day}, {what}: runs that nobody asked for: {more}")
        self._seen |= {run.run_id for run in new}
        ends = Counter((_FAILED.get(run.status, run.status), run.launched_by or run.job) for run in new)
        embeddings, texts = sum(run.embeddings for run in new), self.provider.texts - self._texts
        self._texts = self.provider.texts
        if count and texts != embeddings:
            self.wrong.append(f"{day}, {what}: the provider was asked for {texts} texts, the runs say {embeddings}")
        row = Row(
            day,
            what,
            ", ".join(f"{number} {end} ({who})" for (end, who), number in sorted(ends.items())) or "none",
            embeddings,
            sum(run.records for run in new),
            round(sum(run.seconds for run in new), 1),
            words,
        )
        self.rows.append(row)
        print(time.strftime("%H:%M:%S"), row, flush=True)

    def markdown(self) -> str:
        """The rows as a table, their sums, and what was wrong."""
        lines = [_HEAD, "|---|---|---|---:|---:|---:|---|"]
        for row in self.rows:
            cells = (row.day, row.what, row.runs, row.embeddings, row.records, row.seconds, row.words)
            lines.append("| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
        seconds = round(sum(row.seconds for row in self.rows), 1)
        embeddings, records = (sum(getattr(row, name) for row in self.rows) for name in ("embeddings", "records"))
        lines.append(f"| | **in all** | {len(self._seen)} | {embeddings} | {records} | {seconds} | |")
        return "\n".join([*lines, "", *(f"- WRONG: {each}" for each in self.wrong)])
