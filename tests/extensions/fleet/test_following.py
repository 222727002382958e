"""A reader that follows an object store: what it answers from while that is silent, broken or ahead."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from search_site import MAIN, PROJECT, Piece

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, ScopeNotIndexed
from searchsocket.extensions.fleet.documents import pointer_name
from searchsocket.extensions.fleet.follow import PulledStore
from searchsocket.extensions.fleet.objects.base import Objects, read
from searchsocket.types import Scope
from tests.extensions.fleet.machines import GIGABYTE, PIECES, Indexer

PREVIEW = Scope(PROJECT, "preview")
POLL_S = 60.0


@dataclass
class Outage:
    """Objects that can be made unreachable; counts the reads."""

    objects: Objects
    address: str = "file:///objects"
    is_out: bool = False
    reads: list[str] = field(default_factory=list)

    def stream(self, name: str) -> Iterator[bytes]:
        self.reads.append(name)
        if self.is_out:
            raise ArtifactsUnavailable("the object store is out")
        return self.objects.stream(name)


@dataclass
class Follower:
    """A store that follows, with a clock of its own."""

    root: Path
    place: Outage
    now: float = 1000.0

    def __post_init__(self) -> None:
        self.store = PulledStore(
            self.place, self.root, PROJECT, poll_s=POLL_S, max_bytes=GIGABYTE, monotonic=lambda: self.now
        )  # type: ignore[arg-type]

    def later(self, seconds: float = POLL_S) -> list[str]:
        """Time goes on, and the service looks around; codes of what it found."""
        self.now += seconds
        return [error.code for error in self.store.refresh()]

    @property
    def live(self) -> str:
        return self.store.reader(MAIN).generation.name

    @property
    def trouble(self) -> Exception | None:
        return self.store.answering(MAIN).trouble


@pytest.fixture
def follower(tmp_path: Path, objects: Objects) -> Follower:
    return Follower(tmp_path / "reader", Outage(objects))


def edit(indexer: Indexer, text: str = "More about ropes.") -> str:
    return indexer.publish_and_push([Piece("/new", text)]).generation


def test_a_new_generation_is_fetched_when_it_is_time_to_look(indexer: Indexer, follower: Follower) -> None:
    first = indexer.publish_and_push().generation
    assert follower.live == first
    second = edit(indexer)
    request_count = len(follower.place.reads)
    assert follower.later(POLL_S / 3) == []
    assert (follower.live, len(follower.place.reads)) == (first, request_count)
    assert follower.later() == []
    assert (follower.live, follower.trouble) == (second, None)


def test_a_query_asks_the_object_store_nothing(indexer: Indexer, follower: Follower) -> None:
    indexer.publish_and_push()
    _ = follower.live
    request_count = len(follower.place.reads)
    for _ in range(20):
        follower.store.reader(MAIN)
        follower.store.answering(MAIN)
    assert len(follower.place.reads) == request_count


def test_an_outage_leaves_the_old_generation_and_health_says_so(indexer: Indexer, follower: Follower) -> None:
    first = indexer.publish_and_push().generation
    assert follower.live == first
    follower.place.is_out = True
    assert follower.later() == ["ARTIFACTS_UNAVAILABLE"]
    assert follower.live == first
    assert isinstance(follower.trouble, ArtifactsUnavailable)
    second = edit(indexer)
    follower.place.is_out = False
    assert follower.later() == []
    assert (follower.live, follower.trouble) == (second, None)


def test_a_place_that_never_answers_is_noticed(indexer: Indexer, follower: Follower) -> None:
    """A hanging fetch raises nothing, so the health check must report it."""
    indexer.publish_and_push()
    _ = follower.live
    follower.now += 2 * POLL_S
    assert follower.trouble is None
    follower.now += 10 * POLL_S
    assert "has not answered" in str(follower.trouble)


def test_after_a_restart_in_an_outage_what_was_fetched_answers(
    indexer: Indexer, follower: Follower, tmp_path: Path
) -> None:
    first = indexer.publish_and_push().generation
    assert follower.live == first
    again = Follower(follower.root, follower.place)
    follower.place.is_out = True
    assert again.live == first
    assert isinstance(again.trouble, ArtifactsUnavailable)
    nothing = Follower(tmp_path / "new", follower.place)
    with pytest.raises(ArtifactsUnavailable):
        nothing.store.reader(MAIN)
    with pytest.raises(ArtifactsUnavailable):
        nothing.store.answering(MAIN)


def test_a_refused_generation_is_retried_after_growing_pauses(
    indexer: Indexer, follower: Follower, objects: Objects
) -> None:
    """Else a damaged file of a gigabyte would be fetched every minute."""
    first = indexer.publish_and_push().generation
    assert follower.live == first
    sound = read(objects, pointer_name("main"), 10_000)
    objects.put(pointer_name("main"), b"damaged")
    assert follower.later() == ["ARTIFACT_INVALID"]
    request_count = follower.place.reads.count(pointer_name("main"))
    for _ in range(40):
        follower.later()
    assert 2 < follower.place.reads.count(pointer_name("main")) - request_count < 10
    assert follower.live == first
    assert isinstance(follower.trouble, ArtifactInvalid)
    objects.put(pointer_name("main"), sound)
    second = edit(indexer)
    follower.later(1000)
    assert (follower.live, follower.trouble) == (second, None)


def test_a_scope_is_fetched_when_it_is_first_asked_for_and_followed_then(indexer: Indexer, follower: Follower) -> None:
    """Only the trusted can ask for others than the public ones; each name that is unknown is asked for once a while."""
    indexer.publish_and_push()
    assert follower.live
    for _ in range(5):
        with pytest.raises(ScopeNotIndexed):
            follower.store.reader(PREVIEW)
    assert follower.place.reads.count(pointer_name("preview")) == 1
    indexer.publish_and_push(PIECES[:3], PREVIEW)
    follower.later()
    assert follower.store.reader(PREVIEW).generation.records == 3
    indexer.publish_and_push(PIECES[:5], PREVIEW)
    follower.later()
    assert follower.store.reader(PREVIEW).generation.records == 5


def test_processes_share_what_one_of_them_fetched(indexer: Indexer, follower: Follower) -> None:
    indexer.publish_and_push()
    assert follower.live
    request_count = len(follower.place.reads)
    beside = Follower(follower.root, follower.place)
    assert beside.live == follower.live
    assert follower.place.reads[request_count:] == [pointer_name("main")]
