"""A machine that indexes and one that answers, with nothing but an object store between them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from search_site import MAIN, PROJECT, Piece, Site

from searchsocket.extensions.fleet.documents import Writer
from searchsocket.extensions.fleet.lease import ScopeLease, holding
from searchsocket.extensions.fleet.live import Pushed, push_generation
from searchsocket.extensions.fleet.objects.base import Objects
from searchsocket.extensions.fleet.pull import Pulled, pull_scope
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.local.layout import read_current
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope

PIECES = [
    Piece(f"/docs/p{n}", f"The tide table number{n} tells of high water.", f"Tides {n}", links=n % 5) for n in range(40)
]
GIGABYTE = 1_000_000_000


@dataclass
class Indexer:
    """Publishes into its own folder, and pushes from there."""

    root: Path
    objects: Objects
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def site(self) -> Site:
        return Site(LocalStore(self.root, PROJECT))

    def publish(self, pieces: Sequence[Piece] = PIECES, scope: Scope = MAIN) -> None:
        bodies = [PageBody(piece.url, piece.text, f"# {piece.title}\n\n{piece.text}\n") for piece in pieces]
        self.site.publish(pieces, scope, bodies)

    def push(self, scope: Scope = MAIN, public: Sequence[str] | None = None) -> Pushed:
        current = read_current(self.root / scope.name)
        assert current is not None
        lease = ScopeLease(
            self.objects,
            scope,
            Writer(host="host", pid=1, run="", disk=str(self.root)[-64:]),
            clock=lambda: datetime.now(UTC),
            sleep=lambda _: time.sleep(0.01),
        )
        with holding(lease, 60.0, lambda _: None):
            folder = self.root / scope.name / current.live
            return push_generation(self.objects, lease, folder, self.settings, public, datetime.now(UTC))

    def publish_and_push(self, pieces: Sequence[Piece] = PIECES, scope: Scope = MAIN) -> Pushed:
        self.publish(pieces, scope)
        return self.push(scope)


@dataclass
class Reader:
    """Pulls into its own folder, and answers from there."""

    root: Path
    objects: Objects

    def pull(self, scope: Scope = MAIN, max_bytes: int = GIGABYTE) -> Pulled:
        return pull_scope(self.objects, self.root, scope, max_bytes=max_bytes)

    def holds(self, scope: Scope = MAIN) -> list[object]:
        return index_contents(self.root, scope)

    def generations(self, scope: Scope = MAIN) -> list[str]:
        """Folders and temporary files of the scope, but for the files that every scope has."""
        names = {path.name for path in (self.root / scope.name).iterdir()}
        return sorted(names - {"CURRENT", "VERIFIED", "artifact.json"})


def index_contents(root: Path, scope: Scope = MAIN) -> list[object]:
    """Return the records, vectors and page texts of the index in a folder, read and verified again."""
    store = LocalStore(root, PROJECT)
    assert store.verify(scope) == []
    reader = store.reader(scope)
    pairs = list(store.fingerprints(scope))
    ids = [record_id for record_id, _ in pairs]
    texts = [(url, reader.catalogue.page_body(url)) for url, _ in store.body_digests(scope)]
    return [reader.generation, pairs, reader.vectors.vectors_of(ids).tobytes(), texts]
