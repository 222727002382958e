"""Count the pages of a built site with a file to edit, and check each file against the generator.

    python -m bench.edit_files RULE FOLDER [FOLDER OF SOURCES]

FOLDER contains the sources and the built site. The right file comes from the generator itself, not from searchsocket:
RULE `paths` (MkDocs, VitePress, Sphinx, Starlight, mdBook, Antora: the address is the path of the file in the folder of
sources), `docusaurus` (its `.docusaurus` folder), `hugo` (`hugo list all`), `eleventy` (`--to=json`), or `meta`
(a layout that writes `<meta name="source">`).
"""

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from searchsocket.content.edit_files import EditedPage
from searchsocket.content.html.extract import extract_html
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.edit_files import list_edit_files

_ENDINGS = (".md", ".mdx", ".adoc", ".rst", ".txt", ".ipynb", ".html", ".astro", ".markdown")
Truth = Callable[[str, str, bytes], str]  # (URL, built file, its bytes) -> file; "" if no file of the project makes it


def main(rule: str, root: Path, sources: str) -> None:
    """Print the numbers with and without edit links, and the wrong and missing files."""
    truth = _RULES[rule](root, sources)
    source = make_source(root, Settings(), None, scope="main")
    pages = []
    for page in source.pages():
        data = source.read(page)
        extract = extract_html(data, page, Settings().extract, Settings().transform)
        if not extract.skip:
            pages.append((page, extract, truth(page.address or page.url, page.locator, data)))
    for has_links in (True, False):
        files = list_edit_files(root, source.origin.folder)
        assert files is not None, "no generator"
        right, wrong, missing, unmade = 0, [], [], []
        for page, extract, expected in pages:
            titles = (extract.title, extract.heading, extract.head_title)
            link = extract.edit_link if has_links else ""
            name = files.file_of(EditedPage(page.url, titles, extract.body, link, extract.version))
            right += bool(name) and name == expected
            if not expected and not name:
                unmade.append(page.url)
            elif not name:
                missing.append(f"{page.url} ({expected})")
            elif name != expected:
                wrong.append(f"{page.url}: {name}, not {expected or 'none'}")
        linked = sum(bool(extract.edit_link) for _, extract, _ in pages) if has_links else 0
        print(
            f"{len(pages)} pages ({linked} with a link): {right} right, {len(wrong)} wrong, {len(missing)} missing, "
            f"{len(unmade)} made by no file"
        )
        for kind, lines in (("wrong", wrong), ("missing", missing), ("no file", unmade)):
            for line in lines[:12]:
                print(f"  {kind}: {line}")


def _paths(root: Path, sources: str) -> Truth:
    def truth(url: str, built: str, data: bytes) -> str:
        stem = re.sub(r"(?:(?:^|/)index)?\.html?$", "", built)
        parts = stem.split("/")
        tails = ["/".join(parts[cut:]) for cut in range(3)]  # without Antora's component and version
        stems = [
            name for one in tails for name in ((one, f"{one}/index", f"{one}/README") if one else ("index", "README"))
        ]
        names = (f"{folder}{one}{ending}" for one in stems for folder in _folders(sources) for ending in _ENDINGS)
        return next((name for name in names if (root / name).is_file()), "")

    return truth


def _folders(sources: str) -> list[str]:
    return [f"{folder}/" if folder else "" for folder in sources.split(",")]


def _docusaurus(root: Path, sources: str) -> Truth:
    files = {}
    site = root / sources
    for path in (site / ".docusaurus").rglob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and str(data.get("source", "")).startswith("@site/") and "permalink" in data:
            path = (site / data["source"].removeprefix("@site/")).resolve()
            name = path.relative_to(root.resolve()).as_posix()
            files[data["permalink"].rstrip("/")] = name

    def truth(url: str, built: str, data: bytes) -> str:
        name = files.get(url.removesuffix(".html").rstrip("/"), "")
        pages = (
            f"src/pages/{built.removesuffix('/index.html').removesuffix('.html')}{end}"
            for end in (".js", ".tsx", ".mdx")
        )
        return name or next((page for page in pages if (root / page).is_file()), "")

    return truth


def _hugo(root: Path, sources: str) -> Truth:
    listed = subprocess.run(["hugo", "list", "all"], cwd=root, capture_output=True, text=True, check=True).stdout
    rows = csv.DictReader(io.StringIO(listed))
    files = {re.sub(r"^https?://[^/]+", "", row["permalink"]).rstrip("/"): row["path"] for row in rows}

    def truth(url: str, built: str, data: bytes) -> str:  # the list has no sections
        section = f"{sources}{url.rstrip('/')}/_index.md"
        return files.get(url.rstrip("/")) or (section if (root / section).is_file() else "")

    return truth


def _eleventy(root: Path, sources: str) -> Truth:
    command = ["npx", "@11ty/eleventy", "--to=json", "--quiet"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    rows = json.loads(listed[listed.index("[") :])
    files = {str(row["url"]).rstrip("/"): row["inputPath"].removeprefix("./") for row in rows if row["url"]}
    return lambda url, built, data: files.get(url.rstrip("/"), "")


def _meta(root: Path, sources: str) -> Truth:
    def truth(url: str, built: str, data: bytes) -> str:
        match = re.search(rb'<meta name="source" content="([^"]*)"', data)
        name = match[1].decode() if match else ""
        return name if (root / name).is_file() else ""

    return truth


_RULES = {"paths": _paths, "docusaurus": _docusaurus, "hugo": _hugo, "eleventy": _eleventy, "meta": _meta}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
