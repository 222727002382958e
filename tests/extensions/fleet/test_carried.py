"""Settings that travel with an index: all that change answers, and none of the indexer's own."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import ArtifactInvalid, ConfigMissing
from searchsocket.extensions.fleet.documents import carried_settings, with_carried
from searchsocket.project.settings.model import Settings


def settings(**sections: object) -> Settings:
    return Settings.model_validate_json(json.dumps(sections))


def test_the_name_of_every_collection_travels() -> None:
    """Otherwise a reader would search a collection that is named by its own project."""
    vector = Settings().vector.model_dump()
    providers = Settings().vector.providers()
    named = [(store, key) for store in providers for key, value in vector[store].items() if value == ""]
    names = {"collection", "index", "table"}
    assert {key for store, key in named if store != "local"} == names
    for store, key in named:
        carried = carried_settings(settings(vector={store: {key: "shop"}}))
        assert carried["vector"].get(store, {}) == ({} if store == "local" else {key: "shop"})


INDEXER = settings(
    project={"id": "handbook", "base_url": "https://example.com/docs"},
    embeddings={
        "provider": "openai", "model": "text-embedding-3-small", "dimensions": 256, "api_key_env": "SECRET_VARIABLE",
        "base_url": "http://user:password@10.0.0.7:11434/v1",
    },
    ranking={"synonyms": [["k8s", "kubernetes"]], "candidate_k": 30, "weights": {"depth": 0.5}},
    state={"dir": "/srv/private/state"},
    vector={"local": {"path": "/srv/private/index"}},
    api={"key_env": "OTHER_SECRET", "trusted_proxies": ["10.0.0.1"]},
)  # fmt: skip


def test_a_machine_that_names_the_provider_answers_as_the_indexer() -> None:
    settings_here = with_carried(settings(embeddings={"provider": "openai"}), carried_settings(INDEXER), "here")
    assert settings_here.ranking == INDEXER.ranking
    assert settings_here.embeddings == Settings().embeddings.model_copy(
        update={"provider": "openai", "model": "text-embedding-3-small", "dimensions": 256}
    )
    assert settings_here.project.base_url == "https://example.com/docs"


@pytest.mark.parametrize(
    ("carried", "name"),
    [
        ({"embeddings": {"provider": "openai"}}, r"embeddings\.provider"),
        ({"embeddings": {"provider": "voyage"}}, r"embeddings\.provider"),
        ({"vector": {"provider": "pinecone"}}, r"vector\.provider"),
        ({"vector": {"provider": "milvus"}}, r"vector\.provider"),
    ],
)
def test_an_artifact_chooses_no_provider_that_this_machine_does_not_name(carried: dict[str, object], name: str) -> None:
    """The queries of visitors would go there, with the key of this machine."""
    with pytest.raises(ConfigMissing, match=name):
        with_carried(Settings(), carried, "here")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//host", "https://"])
def test_an_artifact_carries_no_address_that_is_not_of_the_web(url: str) -> None:
    with pytest.raises(ArtifactInvalid, match=r"project\.base_url"):
        with_carried(Settings(), {"project": {"base_url": url}}, "here")


def test_keys_addresses_and_paths_stay_where_they_are() -> None:
    text = json.dumps(carried_settings(INDEXER))
    for secret in ("SECRET", "password", "10.0.0", "/srv"):
        assert secret not in text


def test_a_setting_of_this_machine_counts_before_the_one_that_came() -> None:
    local = settings(embeddings={"provider": "openai"}, ranking={"weights": {"depth": 0.0}, "synonyms": []})
    ranking = with_carried(local, carried_settings(INDEXER), "here").ranking
    assert (ranking.weights.depth, ranking.synonyms, ranking.candidate_k) == (0.0, (), 30)


def test_a_model_in_a_folder_of_the_indexer_is_named_and_must_be_set_here(tmp_path: Path) -> None:
    folder = tmp_path / "secret-home" / "my-model"
    carried = carried_settings(settings(embeddings={"provider": "onnx", "model": str(folder)}))
    assert "secret-home" not in json.dumps(carried)
    with pytest.raises(ConfigMissing, match=r"'my-model'.*embeddings\.model"):
        with_carried(Settings(), carried, "here")
    here = settings(embeddings={"model": "/models/mine"})
    assert with_carried(here, carried, "here").embeddings.model == "/models/mine"


@pytest.mark.parametrize(
    "carried",
    [
        {"state": {"dir": "/"}}, {"api": {"key_env": "HOME"}}, {"embeddings": {"base_url": "http://evil.example"}},
        {"embeddings": {"api_key_env": "HOME"}}, {"project": {"id": "other"}}, {"ranking": {"candidate_k": 10**9}},
        {"ranking": {"unknown": 1}}, {"ranking": 3}, {"ranking": {"synonyms": [["a"]]}}, {"embeddings": None},
        {"extract": {"converters": ["os:system"]}},
    ],
)  # fmt: skip
def test_a_setting_that_must_not_travel_is_refused(carried: dict[str, object]) -> None:
    """Whoever may write artefacts must not choose where a key is sent, or what code runs."""
    with pytest.raises(ArtifactInvalid, match="here contains (invalid )?settings"):
        with_carried(Settings(), carried, "here")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
SECTIONS = st.sampled_from(["embeddings", "ranking", "project", "state", "api", ""])
KEYS = st.sampled_from(["provider", "model", "base_url", "synonyms", "weights", "candidate_k", "x"])


@given(st.dictionaries(SECTIONS, st.dictionaries(KEYS, VALUES, max_size=4) | VALUES, max_size=4))
def test_any_content_gives_settings_or_a_refusal(carried: dict[str, object]) -> None:
    with suppress(ArtifactInvalid, ConfigMissing):
        assert isinstance(with_carried(Settings(), carried, "here"), Settings)
