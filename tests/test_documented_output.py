"""Blocks of output in README and the user documentation are what the commands print today.

A block is marked by a comment before its fence: `<!-- output: NAME -->`. NAME is a scenario below, which makes a site,
runs a command over it and returns what it printed. `pytest tests/test_documented_output.py --update-golden` rewrites
the blocks that differ. What is another one at each run (names of generations and runs, seconds) is not compared.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench.sizing.table import table
from searchsocket.cli.main import cli

ROOT = Path(__file__).parent.parent
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("src/**/*.md"))]
BLOCK = re.compile(r"<!-- output: (?P<name>[\w ]+) -->\n+```\w*\n(?P<text>.*?)```", re.DOTALL)
PASSING = (
    (re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}"), "<generation>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<run>"),
    (re.compile(r"(?m)^  seconds .*"), "  seconds"),
    (re.compile(r"\d+ kB"), "<size>"),
)
Scenario = Callable[[Path, pytest.MonkeyPatch], str]


def printed(root: Path, *arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(cli, [*arguments, "--project", str(root)])
    assert result.exit_code == status, result.output
    return result.output


def write_pages(folder: Path, pages: dict[str, str]) -> None:
    """Built pages by path, each with its text."""
    for path, text in pages.items():
        file = folder / f"{path}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        title = path.rpartition("/")[2].title()
        file.write_text(
            f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{text}</main></body></html>"
        )


def bundled_docs(root: Path) -> Path:
    """A copy of the bundled site with its build and settings, as `make demo` indexes it."""
    left_out = shutil.ignore_patterns("node_modules", ".*")
    return shutil.copytree(ROOT / "examples/docs-site", root / "docs-site", ignore=left_out)


def search_in_the_bundled_docs(root: Path, patch: pytest.MonkeyPatch) -> str:
    site = bundled_docs(root)
    patch.chdir(site)
    CliRunner().invoke(cli, ["static", "build", "--undo"])  # the demo may have added it
    result = CliRunner().invoke(cli, ["static", "build"])
    assert result.exit_code == 0, result.output
    return result.output


def first_result_of_the_bundled_docs(root: Path, _: pytest.MonkeyPatch) -> str:
    site = bundled_docs(root)
    printed(site, "index")
    return printed(site, "search", "set a budget").partition("\n\n")[0] + "\n"


def index_where_nothing_changed(root: Path, _: pytest.MonkeyPatch) -> str:
    build = root / "docs/.vitepress/dist"
    write_pages(build, {f"guide/page-{number}": f"<p>Page {number} of the guide.</p>" for number in range(68)})
    write_pages(build, {"index": "<p>The guide.</p>", "404": "<p>Not found.</p>"})
    write_pages(build, {"drafts": "<meta name=robots content=noindex><p>Not yet.</p>"})
    (root / "docs/.vitepress/config.js").write_text("export default {}")
    printed(root, "index")
    return printed(root, "index")


def cost_of_a_plan(root: Path, patch: pytest.MonkeyPatch) -> str:
    """Of OpenAI's model, whose key nobody needs for it."""
    patch.setenv("EMBEDDINGS_PROVIDER", "openai")
    pages = {"coverage/report": 600, "docs/reference": 400, "index": 20}
    for path, lines in pages.items():
        text = "".join(f"<p>Line {line} of {path} is reached by the tests of this module.</p>" for line in range(lines))
        write_pages(root / "build", {path: text})
    plan = printed(root, "index", "--dry-run").splitlines(keepends=True)
    names = [line.split()[0] for line in plan]
    return "".join(plan[names.index("cost") : names.index("seconds")])


def secrets_in_a_plan(root: Path, patch: pytest.MonkeyPatch) -> str:
    patch.setenv("EMBEDDINGS_PROVIDER", "openai")
    keys = ["AKIA" + "QYLPMN5HFIQR7XYA", "AKIA" + "Z7TLPMNVXQR5HFIA", "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"]
    deploy = "".join(f"<p>The key of this deployment is {key}.</p>" for key in keys[:2])
    write_pages(root / "build", {"docs/deploy": deploy, "docs/start": f"<p>Start with the token {keys[2]}.</p>"})
    (warning,) = re.findall(r"warning +(.* look like secrets .*)", printed(root, "index", "--dry-run"))
    return f"{warning}\n"


def addresses_of_a_build(root: Path, _: pytest.MonkeyPatch) -> str:
    """All links but one to pages name the file, those to folders end with a slash."""
    names = [f"page-{number}" for number in range(8)]
    links = "".join(f'<a href="/docs/{name}.html">{name}</a> ' for name in names) + '<a href="/docs/">Docs</a>'
    write_pages(root / "build", {f"docs/{name}": f"<p>Text of {name}.</p>{links}" for name in names})
    write_pages(root / "build", {"docs/index": f"<p>The docs.</p>{links}", "index": '<a href="/docs/page-1">Start</a>'})
    (line,) = [line for line in printed(root, "index").splitlines() if line.startswith("  addresses")]
    return f"{line}\n"


def configuration_with_a_typo(root: Path, _: pytest.MonkeyPatch) -> str:
    (root / "searchsocket.toml").write_text("[chunking]\nmax_char = 1500\n")
    return printed(root, "config", "show", status=2).partition("]: ")[2].replace(f"{root}/", "")


def settings_that_are_no_defaults(root: Path, patch: pytest.MonkeyPatch) -> str:
    patch.setenv("EMBEDDINGS_PROVIDER", "openai")
    patch.delenv("OPENAI_API_KEY", raising=False)
    (root / "searchsocket.toml").write_text('[scope]\nmode = "git"\n\n[source]\nexclude = ["/drafts/**"]\n')
    lines = printed(root, "config", "show").splitlines(keepends=True)
    return "".join(line for line in lines if "# default" not in line)


def table_of_sizes(_: Path, __: pytest.MonkeyPatch) -> str:
    return table()


SCENARIOS: dict[str, Scenario] = {
    scenario.__name__.replace("_", " "): scenario
    for scenario in (
        search_in_the_bundled_docs,
        first_result_of_the_bundled_docs,
        index_where_nothing_changed,
        cost_of_a_plan,
        secrets_in_a_plan,
        addresses_of_a_build,
        configuration_with_a_typo,
        settings_that_are_no_defaults,
        table_of_sizes,
    )
}
MARKED = [(file, match["name"]) for file in FILES for match in BLOCK.finditer(file.read_text(encoding="utf-8"))]


def lasting(text: str) -> str:
    """The text without what is another one at each run."""
    for pattern, word in PASSING:
        text = pattern.sub(word, text)
    return text


def test_every_scenario_is_shown_and_every_mark_is_of_a_block() -> None:
    """A mark that the pattern does not read would compare nothing."""
    assert {name for _, name in MARKED} == set(SCENARIOS)
    marks = sum(file.read_text(encoding="utf-8").count("<!-- output: ") for file in FILES)
    assert marks == len(MARKED)


@pytest.mark.dagster
@pytest.mark.parametrize(("file", "name"), MARKED, ids=[name for _, name in MARKED])
def test_a_block_is_what_the_command_prints(
    file: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    output = SCENARIOS[name](tmp_path, monkeypatch).rstrip("\n") + "\n"
    text = file.read_text(encoding="utf-8")
    (block,) = [match for match in BLOCK.finditer(text) if match["name"] == name]
    if request.config.getoption("--update-golden") and lasting(block["text"]) != lasting(output):
        for pattern, _ in PASSING:  # what is another one at each run stays
            before = [match[0] for match in pattern.finditer(block["text"])]
            output = pattern.sub(lambda match, before=before: before.pop(0) if before else match[0], output)
        file.write_text(text[: block.start("text")] + output + text[block.end("text") :], encoding="utf-8")
        return
    assert lasting(block["text"]) == lasting(output)
