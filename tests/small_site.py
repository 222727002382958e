"""A site of five pages with its SvelteKit routes, for tests that index one."""

from pathlib import Path

PAGES = {
    "": ("Home", "Welcome to the harbour guide.", "src/routes/+page.svelte"),
    "docs/install": (
        "Install",
        "Run the installer and wait for the green lamp.",
        "src/routes/docs/install/+page.svelte",
    ),
    "docs/tides": ("Tides", "The tide table lists high water for each harbour.", "src/routes/docs/[slug]/+page.svelte"),
    "docs/ropes": ("Ropes", "A bowline holds a mooring rope without slipping.", "src/routes/docs/[slug]/+page.svelte"),
    "about": ("About", "Written by people who like boats.", "src/routes/about/+page.svelte"),
}


def write_page(root: Path, url: str, title: str, text: str) -> Path:
    """One built page; `url` without leading slash."""
    path = root / "build" / url / "index.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"<html lang=en><head><title>{title}</title></head><body><nav><a href='/'>home</a></nav><main><h1>{title}</h1>"
        f"<p>{text}</p><h2 id='more'>More about {title}</h2><p>See <a href='/docs/tides'>the tide table</a> for "
        f"what {title.lower()} has to do with high water.</p></main></body></html>",
        encoding="utf-8",
    )
    return path


def write_site(root: Path) -> Path:
    """The whole project in `root`."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "package.json").write_text('{"name": "harbour"}')
    for url, (title, text, route) in PAGES.items():
        write_page(root, url, title, text)
        (root / route).parent.mkdir(parents=True, exist_ok=True)
        (root / route).write_text("<h1>page</h1>")
    return root
