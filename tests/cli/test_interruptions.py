"""Ctrl-C and SIGTERM at chosen places of a real run: what is published decides what the command says."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_site import write_page

from searchsocket.cli.main import cli
from searchsocket.pipeline.run.report import last_report
from searchsocket.project.project import open_project
from searchsocket.stores import make_store

# The command, with one thing done at one place of it: `place` is code that arranges for `here()` to be called there.
COMMAND = """
import os, signal, sys, time
def pause():
    with open({flag!r}, "w") as flag:
        flag.write("x")
    while True:  # `signal.pause` would miss a signal that comes just before it
        time.sleep(0.05)
def kill():
    os.kill(os.getpid(), {number})
def swallowed():
    try:
        kill()
    except BaseException:
        pass
calls = []
def once():
    calls.append(1)
    if len(calls) == 1:
        {act}()
def wrap(owner, name, before=None, after=None):
    original = getattr(owner, name)
    def wrapped(*arguments, **options):
        if before: before()
        result = original(*arguments, **options)
        if after: after()
        return result
    setattr(owner, name, wrapped)
{place}
sys.argv = ["searchsocket", "index", "--project", {root!r}, *{arguments!r}]
from searchsocket.cli.main import main
main()
"""
IN_STAGE = """
import searchsocket.pipeline.run.stages as stages
stage = stages.STAGES[{stage!r}]
class Once(type(stage)):
    def __call__(self, run):
        once()
        return stage(run)
stages.STAGES = {{**stages.STAGES, {stage!r}: Once(*(getattr(stage, name) for name in stage.__slots__))}}
"""
AFTER_A_FAILED_CALL = """
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.errors import EmbedderUnavailable
embed, failed = HashEmbedder.embed, []
def flaky(self, *arguments, **options):
    if not failed:
        failed.append(1)
        raise EmbedderUnavailable("no answer")
    once()
    return embed(self, *arguments, **options)
HashEmbedder.embed = flaky
"""
BUILT = "from searchsocket.stores.local.store import LocalStore; wrap(LocalStore, '_open_built', after=once)"
SWITCHED = "import searchsocket.stores.local.store as store; wrap(store, 'write_current', after=once)"
SWITCHING = "import searchsocket.stores.local.store as store; wrap(store, 'write_current', before=once)"
CHECKED = "from searchsocket.stores.local.store import LocalStore; wrap(LocalStore, 'verify', before=once)"


@dataclass(frozen=True)
class Ended:
    """Result of an interrupted run, with the live generation before and after it."""

    status: int
    stdout: str
    stderr: str
    before: str
    after: str
    failure: str  # code of the report; "" = it reports a success


@pytest.fixture(scope="module")
def edited_site(indexed_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that was indexed, and then edited."""
    root = shutil.copytree(indexed_site, tmp_path_factory.mktemp("edited") / "harbour")
    (root / "searchsocket.toml").write_text('embeddings.provider = "hash"\n')
    result = CliRunner().invoke(cli, ["index", "--force", "--project", str(root)])
    assert "published" in result.stdout
    write_page(root, "about", "About", "Now written by people who like trains.")
    return root


@pytest.fixture
def edited(edited_site: Path, tmp_path: Path) -> Path:
    """A copy of it, for one run that is interrupted."""
    return shutil.copytree(edited_site, tmp_path / "edited" / "harbour")


def live(root: Path) -> str:
    project = open_project(root, {})
    generation = make_store(project.settings.vector, project.state_dir, project.id).generation(
        project.scope_named("main")
    )
    assert generation is not None
    return generation.name


def interrupted(root: Path, place: str, *arguments: str, act: str = "kill", number: int = signal.SIGTERM) -> Ended:
    """Run the command with a signal at a place: sent by itself, or from here where it pauses."""
    before = live(root)
    flag = root / "flag"
    os.mkfifo(flag)
    begun = os.open(flag, os.O_RDWR)
    code = COMMAND.format(
        flag=str(flag), number=int(number), act=act, place=place, root=str(root), arguments=list(arguments)
    )
    # A shell that runs tests in the background makes its children ignore SIGINT; users' terminals do not.
    unignored = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{code}"
    process = subprocess.Popen(
        [sys.executable, "-c", unignored], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        if act == "pause":
            handle = os.pidfd_open(process.pid)
            ready = select.select([begun, handle], [], [], 300)[0]
            os.close(handle)
            assert begun in ready, "the run did not come to the place"
            process.send_signal(number)
        stdout, stderr = process.communicate(timeout=300)
    finally:
        process.kill()
        os.close(begun)
    report = last_report(open_project(root, {}), "main")
    assert report is not None
    failure = report.failure.code if report.failure else ""
    return Ended(process.returncode, stdout, stderr, before, live(root), failure)


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        ("site_pages", signal.SIGTERM),
        ("page_mirror", signal.SIGTERM),
        ("chunk_embeddings", signal.SIGINT),
        ("search_index", signal.SIGTERM),
    ],
)
def test_a_signal_in_a_stage_publishes_nothing(edited: Path, stage: str, number: int) -> None:
    """Also while texts are embedded, the one stage that costs money: an interruption is no failure to try again."""
    ended = interrupted(edited, IN_STAGE.format(stage=stage), act="pause", number=number)
    assert_nothing_was_published(ended, 128 + number)
    again = CliRunner().invoke(cli, ["index", "--json", "--project", str(edited)])
    assert json.loads(again.stdout)["generation"] > ended.before


def test_a_signal_while_a_provider_is_asked_again_publishes_nothing(edited: Path) -> None:
    ended = interrupted(edited, AFTER_A_FAILED_CALL, act="pause")
    assert_nothing_was_published(ended, 143)


@pytest.mark.parametrize("act", ["kill", "swallowed"])
def test_a_signal_just_before_the_switch_publishes_nothing(edited: Path, act: str) -> None:
    """The run checks for the signal itself, in case another handler swallowed the exception."""
    ended = interrupted(edited, BUILT, act=act)
    assert_nothing_was_published(ended, 143)
    assert len(list((edited / ".searchsocket/index/main").glob("2*"))) == 2


def assert_nothing_was_published(ended: Ended, status: int) -> None:
    assert ended.status == status, ended
    assert ended.after == ended.before
    assert ended.failure == "INTERRUPTED"
    assert ended.stdout == ""
    assert ended.stderr.startswith("error [INTERRUPTED]: "), ended.stderr
    assert "the live index did not change" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("place", [SWITCHING, SWITCHED])
def test_a_signal_during_the_switch_and_after_it_ends_in_success(edited: Path, place: str) -> None:
    """The switch is completed: scripts would read exit status 143 as "nothing was published"."""
    ended = interrupted(edited, place, "--json")
    assert (ended.status, ended.failure) == (0, ""), ended
    assert json.loads(ended.stdout)["generation"] == ended.after > ended.before


def test_a_signal_in_the_last_check_says_that_the_new_generation_is_live(edited: Path) -> None:
    """The report names the interruption; the command tells what happened."""
    ended = interrupted(edited, CHECKED, "--json")
    assert (ended.status, ended.failure) == (0, "INTERRUPTED"), ended
    assert f"generation {ended.after} is live" in ended.stderr
    assert json.loads(ended.stdout)["generation"] == ended.after > ended.before
