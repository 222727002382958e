"""Sentence-transformers models on ONNX Runtime: all-MiniLM-L6-v2 by default, without torch and without network.

On documentation, it is level with the built-in model (nDCG@10 -.002). On questions about code, it gains .10 to .11,
more than the other models that were measured (docs/notes/ranking.md).

Each text runs alone on one thread, several texts in parallel. That makes a vector independent of its batch: an int8
model scales its activations by the largest in the whole batch, and even float32 kernels round differently for other
shapes. Padded batches were not measured.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import BadVectors, ConfigError, ConfigMissing
from searchsocket.models.embedders.base import Limits, TextKind
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Vector, Vectors

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
# First match wins. Files for one kind of CPU (`model_qint8_avx512.onnx`) are ignored: other machines differ.
MODEL_FILES = ("model_int8.onnx", "model_quantized.onnx", "model.onnx")
_MAX_TOKEN_CHARS = 64  # characters per token to read at most; the model would not use more
INSTALL_HINT = "install it with `pip install searchsocket[onnx]`"


class OnnxEmbedder:
    """Embedder from a folder with `onnx/model*.onnx`, `tokenizer.json` and sentence-transformers' small files."""

    price_per_million_tokens_usd = 0.0
    tolerance = 0.0
    is_instant = False
    is_remote = False

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        """Load the model of `folder`.

        Args:
            folder: The result of `find_model`.
            threads: Texts embedded in parallel; None = one for each CPU that this process may use.

        Raises:
            ConfigMissing: onnxruntime or tokenizers is not installed, or a file of the model is missing.
            ConfigError: The model needs a pooling or a layer that is not supported.
        """
        runtime, tokenizers = _libraries()
        path = _model_file(folder)
        tokenizer_path = folder / "tokenizer.json"
        if not tokenizer_path.is_file():
            raise ConfigMissing(f"no tokenizer.json in {folder}; every model of the onnx provider needs one")
        _refuse_other_layers(folder)
        self._cls = _pools_first_token(folder)
        self.limits = Limits(tokens_a_text=_max_tokens(folder))
        self._prompts = _prompts(folder)
        self._counter = _tokenizer(tokenizers, tokenizer_path)
        self._tokenizer = _tokenizer(tokenizers, tokenizer_path)
        self._tokenizer.enable_truncation(self.limits.tokens_a_text)
        self._session = _session(runtime, path)
        self._inputs = [node.name for node in self._session.get_inputs()]
        self._threads = threads or _cpus()
        self.model_id = f"onnx-{folder_name(folder)}-{_digest(path, tokenizer_path)}"
        self.dimensions = len(self._vector("a"))

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order (see `Embedder.embed`).

        Raises:
            BadVectors: The model returned a vector that is not finite, or zero.
        """
        prompt = self._prompts.get(kind, "")
        out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        if len(texts) <= 1 or self._threads == 1:
            for row, text in enumerate(texts):
                out[row] = self._vector(prompt + text)
            return out
        # Longest first, so that no thread is left alone with a long text at the end.
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        with ThreadPoolExecutor(self._threads) as pool:
            vectors = pool.map(self._vector, (prompt + texts[row] for row in order))
            for row, vector in zip(order, vectors, strict=True):
                out[row] = vector
        return out

    def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` with the model's start and end marks, before it is truncated."""
        return len(self._counter.encode(_encodable(text)).ids)

    def _vector(self, text: str) -> Vector:
        encodable = _encodable(text[: self.limits.tokens_a_text * _MAX_TOKEN_CHARS])
        ids = np.array([self._tokenizer.encode(encodable).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states: NDArray[np.float32] = self._session.run(None, {name: inputs[name] for name in self._inputs})[0][0]
        pooled = states[0] if self._cls else states.mean(axis=0)
        length = float(np.linalg.norm(pooled))
        if not np.isfinite(length) or length == 0.0:
            raise BadVectors(
                f"{self.model_id} returned a vector of length {length} for a text of {len(text)} characters"
            )
        unit: Vector = (pooled / length).astype(np.float32)
        return unit


@cache
def load_model(folder: Path) -> OnnxEmbedder:
    """Return the embedder of `folder`, loaded once per process.

    Raises:
        ConfigMissing, ConfigError: See `OnnxEmbedder`.
    """
    return OnnxEmbedder(folder)


def find_model(name: str, base: Path) -> Path:
    """Return the folder of a model: a folder (relative to `base`), else a name in the Hugging Face cache.

    Nothing is downloaded.

    Raises:
        ConfigMissing: The model is in neither place.
    """
    folder = (base / name).expanduser()
    if folder.is_dir():
        return folder
    _libraries()
    from huggingface_hub import errors, snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (errors.HFValidationError, errors.LocalEntryNotFoundError) as error:
        raise ConfigMissing(
            f"model {name!r} is neither a folder below {base} nor in the Hugging Face cache; fetch it once with "
            f"`hf download {name}`, or set embeddings.model to a folder"
        ) from error


def folder_name(folder: Path) -> str:
    """Return a readable name of the model in `folder`: the hub's name if it is cached, else the folder's name."""
    parts = folder.resolve().parts
    cached = [part for part in parts if part.startswith("models--")]
    return cached[-1].split("--")[-1] if cached else parts[-1]


def _cpus() -> int:
    """Return the number of CPUs that this process may use, or of all CPUs if the system does not report it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _libraries() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise ConfigMissing(f"the onnx provider needs {error.name}; {INSTALL_HINT}") from error
    return onnxruntime, tokenizers


def _model_file(folder: Path) -> Path:
    for inner in (folder / "onnx", folder):
        for name in MODEL_FILES:
            if (inner / name).is_file():
                return inner / name
    raise ConfigMissing(f"no {', '.join(MODEL_FILES)} in {folder} or its folder `onnx`")


def _session(runtime: Any, path: Path) -> "onnxruntime.InferenceSession":
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common base but Exception
        raise ConfigError(f"{path} is not a model that ONNX Runtime can load: {error}") from error


def _tokenizer(tokenizers: Any, path: Path) -> "Tokenizer":
    try:
        tokenizer: Tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more exact
        raise ConfigError(f"{path} is not a tokenizer that can be loaded: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _settings(path: Path) -> JsonObject:
    """Return the object in a JSON file; empty if there is no such file."""
    settings = _json(path)
    if not isinstance(settings, dict | None):
        raise ConfigError(f"{path} must contain a JSON object")
    return settings or {}


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is not readable JSON: {error}") from error


def _refuse_other_layers(folder: Path) -> None:
    supported = ("Transformer", "Pooling", "Normalize")
    types = [str(module.get("type")) for module in _json(folder / "modules.json") or () if isinstance(module, dict)]
    unsupported = [name for name in types if name.split(".")[-1] not in supported]
    if unsupported:
        raise ConfigError(f"{folder} needs layers that the onnx provider does not have: {', '.join(unsupported)}")


def _pools_first_token(folder: Path) -> bool:
    modes = _settings(folder / "1_Pooling" / "config.json")
    chosen = sorted(name for name, on in modes.items() if name.startswith("pooling_mode_") and on is True)
    if chosen not in ([], ["pooling_mode_mean_tokens"], ["pooling_mode_cls_token"]):
        raise ConfigError(f"{folder} pools with {', '.join(chosen)}; the onnx provider supports mean and cls")
    return chosen == ["pooling_mode_cls_token"]


def _max_tokens(folder: Path) -> int:
    stated = _settings(folder / "sentence_bert_config.json").get("max_seq_length")
    return int(stated or _settings(folder / "config.json").get("max_position_embeddings") or 512)


def _prompts(folder: Path) -> dict[TextKind, str]:
    """Return the prompt before a text by kind; models use different names for a passage."""
    stated = _settings(folder / "config_sentence_transformers.json").get("prompts") or {}
    return {"query": stated.get("query", ""), "passage": stated.get("passage") or stated.get("document", "")}


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def _encodable(text: str) -> str:
    """Replace lone surrogates in `text`, which have no UTF-8 form and which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
