"""`searchsocket search` prints what the dialog shows: the same results, titles and marks, in the same order."""

import re
from pathlib import Path

import pytest
from search_site import MAIN

from searchsocket.cli.results import answer_lines
from searchsocket.project.project import open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import SearchService, open_service
from tests.api_client import ENVIRON
from tests.clients.stage import Stage

pytestmark = pytest.mark.ui
QUERIES = (
    "battery", "Battery", "batery", "battrey", "batt", "bat", "lead battery", "older robots", "install", "instal",
    "installing", "insatll", "installation", "install the controller", "how do I install it", "remove the controller",
    "the", "to", "robot", "robots", "garden robot", "robot winter", "winter sleep", "charging", "charged by cable",
    "steering by voice", "stering", "okapi 7", "leaves", '"lead battery"',
)  # fmt: skip
RESULTS = 15
# The results of each query, once they are shown. Marked words are in braces.
ASK = """
async (queries) => {
  const dialog = document.querySelector("searchsocket-dialog");
  const text = (node) => [...node.childNodes].map((one) =>
    one.nodeName === "MARK" ? `{${one.textContent}}` : one.childNodes.length ? text(one) : one.textContent).join("");
  const shown = () => [...dialog.shadowRoot.querySelectorAll(".result")].map((one) =>
    [".title", ".snippet"].map((name) => text(one.querySelector(name))));
  const answers = {};
  for (const q of queries) await new Promise((resolve) => {
    const found = ({ detail }) => {
      if (detail.q !== q) return;
      dialog.removeEventListener("searchsocket-results", found);
      answers[q] = shown();
      resolve();
    };
    dialog.addEventListener("searchsocket-results", found);
    dialog.search(q);
  });
  return answers;
}
"""


def printed(service: SearchService, q: str) -> list[list[str]]:
    """Title and snippet of each result that the command prints."""
    answer = service.search(SearchQuery(q, RESULTS), MAIN)
    text = re.sub(r"\x1b\[33m\x1b\[1m(.*?)\x1b\[0m", r"{\1}", "\n".join(answer_lines(answer, 10_000)))
    text = re.sub(r"\x1b\[\d+m", "", text)
    blocks = re.split(r"^\d+\. (?=.*  \d\.\d{3}$)", text, flags=re.MULTILINE)[1:]
    results = []
    for block in blocks:
        title, *lines = block.splitlines()
        snippet = lines[: next(at for at, line in enumerate(lines) if line.startswith("   /"))]
        results.append([title.rpartition("  ")[0], "\n".join(line.removeprefix("   ") for line in snippet)])
    return results


def test_the_dialog_and_the_command_agree(stage: Stage, root: Path) -> None:
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.keyboard.press("/")
    output = page.evaluate(ASK, QUERIES)
    service = open_service(open_project(root, {}), ENVIRON)
    assert {q: printed(service, q) for q in QUERIES} == output
    assert sum(map(len, output.values())) > 60
    assert output["batery"][0][0] == output["battery"][0][0] == "{Battery} › Charging"
