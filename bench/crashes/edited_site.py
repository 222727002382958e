"""A site of 1,500 pages that is edited again and again; every page contains its edition."""

import json
import random
import re
from pathlib import Path

from bench.indexing.generate import page_file, write_site
from searchsocket.project.project import open_project
from searchsocket.stores import make_store
from searchsocket.system.batches import batches
from searchsocket.system.files import write_atomic

PAGES = 1_500
_SOMETIMES_GONE = 30  # of the last pages, each of which may be missing
_EDITION = re.compile(r"This is edition (\d+) of page (\d+)\.")
_SECTIONS = "<h2 id='s2'>"
_SHOWN = 3


class EditedSite:
    """The project in `root`; made when it is not there."""

    pages = PAGES

    def __init__(self, root: Path) -> None:
        self.root = root
        self._build = root / "build"
        self._editions_file = root / "editions.json"
        if not self._editions_file.exists():
            write_site(self._build, PAGES)
            (root / "package.json").write_text('{"name": "kills"}')
            for number in range(PAGES):
                self._shorten(number)
                self._write(number, 1)
            self._editions_file.write_text(json.dumps([1] * PAGES))
        # Which edition each page is; below 0 = the page is not there.
        self._editions: list[int] = json.loads(self._editions_file.read_text())
        for number, edition in enumerate(self._editions):  # the bench may have been killed amid its edits
            self._write(number, edition)

    def edit(self, source: random.Random, count: int) -> None:
        """Write new editions of some pages, and let one page go or come back."""
        changed = source.sample(range(PAGES - _SOMETIMES_GONE), count)
        toggled = source.randrange(PAGES - _SOMETIMES_GONE, PAGES)
        for number in changed:
            self._editions[number] += 1
        self._editions[toggled] *= -1
        write_atomic(self._editions_file, json.dumps(self._editions).encode())
        for number in (*changed, toggled):
            self._write(number, self._editions[number])

    def live(self) -> str:
        """Name of the live generation; "" = none."""
        project = open_project(self.root, {})
        generation = make_store(project.settings.vector, project.state_dir, project.id).generation(
            project.scope_named("main")
        )
        return generation.name if generation else ""

    def wrong(self) -> list[str]:
        """In what the live index is not the site."""
        project = open_project(self.root, {})
        scope = project.scope_named("main")
        reader = make_store(project.settings.vector, project.state_dir, project.id).reader(scope)
        store = make_store(project.settings.vector, project.state_dir, project.id)
        editions: dict[int, int] = {}
        urls: set[str] = set()
        for ids in batches((record_id for record_id, _ in store.fingerprints(scope)), 500):
            for record in reader.catalogue.records(ids):
                urls.add(record.page.url)
                for edition, number in _EDITION.findall(record.chunk.body.text):
                    editions[int(number)] = int(edition)
        expected = {number: edition for number, edition in enumerate(self._editions) if edition > 0}
        problems = [f"page {number} is lost" for number in sorted(expected.keys() - editions.keys())[:_SHOWN]]
        problems += [f"page {number} should be gone" for number in sorted(editions.keys() - expected.keys())[:_SHOWN]]
        problems += [
            f"page {number} is of edition {editions[number]} instead of {edition}"
            for number, edition in expected.items()
            if editions.get(number, edition) != edition
        ][:_SHOWN]
        if len(urls) != len(expected):
            problems.append(f"{len(urls)} pages have records instead of {len(expected)}")
        return problems

    def _shorten(self, number: int) -> None:
        """Few records a page, so that publishing is quick, and as many bytes as before, so that workers are started."""
        path = self._build / page_file(number)
        text = path.read_text(encoding="utf-8")
        opening = text.split(_SECTIONS)[0]
        path.write_text(f"{opening}<!-- {'.' * (len(text) - len(opening))} --></main></body></html>", encoding="utf-8")

    def _write(self, number: int, edition: int) -> None:
        path = self._build / page_file(number)
        hidden = self._build.parent / "gone" / page_file(number)
        if edition < 0:
            if path.exists():
                hidden.parent.mkdir(parents=True, exist_ok=True)
                path.rename(hidden)
            return
        if not path.exists():
            hidden.rename(path)
        text = path.read_text(encoding="utf-8")
        sentence = f"This is edition {edition} of page {number}."
        if sentence not in text:
            text = (
                _EDITION.sub(sentence, text)
                if _EDITION.search(text)
                else text.replace("</p>", f"</p><p>{sentence}</p>", 1)
            )
            path.write_text(text, encoding="utf-8")
