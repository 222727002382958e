"""Rows of a generation: an edit writes one block of them, and what a block says is checked."""

import hashlib

import numpy as np
import pytest

from searchsocket.stores.local.layout import PackEntry
from searchsocket.stores.local.numbering import RowNames, read_blocks, row_blocks

COUNT = 40_000
PACKS = [PackEntry(f"{number:032x}", COUNT) for number in (0xFFFF << 112, 5 << 90, 1 << 77)]


def names(count: int = COUNT) -> RowNames:
    random = np.random.default_rng(1)
    ids = np.array([f"k{row:06}".encode() for row in range(count)], np.bytes_) if count else np.empty(0, "S1")
    hashes = random.integers(0, 256, (count, 32), np.uint8)
    places = np.stack([random.integers(0, 3, count), random.permutation(count)], axis=1).astype(np.uint32)
    return RowNames(ids, hashes, random.permutation(count).astype(np.uint32), places)


@pytest.mark.parametrize("count", [0, 1, COUNT])
def test_rows_come_back(count: int) -> None:
    before = names(count)
    after = read_blocks(list(row_blocks(before, PACKS)), PACKS)
    for one, other in zip(before, after, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_an_edit_changes_a_block() -> None:
    """Also where another pack moves the numbers of all packs."""
    before = names()
    old = list(row_blocks(before, PACKS))
    assert 60 <= len(old) <= 160
    assert max(map(len, old)) < 200_000
    places = before.places.copy()
    places[:, 0] = 3 - places[:, 0]
    row = 20_000
    before.hashes[row] ^= 1
    places[row, 0] = 0
    new = list(row_blocks(before._replace(places=places), [PackEntry(f"{77:032x}", 1), *reversed(PACKS)]))
    assert len(set(new) - set(old)) <= 2


def test_another_scope_writes_its_ids_alone() -> None:
    """Its records are the same, so all else is; ids that are hashes take 20 bytes."""
    blocks = []
    for scope in ("main", "preview"):
        ids = [hashlib.sha1(f"{scope}{row}".encode()).hexdigest().encode() for row in range(COUNT)]
        own = names()._replace(ids=np.array(ids))
        blocks.append(list(row_blocks(own, PACKS)))
        assert read_blocks(blocks[-1], PACKS).ids.tolist() == ids
    assert blocks[0][1::2] == blocks[1][1::2]
    assert sum(map(len, blocks[1][::2])) < 22 * COUNT


def test_rows_of_unknown_packs_and_vectors_are_refused() -> None:
    blocks = list(row_blocks(names(), PACKS))
    for packs in ([], PACKS[:2], [*PACKS[:2], PackEntry(PACKS[2].name, 9)], [*PACKS[:2], PackEntry("no number", 9)]):
        with pytest.raises(ValueError, match="packs|int"):
            read_blocks(blocks, packs)


def test_a_wrong_block_is_refused() -> None:
    ids, block, *_ = row_blocks(names(), PACKS)
    for data in (b"", block[:-1], block.replace(b"'place'", b"'plaCe'"), block[:50]):
        with pytest.raises((ValueError, LookupError, TypeError)):
            read_blocks([ids, data], PACKS)
    for data in (b"", ids[:-1], ids.replace(b"'|S7'", b"'|S8'")):
        with pytest.raises((ValueError, LookupError, TypeError)):
            read_blocks([data, block], PACKS)
