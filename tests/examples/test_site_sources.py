"""The documentation's sources: every page is in the navigation, and every link between pages resolves."""

import re
from urllib.parse import urldefrag, urljoin

from tests.docs_pages import ROUTES, SOURCES, front_matter, pages

WRITTEN_IN_SVELTE = {"", "all-pages", "docs/cheatsheet", "docs/getting-started"}


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"href: '/([^']*)'", (SOURCES / "lib/nav.ts").read_text(encoding="utf-8"))
    assert len(listed) == len(set(listed))
    assert set(listed) <= set(pages()) | WRITTEN_IN_SVELTE
    assert set(pages()) - set(listed) - {"de/start"} == set()


def test_titles_and_descriptions_are_unique() -> None:
    for key in ("title", "description"):
        values = [front_matter(url)[key] for url in pages()]
        assert len(values) == len(set(values)), key


def test_links_and_their_anchors_resolve() -> None:
    """The site's own build checks the same, and needs Node."""
    ids = {url: {tag["id"] for tag in soup.find_all(id=True)} for url, soup in pages().items()}
    for url, soup in pages().items():
        for anchor in soup.find_all("a", href=True):
            target, fragment = urldefrag(urljoin(f"/{url}", str(anchor["href"])))
            if "://" in target or target.startswith("mailto:"):
                continue
            name = target.strip("/")
            assert name in ids or name in WRITTEN_IN_SVELTE, f"/{url} links to {target}, which is no page"
            assert not fragment or name not in ids or fragment in ids[name], f"/{url} links to {target}#{fragment}"


def test_pages_written_in_svelte_exist() -> None:
    folders = {
        "/".join(part for part in path.parent.relative_to(ROUTES).parts if not part.startswith("("))
        for path in ROUTES.rglob("+page*")
        if path.suffix != ".md"
    }
    assert folders >= WRITTEN_IN_SVELTE
