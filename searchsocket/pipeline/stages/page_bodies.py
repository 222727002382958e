"""Stage the texts and key phrases of pages with their records, so that each generation contains its page texts."""

from itertools import chain, islice

from searchsocket.content.mirror import mirror_file
from searchsocket.errors import StateUnavailable
from searchsocket.pipeline.extraction.page_steps import SERIAL_BELOW_PAGES, add_phrases, map_pages, mirror_text
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state import ScopeState
from searchsocket.stores.base import PageBody, VectorStore
from searchsocket.system.batches import batches

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
    jobs = ([_body(run, state, *page) for page in batch] for batch in batches(chain(first, changed), _BATCH))
    for bodies in map_pages(add_phrases, jobs, run.project.settings.run, len(first)):
        store.stage_bodies(bodies, run.scope)


def _body(run: ScopeRun, state: ScopeState, url: str, digest: str) -> PageBody:
    text = mirror_text([run.mirror_dir], url, digest)
    if text is None:
        state.mirror.distrust(url)  # make the next run check the content, not only size and time
        path = mirror_file(run.mirror_dir, url)
        raise StateUnavailable(f"the mirror file {path} is damaged; run `searchsocket index` to write it again")
    return PageBody(url, digest, text)
