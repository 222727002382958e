"""Random interleavings of machines that publish one scope: no page is lost without an error."""

from collections import Counter
from functools import lru_cache, partial
from itertools import pairwise

import pytest

from searchsocket.extensions.fleet import documents, lease
from searchsocket.extensions.fleet.documents import Pointer
from tests.extensions.fleet.lease_world import Bucket, Machine, World, pointers

INTERLEAVINGS = {2: 3_000, 3: 1_000}


@pytest.fixture(autouse=True)
def _each_pointer_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines read the same bytes again and again; parsing them is most of the time."""
    monkeypatch.setattr(lease, "parse_document", lru_cache(1_000)(documents.parse_document))


def run(seed: int, machines: int, bucket: Bucket | None = None) -> tuple[World, list[Machine]]:
    world = World(seed, bucket or Bucket())
    contents: dict[str, frozenset[str]] = {}
    disks = [Machine(world, number, contents) for number in range(machines)]
    world.run([partial(disk.runs, 2) for disk in disks])
    return world, disks


@pytest.mark.parametrize("machines", INTERLEAVINGS)
def test_no_page_is_lost_without_an_error(machines: int) -> None:
    """Deaths, wrong clocks, lost answers and late writes included; what a run reports is what readers get."""
    met: Counter[str] = Counter()
    for seed in range(INTERLEAVINGS[machines]):
        world, disks = run(seed, machines)
        history = pointers(world)
        live = history[-1].generation if history else ""
        final = disks[0].contents.get(live, frozenset())
        for disk in disks:
            assert disk.published <= final, f"seed {seed}"
            met.update(type(error).__name__ for error in disk.errors)
            met["published"] += len(disk.published)
        for before, after in pairwise(history):
            assert before.fence <= after.fence <= before.fence + 1, f"seed {seed}"
            if after.fence > before.fence:
                assert (after.lease is not None, after.generation) == (True, before.generation), f"seed {seed}"
            elif after.generation != before.generation:
                assert before.lease is not None, f"seed {seed}"
                assert after.lease == before.lease, f"seed {seed}"
    # Not because nothing happened: each error and each success is frequent.
    for name in ("published", "ScopeLocked", "PublishedElsewhere", "LeaseLost", "ArtifactsUnavailable"):
        assert met[name] > INTERLEAVINGS[machines] / 100, met


class Careless(Bucket):
    """Ignores the condition of a write that publishes."""

    def put_if(self, data: bytes, version: str | None) -> str:
        before = self.data and Pointer.model_validate_json(self.data).generation
        is_publish = before != Pointer.model_validate_json(data).generation
        return super().put_if(data, self.version if is_publish else version)


def test_the_search_finds_a_publish_without_a_condition() -> None:
    """The test above can fail."""
    lost = 0
    for seed in range(300):
        world, disks = run(seed, 2, Careless())
        final = disks[0].contents.get(pointers(world)[-1].generation, frozenset()) if world.bucket.history else set()
        lost += any(not disk.published <= final for disk in disks)
    assert lost > 0
