"""Pages of the user documentation as their Markdown sources have them, whatever was last built from these."""

import re
from functools import cache
from pathlib import Path

import yaml
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

SOURCES = Path(__file__).parents[1] / "examples" / "docs-site" / "src"
ROUTES, CONTENT = SOURCES / "routes", SOURCES / "content"
FOLDERS = {"docs": "docs/", "cli": "docs/cli/", "indexing": "docs/indexing/", "recipes": "docs/recipes/"}  # shown below
STARTS = {"en": "start", "de": "de/start"}
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def sources() -> dict[str, Path]:
    """URL path without its first slash -> Markdown file."""
    pages = {}
    for path in ROUTES.rglob("+page.md"):
        parts = path.parent.relative_to(ROUTES).parts
        pages["/".join(part for part in parts if not part.startswith("("))] = path
    for folder, prefix in FOLDERS.items():
        for path in (CONTENT / folder).rglob("*.md"):
            slug = path.relative_to(CONTENT / folder).with_suffix("").as_posix()
            pages[(prefix + re.sub(r"(^|/)index$", "", slug)).rstrip("/")] = path
    return pages | {url: CONTENT / "start" / f"{language}.md" for language, url in STARTS.items()}


@cache
def front_matter(url: str) -> dict[str, object]:
    return yaml.safe_load(sources()[url].read_text(encoding="utf-8").split("---\n", 2)[1])


@cache
def page(url: str) -> BeautifulSoup:
    """A page's text as HTML; headings have the ids that the site gives them."""
    text = sources()[url].read_text(encoding="utf-8").split("---\n", 2)[2]
    soup = BeautifulSoup(MARKDOWN.render(text), "lxml")
    counts: dict[str, int] = {}
    for heading in soup.find_all(["h2", "h3", "h4"]):
        slug = re.sub(r"[^\w]+", "-", heading.get_text().lower()).strip("-")
        counts[slug] = counts.get(slug, 0) + 1
        heading["id"] = slug if counts[slug] == 1 else f"{slug}-{counts[slug] - 1}"
    return soup


@cache
def pages() -> dict[str, BeautifulSoup]:
    return {url: page(url) for url in sorted(sources())}
