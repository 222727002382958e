"""`python -m bench.static_export.trial BUILDS EXPORTS`: twenty questions per site, by keyboard, in three browsers.

BUILDS has a folder per site with its built pages in `build`, EXPORTS one with its export. `questions.tsv` beside this
file has the questions, and the pages that a person expects first. `python -m http.server` serves each site at the root
of a host and below a base path. The first page of the site gets the dialog. A browser types each question into it, and
opens the first result of the first one with Enter. `--base NAME=PATH` sets the base path that a site was built for,
`--home NAME=PAGE` its first page.

Columns: questions with results; those with an expected page first, and among the first three; whether nonsense had no
results; whether Enter opened an existing page; errors of scripts, of the policy of the page and of the console.
"""

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Error, Page, sync_playwright

from bench.static_export.__main__ import CHROMIUM
from tests.clients.engines.firefox import firefox
from tests.clients.engines.tab import CONTROL, ENTER, Tab
from tests.clients.engines.webkit import webkit

QUESTIONS = Path(__file__).with_name("questions.tsv")
NONSENSE = "-"
BASE, HOME = "/a/base", "index.html"
HTML = """
<script>
window.answers = [];
window.problems = [];
const keep = (problem) => window.problems.push(String(problem).slice(0, 200));
addEventListener("error", ({ message, filename }) => keep(`${message} (${filename})`));
addEventListener("unhandledrejection", ({ reason }) => keep(reason));
addEventListener("securitypolicyviolation", ({ violatedDirective }) => keep(violatedDirective));
for (const level of ["error", "warn"]) console[level] = (...values) => keep(`${level}: ${values.join(" ")}`);
addEventListener("searchsocket-error", ({ detail }) => window.answers.push({ error: detail.code }));
addEventListener("searchsocket-results", ({ detail }) =>
  window.answers.push({ q: detail.q, pages: detail.results.map(({ url }) => url) }));
</script>
<script type="module" src="%(base)s/searchsocket/components.js"></script>
<searchsocket-dialog static site="%(base)s"></searchsocket-dialog>
"""
DIALOG = "document.querySelector('searchsocket-dialog')"
READY = f"!!customElements.get('searchsocket-dialog') && !!{DIALOG}.shadowRoot?.querySelector('input')"
OPTIONS = f"{DIALOG}.shadowRoot.querySelectorAll('[role=option]').length"


class Question(NamedTuple):
    """A question and its expected pages; one of them should be first."""

    text: str
    pages: Sequence[str]


class ChromiumTab(Tab):
    """The same for Playwright's page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def open(self, url: str) -> None:
        self._page.goto(url)

    def run(self, body: str) -> Any:
        try:
            return self._page.evaluate(f"() => {{ {body} }}")
        except Error as error:  # another page takes its place in this moment
            if "context was destroyed" not in str(error):
                raise
            return None

    def keys(self, keys: str, modifiers: str = "") -> None:
        names = {CONTROL: "Control", ENTER: "Enter"}
        for key in modifiers:
            self._page.keyboard.down(names[key])
        for key in keys:
            self._page.keyboard.press(names.get(key, "Space" if key == " " else key))
        for key in modifiers:
            self._page.keyboard.up(names[key])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", type=Path)
    parser.add_argument("exports", type=Path)
    parser.add_argument("--base", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--home", action="append", default=[], metavar="NAME=PAGE")
    parser.add_argument("--browsers", default="chromium,firefox,webkit")
    options = parser.parse_args()
    homes = dict(one.split("=", 1) for one in options.home)
    bases = dict(one.split("=", 1) for one in options.base)
    questions: dict[str, list[Question]] = {}
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            questions.setdefault(row["site"], []).append(Question(row["question"], row["pages"].split()))
    print("| browser | site | at | with results | first right | in three | no nonsense | opened | problems |")
    print("|---|---|---|---|---|---|---|---|---|")
    for browser in options.browsers.split(","):
        with TemporaryDirectory() as work, tab_of(browser, Path(work)) as tab:
            for site, own in questions.items():
                for base in ("", bases.get(site, BASE)):
                    with served(
                        options.builds / site / "build", options.exports / site, base, homes.get(site, HOME)
                    ) as address:
                        cells = " | ".join(tried(tab, address, own))
                    print(f"| {browser} | {site} | {base or '/'} | {cells} |", flush=True)


@contextmanager
def tab_of(browser: str, folder: Path) -> Iterator[Tab]:
    if browser != "chromium":
        with {"firefox": firefox, "webkit": webkit}[browser](folder) as tab:
            yield tab
        return
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield ChromiumTab(started.new_page())
        started.close()


@contextmanager
def served(build: Path, export: Path, base: str, home: str) -> Iterator[str]:
    """The address of a page of a site, with the dialog."""
    with TemporaryDirectory() as work:
        root = Path(work) / base.lstrip("/")
        shutil.copytree(build, root, dirs_exist_ok=True)
        shutil.copytree(export, root / "searchsocket")
        page = root / home
        html = page.read_text(encoding="utf-8", errors="replace")
        page.write_text(html + HTML % {"base": base}, encoding="utf-8")
        command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", work, "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                assert server.stdout
                port = re.search(r"port (\d+)", server.stdout.readline())
                assert port
                yield f"http://127.0.0.1:{port[1]}{base}/{home}"
            finally:
                server.terminate()


def tried(tab: Tab, address: str, questions: Sequence[Question]) -> list[str]:
    """The cells of a row."""
    opens(tab, address)
    first_urls(tab, questions[0].text)
    tab.keys(ENTER)
    tab.until(f"location.href !== {json.dumps(address)} && document.readyState === 'complete'")
    tab.until("document.body?.textContent")
    is_there = "Error code: 404" not in (tab.value("document.body?.textContent") or "")
    opens(tab, address)
    answers = [first_urls(tab, question.text) for question in questions]
    problems = tab.value("window.problems")
    for problem in dict.fromkeys(problems):
        print(f"  problem: {problem}", file=sys.stderr)
    real = [
        (question, pages) for question, pages in zip(questions, answers, strict=True) if question.pages != [NONSENSE]
    ]
    rest = [pages for question, pages in zip(questions, answers, strict=True) if question.pages == [NONSENSE]]
    for question, pages in real:
        if not {*pages[:1]} & {*question.pages}:
            print(f"  {question.text}: {pages[:3]}", file=sys.stderr)
    first, three = (sum(bool({*pages[:most]} & {*question.pages}) for question, pages in real) for most in (1, 3))
    return [
        f"{sum(bool(pages) for _, pages in real)} of {len(real)}",
        str(first),
        str(three),
        f"{sum(not pages for pages in rest)} of {len(rest)}",
        "yes" if is_there else "no",
        str(len(problems)),
    ]


def opens(tab: Tab, address: str) -> None:
    tab.open(address)
    tab.until(READY)
    tab.keys("k", modifiers=CONTROL)
    tab.until(f"{DIALOG}.isOpen")


def first_urls(tab: Tab, text: str) -> list[str]:
    """The pages of the answer that the dialog shows."""
    tab.run("window.answers = []")
    tab.keys("a", modifiers=CONTROL)
    tab.keys(text)
    tab.until(f"window.answers.some(({{ q, error }}) => error || q === {json.dumps(text)})")
    answer = tab.value("window.answers.at(-1)")
    assert "error" not in answer, answer
    tab.until(f"({OPTIONS} > 0) === {json.dumps(bool(answer['pages']))}")
    pages: list[str] = answer["pages"]
    return pages


if __name__ == "__main__":
    main()
