"""The whole way once: index the bundled site, ask its service a few things, add search to its pages, and show them.

Run by `make demo`. A second run indexes nothing, because nothing changed.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import click
from site_archive import unpack
from static_demo import PORT, serve_docs

from searchsocket.cli.output import safe
from searchsocket.cli.results import mark_lines

SITE = Path(__file__).resolve().parent / "docs-site"
COMMAND = Path(sys.executable).with_name("searchsocket")
QUESTIONS: tuple[tuple[str, str], ...] = (  # query, only below this path
    ("how do I go back to the previous index?", ""),
    ("what will embedding cost", ""),
    ("--accept-large-deletion", ""),
    ("rate limit", "/docs/api"),
    ("search box in Svelte", ""),
)
SHOWN = 2  # results of each answer


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    unpack()
    try:
        headline("1. Index the bundled site")
        index()
        headline("2. Serve it, and ask over HTTP")
        with served() as url:
            print(f"GET {url}/api/search?q=...")
            for question, below in QUESTIONS:
                ask(url, question, below)
        headline("3. Add search to its pages, without a server")
        subprocess.run([COMMAND, "static", SITE / "build"], env=environment(), check=True)
        headline("4. Open next")
        tell_what_is_next()
        headline("5. Read the documentation and search it")
        if sys.stdout.isatty():
            print("Ctrl-K opens the search, Ctrl-C ends this demo.")
            serve_docs()
        else:
            print(f"  python3 {here(Path(__file__).with_name('static_demo.py'))}  # http://127.0.0.1:{PORT}/docs")
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:  # the reader went away, e.g. `| head`; nothing may be flushed to it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None


def index() -> None:
    """The command, to its end: on Ctrl-C the terminal tells it too, and it leaves the index as it was."""
    command = subprocess.Popen([COMMAND, "index", "--project", SITE], env=environment())
    try:
        status = command.wait()
    except KeyboardInterrupt:
        command.wait()
        raise
    except SystemExit:
        command.terminate()
        command.wait()
        raise
    if status:
        raise SystemExit(status)  # the command has told why


def environment() -> dict[str, str]:
    """The demo is the same everywhere: settings and a Dagster home of the user's own stay out of it."""
    ours = ("SEARCHSOCKET", "EMBEDDINGS_PROVIDER", "DAGSTER_HOME")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


@contextmanager
def served() -> Iterator[str]:
    """The API on a free port of this machine; gone afterwards."""
    server = subprocess.Popen(
        [COMMAND, "serve", "--dev", "--port", "0", "--project", SITE],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        address = re.search(r"http://[\w.:]+", server.stdout.readline())
        if address is None:
            raise SystemExit(server.wait())
        yield address[0]
    finally:
        server.terminate()
        server.wait(timeout=30)


def ask(url: str, question: str, below: str) -> None:
    """One query and its best results, as a person reads them."""
    with urlopen(f"{url}/api/search?{urlencode({'q': question, 'pathPrefix': below, 'topK': SHOWN})}") as response:
        answer = json.load(response)
    where = f" below {below}" if below else ""
    click.echo(f"\n{click.style('?', fg='green', bold=True)} {click.style(question, bold=True)}{where}")
    if not answer["results"]:
        print("  No results.")
    for result in answer["results"]:
        show(result)
    timing = answer["meta"]["timingsMs"]["total"]
    click.echo(dim(f"  {timing:.1f} ms, scope {answer['scope']}, generation {answer['meta']['generation']}"))


def show(result: dict[str, Any]) -> None:
    section = result["sectionTitle"]
    title = result["title"] + (f" › {section}" if section and section != result["title"] else "")
    click.echo(f"  {click.style(safe(title), bold=True)}  {dim(format(result['score'], '.3f'))}")
    for line in snippet(result["snippet"], result["marks"]):
        click.echo(f"    {line}")
    route = f"  {dim(safe(result['routeFile']))}" if result["routeFile"] else ""
    click.echo(f"    {click.style(safe(result['href']), fg='cyan')}{route}")


def snippet(text: str, marks: list[list[int]]) -> Iterator[str]:
    """The quote with its matches in colour on a terminal, else between stars."""
    width = min(shutil.get_terminal_size().columns, 100) - 4
    if sys.stdout.isatty():
        yield from mark_lines(text, [(start, end) for start, end in marks], width)
        return
    for start, end in reversed(marks):
        text = f"{text[:start]}*{text[start:end]}*{text[end:]}"
    yield from mark_lines(text, [], width)


def tell_what_is_next() -> None:
    command, site = here(COMMAND), here(SITE)
    for what, arguments in (
        ("ask something yourself", 'search "how are routes found"'),
        ("serve it", "serve"),
        ("see its runs in Dagster", "dagster"),
    ):
        print(f"  {what:<25}{command} {arguments} --project {site}")
    print(f"  {'read what the index saw':<25}{site / '.searchsocket' / 'pages' / 'main'}")


def here(path: Path) -> Path:
    """`path` as one would type it from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def headline(text: str) -> None:
    click.echo(f"\n{click.style(text, bold=True, underline=True)}")
    sys.stdout.flush()  # before what the commands print


def dim(text: str) -> str:
    return click.style(text, dim=True)


if __name__ == "__main__":
    main()
