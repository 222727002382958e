"""The week: the actions of people, and the required result of each."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.week.dagster_ui import COMMAND, DagsterUi, Run, wait_for
from bench.week.edits import Edit, import_all, say, spoil, take_away, write
from bench.week.ledger import Ledger
from bench.week.pictures import GRAPH, PLOTS, WIDE, Camera
from bench.week.site import PAGES, Site, git

PWA, SEARCH, SIDEBAR = (f"guide/default-theme/{name}/index.html" for name in ("pwa", "search", "sidebar"))
QUICK, BLOG, NAVBAR = "guide/quick-start/index.html", "guide/blog-theme/features/index.html", "guide/themes/index.html"
ASSETS = ("site_pages", "page_mirror", "page_chunks", "chunk_embeddings", "search_index")
MONDAY: Mapping[str, Edit] = {
    "fix/typos": say(QUICK, "Answer the three questions and open the folder in your editor."),
    "docs/pwa": say(PWA, "An installed site opens without a network once each page was seen."),
    "feature/navbar": say(NAVBAR, "The bar at the top can hold a button that folds the menu."),
}
TUESDAY: Mapping[str, Edit] = {
    "fix/links": say(SIDEBAR, "Links beside the text may lead to another host."),
    "fix/quick-start": say(QUICK, "Yarn and pnpm work as well as npm does."),
    "docs/search": say(SEARCH, "A box for queries can be put into any layout."),
    "docs/sidebar": say(SIDEBAR, "Groups beside the text fold and unfold."),
    "feature/import": say(QUICK, "Pages of another generator can be brought in."),
    "feature/blog": say(BLOG, "A post may name several authors."),
    "release/2.0": write(
        "guide/upgrading/index.html",
        "Upgrading to 2.0",
        "Replace the old plugin by the new one, and look at what the log says.",
    ),
    "team/ann": write(
        "guide/notes/index.html", "Notes of Ann", "What she found while she read the manual, page by page, in a week."
    ),
}


class Week:
    def __init__(self, site: Site, ui: DagsterUi, ledger: Ledger, camera: Camera) -> None:
        self.site, self.ui, self.ledger, self.camera = site, ui, ledger, camera
        self.scopes: dict[str, str] = {}

    def build(self, *branches: str) -> list[str]:
        for branch in branches:
            self.scopes[branch] = self.site.build(branch)
        return [self.scopes[branch] for branch in branches]

    def run(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [*COMMAND, *arguments, "--project", str(self.site.root)], capture_output=True, text=True, check=False
        )
        self.ledger.expect(done.returncode == status, f"{arguments} ended with {done.returncode}: {done.stderr[-300:]}")
        return done.stdout

    def first_url(self, query: str, branch: str = "main") -> str:
        results = json.loads(self.run("search", query, "--scope", branch, "--json"))["results"]
        return str(results[0]["url"]) if results else ""

    def tick(self, sensor: str, words: str) -> str:
        """Return the message of a sensor's first tick with these words."""
        return wait_for(lambda: _words(self.ui.last_tick(sensor), words), f"a tick of {sensor} with {words!r}")

    def monday(self) -> None:
        for branch, edit in MONDAY.items():
            self.site.edit(branch, edit)
        self.site.edit("wip/try", say(QUICK, "Never to be seen."))
        (main,) = self.build("main")
        self.ledger.step("Mon", "main is built for the first time", {main: "SUCCESS"}, lambda _: self._waiting())
        scopes = self.build(*MONDAY)
        self.ledger.step("Mon", "three branches are built", dict.fromkeys(scopes, "SUCCESS"), self._rows)

    def tuesday(self) -> None:
        for branch, edit in TUESDAY.items():
            self.site.edit(branch, edit)
        scopes = self.build(*TUESDAY)
        self.ledger.step(
            "Tue", "eight more branches are pushed and built", dict.fromkeys(scopes, "SUCCESS"), self._rows
        )
        self.ledger.expect(len(self.ui.partitions()) == 12, f"12 partitions, not {self.ui.partitions()}")
        own = {row["scope"]: row["ownChunks"] for row in self._scopes()}
        self.ledger.expect(0 < own[self.scopes["team/ann"]] < 10, f"a branch holds what it changed alone: {own}")
        url = self.first_url("authors of a post", "feature/blog")
        self.ledger.note("Tue", "somebody searches on feature/blog", f"`searchsocket search`: {url} comes first")

    def wednesday(self) -> None:
        self.site.edit("docs/search", say(SEARCH, "Results are grouped by the page that they are on."))
        self.site.edit("fix/links", say(BLOG, "Feeds list the newest posts."))
        self.site.edit("feature/import", import_all(3))
        self.site.edit("feature/blog", take_away(PWA))
        good = self.build("docs/search", "fix/links", "fix/typos")
        dear, poor = self.build("feature/import", "feature/blog")
        broken = self._half_a_build("docs/sidebar")
        ends = {**dict.fromkeys(good, "SUCCESS"), dear: "FAILURE", poor: "FAILURE", broken: "FAILURE"}
        day = self.ledger.step(
            "Wed", "two edits, an unchanged build, an import, a page lost, a broken build", ends, self._states
        )
        for scope, what in ((dear, "the import"), (poor, "the lost page"), (broken, "the broken build")):
            self.ledger.note("Wed", f"{what} is stopped", self.ui.failure(day[scope].run_id).split("\n")[0])
        same = day[self.scopes["fix/typos"]]
        self.ledger.expect((same.embeddings, same.records) == (0, 0), f"an unchanged build moves nothing: {same}")
        self.camera.take("stopped", f"/runs/{day[dear].run_id}?logs=cost_within_budget", "cost_within_budget:")
        self.camera.take(
            "refused",
            f"/assets/search_index?view=checks&partition={poor}&checkDetail=golden_queries_answered",
            "candidate",
        )
        self.camera.take("partitions", "/assets/search_index?view=partitions", "main")
        self._repair(dear)

    def _repair(self, dear: str) -> None:
        self.site.edit("feature/blog", _restore(self.site, PWA))
        repaired = self.build("feature/blog", "docs/sidebar")
        self.ledger.step(
            "Wed", "the page is back, the build is whole", dict.fromkeys(repaired, "SUCCESS"), self._states
        )
        self.ui.launch("index_site", dear, {"resources": {"options": {"config": {"max_cost_usd": 1.0}}}})
        self.ledger.step("Wed", "the import is launched in the UI with a higher limit", {dear: "SUCCESS"}, self._states)

    def thursday(self) -> None:
        for branch in ("fix/typos", "docs/pwa", "fix/links"):
            self.site.merge(branch)
        (main,) = self.build("main")
        done = self.ledger.step(
            "Thu", "three branches are merged and deleted; main is built", {main: "SUCCESS"}, lambda _: self._live(main)
        )
        self.ledger.expect(done[main].embeddings <= 1, f"what was merged is embedded already: {done[main]}")

    def friday(self) -> None:
        self.site.edit("main", spoil)
        (main,) = self.build("main")
        self.ledger.step("Fri", "a spoiled release goes live", {main: "SUCCESS"}, lambda _: self._live(main))
        self.ui.launch("rollback_scope", main)
        self.ledger.step("Fri", "it is rolled back in the UI", {main: "SUCCESS"}, lambda _: self._live(main))
        self.site.edit("main", _restore(self.site, "guide", "HEAD~1"))
        self.build("main")
        self.ledger.step(
            "Fri", "the spoiled pages are repaired; main is built", {main: "SUCCESS"}, lambda _: self._live(main)
        )
        self._backfill()

    def _backfill(self) -> None:
        """Materialize all scopes from the asset graph after a change of settings; the machine crashes during it."""
        with (self.site.root / "searchsocket.toml").open("a") as file:
            file.write("\n[chunking]\nmax_chars = 1500\n")
        scopes = sorted({row["scope"] for row in self._scopes() if row["alive"]})
        backfill = self.ui.backfill(ASSETS, scopes)
        wait_for(lambda: sum(run.is_over for run in self._of(backfill)) >= 2, "two runs of the backfill")
        self.camera.take("backfill", f"/runs/b/{backfill}", "In progress")
        self.ui.kill()
        self.ui.start()
        wait_for(lambda: self.ui.backfill_status(backfill).startswith("COMPLETED"), "the end of the backfill")
        self.ledger.step(
            "Fri",
            f"settings change; all {len(scopes)} scopes are materialized in the asset graph, and in the middle of it "
            "every process of Dagster is killed and started again",
            dict.fromkeys(scopes, "SUCCESS"),
            lambda _: f"backfill {self.ui.backfill_status(backfill)}",
            count=False,
        )

    def _of(self, backfill: str) -> Sequence[Run]:
        return [run for run in self.ui.runs() if run.launched_by == "backfill" and backfill]

    def saturday(self) -> None:
        gone = {self.scopes[branch] for branch in ("fix/typos", "docs/pwa", "fix/links")}
        self.ui.turn_on("dead_branches")
        words = self.tick("dead_branches", "would delete")
        self.ledger.note("Sat", "the sensor for dead branches is turned on", words)
        self.camera.take(
            "prune",
            "/locations/__repository__@searchsocket/sensors/dead_branches",
            "Skip reason",
            "td button:has-text('0 runs requested')",
        )
        listed = {row["scope"] for row in json.loads(self.run("prune", "--json"))["scopes"] if row["goes"]}
        self.ledger.expect(listed == gone, f"prune lists {listed}, not {gone}")
        self.run("prune", "--apply")
        self.ledger.expect(not gone & set(self.ui.partitions()), "pruned scopes are partitions still")
        self.ledger.note("Sat", "`searchsocket prune --apply`", f"{len(self.ui.partitions())} partitions are left")
        self.ui.launch("look_at_scopes")
        self.ledger.step("Sat", "the table of scopes is brought up to date", {"look_at_scopes": "SUCCESS"}, self._rows)
        self.camera.take("scopes", "/assets/scopes", "feature/navbar", down_px=500)

    def sunday(self) -> None:
        self.site.edit("docs/pwa", say(PWA, "An installed site tells when a new version came."))
        scope = self.scopes["docs/pwa"]
        self.ledger.expect(
            scope not in self.ui.partitions_that("materialized"), "a branch that comes back is shown as indexed already"
        )
        self.build("docs/pwa")
        back = self.ledger.step("Sun", "docs/pwa comes back with one more edit", {scope: "SUCCESS"}, self._rows)
        self.ledger.expect(back[scope].embeddings <= 3, f"it embeds what it says newly: {back[scope]}")
        self.camera.take("graph", GRAPH, "filled", width_px=WIDE)
        self.camera.take("plots", "/assets/search_index", "dagster/row_count", *PLOTS, down_px=700)

    def _waiting(self) -> str:
        return self.tick("new_branches", "waiting for builds of")

    def _rows(self, _: object) -> str:
        rows = self._scopes()
        return f"{self._states(rows)}; `searchsocket scopes` lists {len(rows)}"

    def _states(self, _: object) -> str:
        made, failed = (len(self.ui.partitions_that(state)) for state in ("materialized", "failed"))
        return f"{made} partitions made" + (f", {failed} failed" if failed else "")

    def _live(self, scope: str) -> str:
        (row,) = [row for row in self._scopes() if row["scope"] == scope]
        return f"live is {row['generation']}"

    def _scopes(self) -> list[Any]:
        return list(json.loads(self.run("scopes", "--json"))["scopes"])

    def _half_a_build(self, branch: str) -> str:
        """An incomplete build: its tool died after eight pages."""
        (scope,) = self.build(branch)
        for path in sorted((self.site.root / "builds" / scope).rglob("*.html"))[8:]:
            path.unlink()
        return scope


def _words(tick: Mapping[str, Any], words: str) -> str:
    reason = str(tick.get("skipReason") or "")
    return reason if words in reason else ""


def _restore(site: Site, path: str, commit: str = "origin/main") -> Edit:
    def change(_: Path) -> None:
        git(site.desk, "checkout", "-q", commit, "--", f"{PAGES}/{path}")

    return change
