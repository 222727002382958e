"""A run looks at what changed alone, and at everything as soon as that would not be enough (spec 10.7)."""

import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.stores import make_store
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope
from tests.pipeline.conftest import PAGES, Site


class Reads:
    """Requests to the cache and the store."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: list[str] = []
        self.compared = 0
        look_up, fingerprints = EmbeddingCache.look_up, LocalStore.fingerprints

        def ask_cache(cache: EmbeddingCache, hashes: Iterable[str], model_id: str) -> tuple[list[str], list[str]]:
            expected = list(hashes)
            self.texts += expected
            return look_up(cache, expected, model_id)

        def ask_store(store: LocalStore, scope: Scope) -> Iterator[tuple[str, str]]:
            is_any = False
            for record in fingerprints(store, scope):
                is_any = True
                yield record
            self.compared += is_any  # all of them were read

        monkeypatch.setattr(EmbeddingCache, "look_up", ask_cache)
        monkeypatch.setattr(LocalStore, "fingerprints", ask_store)

    def forget(self) -> None:
        self.texts, self.compared = [], 0


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def edit(site: Site, text: str = "Questions about prices are answered here.") -> None:
    site.write("docs/faq.html", "FAQ", f"<p>{text}</p>")


def test_a_run_looks_at_what_changed_alone(site: Site, reads: Reads) -> None:
    chunks = site.index().chunks["total"]
    assert len(reads.texts) == chunks
    assert reads.compared == 0  # nothing was live
    reads.forget()
    site.index()
    assert (reads.texts, reads.compared) == ([], 0)
    edit(site)
    assert site.index().records == {"upserted": 1, "deleted": 0}
    assert (len(reads.texts), reads.compared) == (1, 0)
    site.delete("blog/first.html")
    reads.forget()
    assert site.index().records["deleted"] > 0
    assert (reads.texts, reads.compared) == ([], 0)


def test_a_forced_run_looks_at_everything(site: Site, reads: Reads) -> None:
    chunks = site.index().chunks["total"]
    reads.forget()
    site.index(force=True)
    assert (len({*reads.texts}), reads.compared) == (chunks, 1)


def test_a_rollback_is_noticed(site: Site, reads: Reads) -> None:
    site.index()
    edit(site)
    chunks = site.index().chunks["total"]
    project = site.project
    make_store(project.settings.vector, project.state_dir, project.id).rollback(project.scope_named("main"))
    reads.forget()
    assert site.index().records == {"upserted": 1, "deleted": 0}
    assert (len(reads.texts), reads.compared) == (chunks, 1)
    reads.forget()
    site.index()
    assert (reads.texts, reads.compared) == ([], 0)


def test_a_publish_by_another_state_is_detected(site: Site) -> None:
    """Two clones may share an index, and a state may come back from a backup."""
    site.index()
    state = site.project.state_dir / "state.db"
    shutil.copy(state, state.with_name("old.db"))
    edit(site)
    site.index()
    state.with_name("old.db").replace(state)
    edit(site, "Whatever.")
    assert site.index().records == {"upserted": 1, "deleted": 0}
    assert any("Whatever." in record.chunk.body.text for record in site.records())
    assert not any("prices" in record.chunk.body.text for record in site.records())


@pytest.mark.parametrize("lost", ["deleted", "older"])
def test_a_cache_that_lost_vectors_is_filled_again(site: Site, lost: str) -> None:
    cache = site.project.state_dir / "embeddings.db"
    shutil.copytree(site.root / "build", site.root / "whole")
    for file in list(PAGES)[2:]:
        site.delete(file)
    site.index()
    shutil.copy(cache, cache.with_name("old.db"))
    shutil.copytree(site.root / "whole", site.root / "build", dirs_exist_ok=True)
    chunks = site.index().chunks["total"]
    cache.unlink()
    if lost == "older":
        cache.with_name("old.db").rename(cache)
    created = site.index().embeddings["created"]
    assert created == chunks if lost == "deleted" else 0 < created < chunks
    assert site.index().embeddings["created"] == 0


def test_kept_records_of_an_unfinished_run_are_compared_again(site: Site, reads: Reads) -> None:
    site.index()
    (site.project.state_dir / "state.db").unlink()
    site.index(max_pages=2)
    reads.forget()
    assert any("kept" in warning for warning in site.index(max_pages=2).warnings)
    assert reads.compared == 1
    site.delete("blog/first.html")
    site.index()
    assert "/blog/first" not in site.urls()


@pytest.mark.parametrize("seed", range(8))
def test_any_history_ends_with_the_index_of_a_fresh_run(site: Site, seed: int, tmp_path: Path) -> None:
    """Edits, removals, runs that end early, forced and limited runs, rollbacks, in any order."""
    source = random.Random(seed)
    for step in range(12):
        for _ in range(source.randrange(3)):
            file = source.choice([*PAGES, "new/page.html"])
            if source.random() < 0.3:
                (site.root / "build" / file).unlink(missing_ok=True)
            else:
                site.write(file, f"Title {source.randrange(3)}", f"<p>Text {source.randrange(4)}</p>" * (1 + step % 2))
        site.write("index.html", *PAGES["index.html"])
        match source.randrange(5):
            case 0:
                run = site.run(options=RunOptions(accept_large_deletion=True))
                for stage in list(STAGES.values())[: source.randrange(5)]:
                    stage(run)
            case 1:
                site.index(force=True, accept_large_deletion=True)
            case 2:
                site.index(max_pages=source.randrange(1, 4))
            case 3:
                project = site.project
                store = make_store(project.settings.vector, project.state_dir, project.id)
                try:
                    store.rollback(project.scope_named("main"))
                except SearchSocketError:
                    continue  # nothing to go back to
            case _:
                site.index(accept_large_deletion=True)
    site.index(accept_large_deletion=True)
    fresh = Site(tmp_path / "fresh" / "site")
    shutil.rmtree(fresh.root / "build")
    shutil.copytree(site.root / "build", fresh.root / "build")
    fresh.index()
    assert sorted(site.records(), key=lambda r: r.id) == sorted(fresh.records(), key=lambda r: r.id)
    assert site.index().records == {"upserted": 0, "deleted": 0}
