"""Edits of people to the pages of the site."""

import re
from collections.abc import Callable
from pathlib import Path

Edit = Callable[[Path], None]

_HEADING = re.compile(r"</h[12]>")
_TEXT = re.compile(r">([^<]{40,})<")


def say(page: str, sentence: str) -> Edit:
    """Add a paragraph below the first heading of a page."""

    def change(site: Path) -> None:
        path = site / page
        path.write_text(_HEADING.sub(lambda found: f"{found[0]}<p>{sentence}</p>", path.read_text(), count=1))

    return change


def take_away(page: str) -> Edit:
    def change(site: Path) -> None:
        (site / page).unlink()

    return change


def write(page: str, title: str, *paragraphs: str) -> Edit:
    def change(site: Path) -> None:
        (site / page).parent.mkdir(parents=True, exist_ok=True)
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        (site / page).write_text(f"<title>{title}</title><main><h1>{title}</h1>{body}</main>", encoding="utf-8")

    return change


def import_all(copies: int) -> Edit:
    """Bring in as many other sites of the same size: every sentence is another one."""

    def change(site: Path) -> None:
        pages = [path for path in sorted(site.rglob("*.html")) if path.name == "index.html"]
        for number in range(copies):
            for path in pages:
                target = site / f"import{number}" / path.relative_to(site)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(_TEXT.sub(rf">\1 (part {number})<", path.read_text(encoding="utf-8")))

    return change


def spoil(site: Path) -> None:
    """A release with wrong text on every page of the guide."""
    for path in sorted((site / "guide").rglob("*.html")):
        path.write_text(path.read_text(encoding="utf-8").replace("Sveltepress", "Svelteprss"), encoding="utf-8")
