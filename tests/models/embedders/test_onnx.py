"""Sentence-transformers folders on ONNX Runtime: a tiny random BERT always, MiniLM where it is at hand."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.models.embedders import make_embedder
from searchsocket.models.embedders.onnx import OnnxEmbedder, find_model, folder_name, load_model
from searchsocket.project.settings.model import EmbeddingSettings
from searchsocket.testing.embedder import EmbedderContract

pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")

TINY = Path(__file__).parent / "tiny-onnx"  # made by `python -m training.tiny_onnx`
MINILM = Path(os.environ.get("SEARCHSOCKET_MINILM", ""))
needs_minilm = pytest.mark.skipif(
    not (MINILM / "tokenizer.json").is_file(),
    reason="SEARCHSOCKET_MINILM names no folder of all-MiniLM-L6-v2 (see training/README.md)",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the tiny model that a test may change."""
    return Path(shutil.copytree(TINY, tmp_path / "tiny"))


class TestOnnxEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> OnnxEmbedder:
        return OnnxEmbedder(TINY, threads=3)

    def test_it_pools_the_mean_of_all_tokens(self, folder: Path) -> None:
        """Unless the folder asks for the first token."""
        mean = OnnxEmbedder(folder).embed(["install the package"], "query")
        pooling = folder / "1_Pooling" / "config.json"
        pooling.parent.mkdir()
        pooling.write_text(json.dumps({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}))
        assert np.array_equal(OnnxEmbedder(folder).embed(["install the package"], "query"), mean)
        pooling.write_text(json.dumps({"pooling_mode_cls_token": True}))
        assert not np.allclose(OnnxEmbedder(folder).embed(["install the package"], "query"), mean)

    def test_texts_are_truncated_to_the_models_length(self, embedder: OnnxEmbedder) -> None:
        assert embedder.limits.tokens_a_text == 32
        long, longer = embedder.embed(["word " * 30, "word " * 500], "passage")
        assert np.array_equal(long, longer)
        assert embedder.count_tokens("word " * 500) == 502

    def test_a_model_gets_the_prompts_that_it_was_trained_with(self, folder: Path, embedder: OnnxEmbedder) -> None:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "how to "}}))
        prompted = OnnxEmbedder(folder)
        plain = embedder.embed(["how to install", "install"], "query")
        assert np.array_equal(prompted.embed(["install"], "query")[0], plain[0])
        assert np.array_equal(prompted.embed(["install"], "passage")[0], plain[1])

    def test_int8_is_preferred_and_the_id_tells_the_weights(self, folder: Path, embedder: OnnxEmbedder) -> None:
        assert embedder.model_id == OnnxEmbedder(TINY).model_id
        shutil.copy(folder / "onnx" / "model.onnx", folder / "onnx" / "model_int8.onnx")
        (folder / "onnx" / "model.onnx").write_bytes(b"not a model")
        assert OnnxEmbedder(folder).model_id.rpartition("-")[2] == embedder.model_id.rpartition("-")[2]
        tokenizer = folder / "tokenizer.json"
        tokenizer.write_text(tokenizer.read_text().replace("autumn", "winter"))
        assert OnnxEmbedder(folder).model_id.rpartition("-")[2] != embedder.model_id.rpartition("-")[2]

    @pytest.mark.parametrize(
        ("spoil", "error", "message"),
        [
            (lambda folder: (folder / "tokenizer.json").unlink(), ConfigMissing, "no tokenizer.json"),
            (lambda folder: shutil.rmtree(folder / "onnx"), ConfigMissing, "no model_int8.onnx"),
            (lambda folder: (folder / "onnx" / "model.onnx").write_bytes(b"x"), ConfigError, "not a model"),
            (lambda folder: (folder / "tokenizer.json").write_text("{"), ConfigError, "tokenizer"),
            (lambda folder: (folder / "sentence_bert_config.json").write_text("{"), ConfigError, "not readable JSON"),
            (
                lambda folder: (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]'),
                ConfigError,
                "Dense",
            ),
        ],
    )
    def test_a_broken_folder_is_named(
        self, folder: Path, spoil: Callable[[Path], object], error: type[Exception], message: str
    ) -> None:
        spoil(folder)
        with pytest.raises(error, match=message):
            OnnxEmbedder(folder)


class TestFindModel:
    def test_a_folder_is_taken_as_it_is(self, tmp_path: Path) -> None:
        (tmp_path / "model").mkdir()
        assert find_model("model", tmp_path) == tmp_path / "model"

    def test_the_hubs_cache_is_read_without_network(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        cached = tmp_path / "models--acme--tiny-embedder"
        shutil.copytree(TINY, cached / "snapshots" / ("0" * 40))
        (cached / "refs").mkdir()
        (cached / "refs" / "main").write_text("0" * 40)
        model = find_model("acme/tiny-embedder", tmp_path)
        assert folder_name(model) == "tiny-embedder"
        assert OnnxEmbedder(model).model_id.startswith("onnx-tiny-embedder-")

    @pytest.mark.parametrize("name", ["acme/not-there", "not a name", "../../etc/passwd", "a/b/c"])
    def test_a_missing_model_explains_how_to_get_it(
        self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
        with pytest.raises(ConfigMissing, match="Hugging Face cache"):
            find_model(name, tmp_path)

    def test_it_is_made_by_name(self) -> None:
        embedder = make_embedder(EmbeddingSettings(provider="onnx", model=str(TINY)), {})
        assert embedder.model_id.startswith("onnx-tiny-onnx-")


@needs_minilm
class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> OnnxEmbedder:
        return load_model(MINILM)

    def test_cosines_are_those_of_the_original(self, embedder: OnnxEmbedder) -> None:
        """The model card's example; int8 moves them a little."""
        rows = embedder.embed(
            ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"],
            "passage",
        )
        assert rows[1:] @ rows[0] == pytest.approx([0.695, 0.943, 0.257], abs=0.04)
