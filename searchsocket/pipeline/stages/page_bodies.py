"""Stage the texts and key phrases of pages with their records, so that each generation contains its page texts."""

from itertools import chain, islice

from searchsocket.content.mirror.paths import mirror_file
from searchsocket.errors import StateUnavailable
from searchsocket.pipeline.extraction.chunk_job import SERIAL_BELOW_PAGES, BodyJob, page_workers, read_bodies
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state import ScopeState
from searchsocket.stores.base import PageBody, VectorStore
from searchsocket.system.batches import batches
from searchsocket.system.processes import map_batches

_BATCH = 200


def stage_bodies(run: ScopeRun, state: ScopeState, store: VectorStore) -> None:
    """Stage the texts that the live generation lacks; it drops those of removed pages.

    A page can change while its records stay, for example in links of its front matter, and older versions published
    no texts. So all digests are compared, which takes a few microseconds per page.

    Raises:
        StateUnavailable: A mirror file is damaged; the page_mirror stage repairs it.
    """
    live = dict(store.body_digests(run.scope))
    changed = ((url, digest) for url, digest in state.chunks.cut_pages() if live.get(url) != digest)
    first = list(islice(changed, SERIAL_BELOW_PAGES))  # enough to decide; all of a large site would take memory
    workers = page_workers(run.project.settings.run, len(first))
    jobs = (BodyJob(run.mirror_dir, batch) for batch in batches(chain(first, changed), _BATCH))
    for bodies in map_batches(read_bodies, jobs, workers=workers, lost=read_bodies):
        store.stage_bodies([_sound(run, state, body) for body in bodies], run.scope)


def _sound(run: ScopeRun, state: ScopeState, body: PageBody | str) -> PageBody:
    if isinstance(body, str):
        state.mirror.distrust(body)  # make the next run check the content, not only size and time
        path = mirror_file(run.mirror_dir, body)
        raise StateUnavailable(f"the mirror file {path} is damaged; run `searchsocket index` to write it again")
    return body
