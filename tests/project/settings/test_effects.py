"""Every key of the configuration has an effect that can be seen from outside (spec 26.1)."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from searchsocket.project.settings.load import all_keys
from tests.project.settings import (
    effects_of_answers,
    effects_of_artifacts,
    effects_of_branches,
    effects_of_code,
    effects_of_demand,
    effects_of_embeddings,
    effects_of_golden,
    effects_of_llms,
    effects_of_mcp,
    effects_of_metrics,
    effects_of_milvus,
    effects_of_pages,
    effects_of_pinecone,
    effects_of_redaction,
    effects_of_remote,
    effects_of_rerank,
    effects_of_runs,
    effects_of_sentences,
    effects_of_sources,
    effects_of_stores,
    effects_of_versions,
)
from tests.project.settings.lab import Effect, Lab
from tests.sources.web import serve

EFFECTS = (
    *effects_of_artifacts.EFFECTS,
    *effects_of_sources.EFFECTS,
    *effects_of_branches.EFFECTS,
    *effects_of_versions.EFFECTS,
    *effects_of_code.EFFECTS,
    *effects_of_pages.EFFECTS,
    *effects_of_embeddings.EFFECTS,
    *effects_of_runs.EFFECTS,
    *effects_of_llms.EFFECTS,
    *effects_of_mcp.EFFECTS,
    *effects_of_metrics.EFFECTS,
    *effects_of_milvus.EFFECTS,
    *effects_of_remote.EFFECTS,
    *effects_of_pinecone.EFFECTS,
    *effects_of_stores.EFFECTS,
    *effects_of_redaction.EFFECTS,
    *effects_of_rerank.EFFECTS,
    *effects_of_answers.EFFECTS,
    *effects_of_sentences.EFFECTS,
    *effects_of_golden.EFFECTS,
    *effects_of_demand.EFFECTS,
)
QUICK = {"embeddings.provider": "hash"}


def test_every_key_has_one_effect_in_the_table() -> None:
    """A new key fails here until somebody shows what it does."""
    assert sorted(effect.key for effect in EFFECTS) == sorted(all_keys())


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.key)
def test_another_value_is_seen(effect: Effect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same site is looked at twice; between the looks nothing but the key changes, and no run is forced."""
    assert effect.before != effect.after
    assert effect.key not in effect.given
    keys = ({} if effect.key == "embeddings.provider" else QUICK) | dict(effect.given)
    with ExitStack() as stack:
        lab = Lab(tmp_path / "first" / "site", monkeypatch)
        if effect.web:
            lab.web = stack.enter_context(serve())
            effect.web(lab.web)
        effect.prepare(lab)
        lab.configure(keys)
        before = effect.observe(lab)
        if effect.anew:
            lab = Lab(tmp_path / "second" / "site", monkeypatch, lab.web)
            effect.prepare(lab)
        lab.configure(keys | {effect.key: effect.value})
        after = effect.observe(lab)
    assert (before, after) == (effect.before, effect.after)
