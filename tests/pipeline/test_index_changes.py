"""Changes that turn the live records into the chunks."""

from hypothesis import given
from hypothesis import strategies as st

from searchsocket.pipeline.stages.index_changes import Delete, IndexPlan, Keep, Upsert, changes, merged

LIVE_RECORDS = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.sampled_from(["1", "2"]))


@given(chunks=LIVE_RECORDS, live=LIVE_RECORDS, deleting=st.booleans(), force=st.booleans())
def test_the_changes_make_the_live_records_the_chunks(
    chunks: dict[str, str], live: dict[str, str], deleting: bool, force: bool
) -> None:
    """Nothing else is touched, and the numbers of the report are those of what is done."""
    pairs = list(merged(iter(sorted(chunks.items())), iter(sorted(live.items()))))
    steps = list(changes(pairs, deleting=deleting, force=force))
    assert [change.id for change in steps] == sorted({change.id for change in steps})
    after = dict(live)
    for change in steps:
        if isinstance(change, Upsert):
            assert force or chunks[change.id] != live.get(change.id)
            after[change.id] = chunks[change.id]
        elif isinstance(change, Delete):
            del after[change.id]
    unknown = set(live) - set(chunks)
    assert after == (chunks if deleting else chunks | {name: live[name] for name in unknown})
    assert {change.id for change in steps if isinstance(change, Keep)} == (set() if deleting else unknown)

    plan = IndexPlan(len(live))
    plan.count(steps)
    assert plan.upserted == sum(live.get(name) != value for name, value in chunks.items())
    assert plan.unchanged == sum(live.get(name) == value for name, value in chunks.items())
    assert (plan.deleted, plan.kept) == ((len(unknown), 0) if deleting else (0, len(unknown)))
    assert bool(plan.warnings()) == bool(plan.kept)


@given(chunks=LIVE_RECORDS, live=LIVE_RECORDS, deleting=st.booleans())
def test_pairs_that_are_alike_may_be_left_out(chunks: dict[str, str], live: dict[str, str], deleting: bool) -> None:
    """The state names only what changed since the last publish, and with it what came and went."""
    pairs = list(merged(iter(sorted(chunks.items())), iter(sorted(live.items()))))
    few = [pair for pair in pairs if pair[1] != pair[2]] + [("came and went", None, None)]
    assert list(changes(few, deleting=deleting, force=False)) == list(changes(pairs, deleting=deleting, force=False))
