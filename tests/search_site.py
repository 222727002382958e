"""A small site of chunks in a real store, for tests of what answers queries."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search.continuation import Continuations
from searchsocket.search.engine import SearchEngine
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import make_record
from searchsocket.types import ChunkKind, Record, Scope

PROJECT = "site"
MAIN = Scope(PROJECT, "main")
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
PUBLISHED = "2026-05-01T11:00:00+00:00"  # an hour before


@dataclass(frozen=True)
class Piece:
    """A chunk, as short as a test can write it."""

    url: str
    text: str
    title: str = ""
    section: str = ""
    tags: tuple[str, ...] = ()
    links: int = 0
    weight: float = 1.0
    kind: ChunkKind = "section"
    description: str = ""
    ordinal: int = 0
    language: str = "en"
    facets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Site:
    """A published site and an engine over it."""

    store: LocalStore
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    settings: RankingSettings = field(default_factory=RankingSettings)

    @property
    def engine(self) -> SearchEngine:
        queries, words = QueryVectors(lambda _: self.embedder), Continuations(lambda: b"a key")
        return SearchEngine(self.store, queries, self.settings, lambda: NOW, continuations=words)

    def publish(
        self,
        pieces: Sequence[Piece],
        scope: Scope = MAIN,
        bodies: Sequence[PageBody] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        """Add pieces, and texts of pages, to what the scope holds and publish it."""
        records = [record_of(piece, scope, self.embedder.model_id) for piece in pieces]
        texts = [f"{record.page.title}\n{record.chunk.at.title}\n{record.chunk.body.text}" for record in records]
        self.store.upsert(records, self.embedder.embed(texts, "passage"), scope)
        self.store.stage_bodies(bodies, scope)
        self.store.publish(
            scope, PublishInfo(self.embedder.model_id, self.embedder.dimensions, PUBLISHED, aliases=aliases or {})
        )


def make_site(root: Path, pieces: Sequence[Piece]) -> Site:
    site = Site(LocalStore(root, PROJECT))
    site.publish(pieces)
    return site


def record_of(piece: Piece, scope: Scope = MAIN, model_id: str = "hash-512-v1") -> Record:
    anchor = piece.section.lower().replace(" ", "-")
    name = f"{scope.id}{piece.url}#{anchor}{piece.ordinal}{piece.kind}"
    return make_record(
        hashlib.sha256(name.encode()).hexdigest(),
        piece.text,
        project_id=scope.project_id,
        scope=scope.name,
        url=piece.url,
        title=piece.title or piece.url.strip("/").title() or "Home",
        section_title=piece.section,
        heading_path=(piece.section,) if piece.section else (),
        anchor=anchor,
        ref=f"{piece.url}#{anchor}~{piece.ordinal}",
        ordinal=piece.ordinal,
        kind=piece.kind,
        description=piece.description,
        route_file=f"src/routes{piece.url}/+page.svelte",
        route_resolution="exact",
        depth=piece.url.strip("/").count("/") + bool(piece.url.strip("/")),
        incoming_links=piece.links,
        tags=piece.tags,
        language=piece.language,
        facets=piece.facets,
        weight=piece.weight,
        model_id=model_id,
    )


DOCS = (
    Piece("/", "Welcome. This site tells how the garden robot is built, driven and repaired.", title="Garden robot"),
    Piece("/docs/install", "Installing the controller takes five minutes. Run `gr install --dry-run` first.",
          title="Installation", section="Install the controller", tags=("guide",), links=3),
    Piece("/docs/install", "To remove the controller, run gr uninstall and unplug the battery.",
          title="Installation", section="Remove it", tags=("guide",), ordinal=1),
    Piece("/docs/battery", "The battery lasts nine hours. Charge it in the dock; `batteryLevel` tells how full it is.",
          title="Battery", section="Charging", tags=("guide", "power"), links=8),
    Piece("/docs-old/battery", "Older robots have a lead battery, which is charged by a cable.",
          title="Lead battery", section="Charging", tags=("archive",)),
    Piece("/blog/winter", "In winter the robot sleeps under the stairs. The battery must be half full.",
          title="The robot in winter", section="Storage"),
    Piece("/docs/driving", "Steering is by voice: say left, right or halt. Speed is set in the app.",
          title="Driving", section="By voice"),
)  # fmt: skip
