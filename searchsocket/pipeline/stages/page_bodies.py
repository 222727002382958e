"""Stage the texts and key phrases of pages with their records, so that a generation contains its own page texts."""

from collections.abc import Iterator

from searchsocket.content.mirror.document import parse_page, text_digest
from searchsocket.content.mirror.paths import mirror_file
from searchsocket.errors import StateUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state import ScopeState
from searchsocket.stores.base import PageBody, VectorStore
from searchsocket.system.batches import batches
from searchsocket.text.key_phrases import phrases_of_page

_BATCH = 200


def stage_bodies(run: ScopeRun, state: ScopeState, store: VectorStore) -> None:
    """Stage the texts that the live generation does not hold; it drops those of pages that go.

    A page can say something else while its records stay: links of its front matter, for one. And an older version
    published no texts. So all digests are compared, which costs a few microseconds a page.

    Raises:
        StateUnavailable: A mirror file is damaged; the page_mirror stage repairs it.
    """
    live = dict(store.body_digests(run.scope))
    changed = ((url, digest) for url, digest in state.chunks.cut_pages() if live.get(url) != digest)
    for batch in batches(changed, _BATCH):
        store.stage_bodies(list(_bodies(run, state, batch)), run.scope)


def _bodies(run: ScopeRun, state: ScopeState, pages: list[tuple[str, str]]) -> Iterator[PageBody]:
    for url, digest in pages:
        path = mirror_file(run.mirror_dir, url)
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""
        if text_digest(text) != digest:
            # Have the next run look more closely than at size and time.
            state.mirror.distrust(url)
            raise StateUnavailable(f"the mirror file {path} is damaged; run `searchsocket index` to write it again")
        page = parse_page(text)
        yield PageBody(url, digest, text, phrases_of_page(page.facts.title, page.body))
