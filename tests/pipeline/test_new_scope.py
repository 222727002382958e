"""A scope that begins from another one is, to the byte, what it would be had it been indexed alone."""

import importlib
import os
import re
import shutil
import signal
import sqlite3
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from searchsocket.pipeline.run.stages import STAGES
from searchsocket.serving.pages import find_page
from searchsocket.state.project import ProjectState
from searchsocket.state.records import records_of
from searchsocket.stores import make_store
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.system.files import write_atomic
from searchsocket.types import Generation
from tests.pipeline.conftest import PAGES, Site

_FILES = [*PAGES, "docs/new.html", "blog/new.html", "other.html"]
_LINKS = ["/docs/install", "/docs/usage.html", "new", "/blog/new", "/gone", "/other", "/docs/faq#hours", "/"]
_REDIRECT = "<meta http-equiv=refresh content='0;url=/docs/install'>"
_BODIES = st.one_of(
    st.just("<p data-search-noindex>Not for search.</p>"),
    st.just("<p></p>"),
    st.just(_REDIRECT),
    st.tuples(st.sampled_from(["boats", "lanterns", "tickets"]), st.lists(st.sampled_from(_LINKS), max_size=3)).map(
        lambda made: (
            f"<p>About {made[0]} in the museum.</p>"
            + "".join(f"<p>See <a href='{link}'>the {made[0]} page</a>.</p>" for link in made[1])
        )
    ),
)
_EDITS = st.lists(st.tuples(st.sampled_from(_FILES), st.one_of(st.none(), _BODIES)), max_size=4)
_DATED = re.compile(r"generatedAt: .*")
_QUERIES = ["museum", "boats", "lantern page", "installing", "tickets"]


def test_only_what_differs_is_done(site: Site) -> None:
    site.index()
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    _, mirror, chunks, _, index = [stage(site.run("preview")) for stage in STAGES.values()]
    assert (mirror.numbers.extracted, mirror.numbers.reused, mirror.numbers.written) == (1, 5, 6)
    assert chunks.numbers.pages_cut == 1
    assert index.numbers.upserted == index.numbers.records == chunks.numbers.total


def test_an_identical_scope_shares_the_bytes(site: Site) -> None:
    """Of words, vectors and page texts there is one copy, whatever becomes of the scope that it came from."""
    site.index()
    site.index("preview")
    files = {scope: live_files(site, scope) for scope in ("main", "preview")}
    shared = {name for name, path in files["preview"].items() if path.samefile(files["main"].get(name, "/"))}
    words = {name for name in files["main"] if name.startswith(("words/", "pages/"))}
    assert {name for name in words if not name.endswith((".lock", "meta.json"))} <= shared
    assert {"bodies.db", *(name for name in files["main"] if name.startswith("packs/"))} <= shared
    before = contents_of(site)
    _store(site).delete_scope(site.project.scope_named("main"))
    shutil.rmtree(site.project.mirror_dir / "main")
    assert contents_of(site) == before
    assert site.index("preview").records == {"upserted": 0, "deleted": 0}


def test_scopes_share_what_their_chunks_say(site: Site) -> None:
    """Each page's records are in the state once, until the last scope that holds them goes."""
    site.index()
    pages = stored_pages(site)
    site.index("preview")
    assert stored_pages(site) == pages > 0
    ProjectState(site.project.state_dir).forget("main")
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    site.index("preview")
    with ProjectState(site.project.state_dir).open("preview") as state:
        assert "prices" in state.chunks.of_page("/docs/faq")[0].body.text
        selection = state.chunks.select()
        selection.add([id_ for id_, _ in state.chunks.fingerprints()])
        records = [record for batch in selection.batches(10) for record in records_of(batch, "preview")]
        assert {record.id for record in records} == {id_ for id_, _ in state.chunks.fingerprints()}
    assert stored_pages(site) == pages
    ProjectState(site.project.state_dir).forget("preview")
    assert stored_pages(site) == 0


def stored_pages(site: Site) -> int:
    with closing(sqlite3.connect(site.project.state_dir / "state.db")) as db:
        return int(db.execute("SELECT COUNT(*) FROM page_records").fetchone()[0])


def test_a_page_is_answered_as_that_of_the_new_scope(site: Site) -> None:
    site.index()
    site.index("preview")
    reader = _store(site).reader(site.project.scope_named("preview"))
    assert find_page("/docs/faq", reader).answer().scope == "preview"
    assert 'scope: "preview"' in find_page("/docs/faq", reader).markdown(sources=True)


def test_a_damaged_generation_is_not_taken_over(site: Site) -> None:
    site.index()
    (path,) = [path for name, path in live_files(site, "main").items() if name.endswith(".db") and "packs" in name]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    write_atomic(path, bytes(data))
    site.index("preview")
    assert _store(site).verify(site.project.scope_named("preview")) == []
    fresh = Site(site.root.parent / "fresh" / site.root.name)
    fresh.index("preview")
    assert contents_of(site) == contents_of(fresh)


@pytest.mark.parametrize(
    "place",
    [
        "searchsocket.pipeline.stages.mirror_files.text_of_scope",
        "searchsocket.state.scope.record_id",
        "searchsocket.stores.local.staging.link_generation",
        "searchsocket.stores.local.build.build.new_rows",
        "searchsocket.stores.local.store.write_current",
    ],
)
def test_a_run_that_is_killed_leaves_nothing_visible(site: Site, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the next one ends where it would have."""
    site.index()
    if (child := os.fork()) == 0:
        module, _, name = place.rpartition(".")
        calls = count()
        with suppress(BaseException):
            result = getattr(importlib.import_module(module), name)

            def dying(*arguments: object, **named: object) -> object:
                if next(calls) == 1 or name not in ("text_of_scope", "record_id"):
                    os.kill(os.getpid(), signal.SIGKILL)
                return result(*arguments, **named)

            monkeypatch.setattr(place, dying)
            site.index("preview")
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert _store(site).generation(site.project.scope_named("preview")) is None
    summary = site.index("preview")
    assert not any("missing" in warning or "changed" in warning for warning in summary.warnings)
    fresh = Site(site.root.parent / "fresh" / site.root.name)
    fresh.index("preview")
    assert contents_of(site) == contents_of(fresh)


def test_another_scope_that_shares_less_than_half_is_no_origin(site: Site) -> None:
    site.index()
    for file in list(PAGES)[:4]:
        site.write(file, "Other", f"<p>All of {file} is new here.</p>")
    STAGES["site_pages"](site.run("preview"))
    mirror = STAGES["page_mirror"](site.run("preview"))
    with site.run("preview").state.open("preview") as state:
        assert state.origin.name() == ""
    assert (mirror.numbers.extracted, mirror.numbers.reused) == (4, 2)


def live_files(site: Site, scope: str) -> dict[str, Path]:
    [current] = site.project.state_dir.rglob(f"{scope}/CURRENT")
    live = current.parent / current.read_text().split()[0]
    return {str(path.relative_to(live)): path for path in live.rglob("*") if path.is_file()}


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(before=_EDITS, between=_EDITS)
def test_a_derived_scope_is_what_a_cold_index_of_it_is(
    tmp_path: Path, before: list[tuple[str, str | None]], between: list[tuple[str, str | None]]
) -> None:
    root = tmp_path / "museum"
    shutil.rmtree(tmp_path, ignore_errors=True)
    site = Site(root)
    edit(site, before)
    site.index()
    edit(site, between)
    site.index("preview")
    cold = Site(tmp_path / "fresh" / "museum")
    shutil.rmtree(cold.root / "build")
    shutil.copytree(root / "build", cold.root / "build")
    cold.index("preview")
    assert contents_of(site) == contents_of(cold)
    assert _store(site).verify(site.project.scope_named("preview")) == []


def edit(site: Site, edits: list[tuple[str, str | None]]) -> None:
    for file, body in edits:
        if body is not None:
            site.write(file, f"Title of {file}", body)
        elif (site.root / "build" / file).exists():
            site.delete(file)


def contents_of(site: Site, scope: str = "preview") -> list[object]:
    """All that a scope holds and answers, but for when."""
    store = _store(site)
    reader = store.reader(site.project.scope_named(scope))
    generation: Generation = reader.generation
    ids = [id_ for id_, _ in store.fingerprints(site.project.scope_named(scope))]
    return [
        generation.digest,
        generation.bodies_digest,
        (generation.records, generation.pages, generation.routes, generation.spread, generation.bodies),
        reader.catalogue.records(ids),
        repr(reader.catalogue.facts(ids)),
        reader.vectors.vectors_of(ids).tobytes(),
        [reader.words.search(query, top_k=20) for query in _QUERIES],
        [reader.words.search_pages(query, top_k=20) for query in _QUERIES],
        [reader.words.named(query, top_k=20) for query in _QUERIES],
        {name: _DATED.sub("", text) for name, text in site.mirror(scope).items()},
    ]


def _store(site: Site) -> VectorStore:
    return make_store(site.project.settings.vector, site.project.state_dir, site.project.id)
