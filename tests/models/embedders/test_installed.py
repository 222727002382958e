"""An embedder of another package: the documented example, as a wheel that is built and installed here."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest
from small_site import write_site

from searchsocket.errors import (
    BadVectors,
    ConfigError,
    ConfigMissing,
    EmbedderRefused,
    EmbedderUnavailable,
    SearchSocketError,
)
from searchsocket.models.embedders import installed, make_embedder
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.project.settings.model import EmbeddingSettings
from searchsocket.system import plugins
from searchsocket.testing.embedder import EmbedderContract
from tests.models.embedders.openai_server import DIMENSIONS, KEY, Reply, Server, error, serve

EXAMPLES = Path(__file__).parents[3] / "examples"
EXAMPLE = EXAMPLES / "voyage"


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


@pytest.fixture
def voyage(server: Server, monkeypatch: pytest.MonkeyPatch) -> Embedder:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    install(monkeypatch, "voyage", "searchsocket_voyage:make")
    return make_embedder(settings(server), {"VOYAGE_API_KEY": KEY})


def settings(server: Server) -> EmbeddingSettings:
    return EmbeddingSettings(provider="voyage", base_url=server.url, dimensions=DIMENSIONS)


def install(monkeypatch: pytest.MonkeyPatch, name: str, target: str) -> None:
    points = EntryPoints([EntryPoint(name, target, installed.GROUP)])
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)


class TestVoyage(EmbedderContract):
    """The example keeps every promise."""

    @pytest.fixture
    def embedder(self, voyage: Embedder) -> Embedder:
        return voyage


@pytest.fixture
def cohere(server: Server, monkeypatch: pytest.MonkeyPatch) -> Embedder:
    monkeypatch.syspath_prepend(str(EXAMPLES / "cohere"))
    install(monkeypatch, "cohere", "searchsocket_cohere:make")
    server.always = Reply(spoil=cohere_answer)
    own = EmbeddingSettings(provider="cohere", base_url=server.url, dimensions=DIMENSIONS)
    return make_embedder(own, {"COHERE_API_KEY": KEY})


def cohere_answer(answer: dict[str, Any]) -> dict[str, Any]:
    """The vectors in the form of Cohere's answers, twice as long."""
    return {"embeddings": {"float": [[2 * number for number in item["embedding"]] for item in answer["data"]]}}


class TestCohere(EmbedderContract):
    """The example keeps every promise."""

    @pytest.fixture
    def embedder(self, cohere: Embedder) -> Embedder:
        return cohere


def test_the_request_to_cohere(server: Server, cohere: Embedder) -> None:
    """As its reference has it; queries and passages are told apart."""
    cohere.embed(["a", "b"], "passage")
    cohere.embed(["c"], "query")
    model = {"model": "embed-v4.0", "output_dimension": DIMENSIONS, "embedding_types": ["float"], "truncate": "END"}
    assert server.requests == [
        {**model, "texts": ["a", "b"], "input_type": "search_document"},
        {**model, "texts": ["c"], "input_type": "search_query"},
    ]
    assert server.keys == {f"Bearer {KEY}"}


def test_the_request_to_voyage(server: Server, voyage: Embedder) -> None:
    """As its reference has it; queries and passages are told apart."""
    voyage.embed(["a", "b"], "passage")
    voyage.embed(["c"], "query")
    assert server.requests == [
        {"input": ["a", "b"], "input_type": "document", "model": "voyage-3.5", "output_dimension": DIMENSIONS},
        {"input": ["c"], "input_type": "query", "model": "voyage-3.5", "output_dimension": DIMENSIONS},
    ]
    assert server.keys == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(429, "limit", Retry_After="7"), EmbedderUnavailable),
        (error(500, "oops"), EmbedderUnavailable),
        (Reply(cut=True), EmbedderUnavailable),
        (error(401, "no"), EmbedderRefused),
        (Reply(spoil=lambda answer: {"data": []}), BadVectors),
    ],
)
def test_provider_failures_are_documented_errors(
    server: Server, voyage: Embedder, reply: Reply, kind: type[SearchSocketError]
) -> None:
    server.always = reply
    with pytest.raises(kind):
        voyage.embed(["a"], "passage")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(429, "limit", Retry_After="7"), EmbedderUnavailable),
        (error(500, "oops"), EmbedderUnavailable),
        (Reply(cut=True), EmbedderUnavailable),
        (error(401, "no"), EmbedderRefused),
        (Reply(spoil=lambda answer: {"embeddings": []}), BadVectors),
    ],
)
def test_failures_of_cohere_are_documented_errors(
    server: Server, cohere: Embedder, reply: Reply, kind: type[SearchSocketError]
) -> None:
    server.always = reply
    with pytest.raises(kind):
        cohere.embed(["a"], "passage")


def test_the_example_as_an_installed_wheel_makes_an_index(server: Server, tmp_path: Path) -> None:
    """Built and installed without a network; `provider = "voyage"` is all that a project says."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(build, cwd=EXAMPLE, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    target = ["--no-index", "--no-deps", "--target", str(tmp_path / "packages")]
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "pip", "install", "-q", "--python", sys.executable, *target, wheel], check=True)
    root = write_site(tmp_path / "site")
    (root / "searchsocket.toml").write_text(
        f'[embeddings]\nprovider = "voyage"\nbase_url = "{server.url}"\ndimensions = {DIMENSIONS}\n'
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path / "packages"), "VOYAGE_API_KEY": KEY}
    command = [sys.executable, "-m", "searchsocket.cli.main", "index", "--project", str(root), "--quiet"]
    result = subprocess.run(command, env=environ, cwd=EXAMPLE.parents[1], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert {request["model"] for request in server.requests} == {"voyage-3.5"}


class Odd(HashEmbedder):
    """Something is wrong with it."""

    def __init__(self, **parts: object) -> None:
        super().__init__()
        self.model_id = "odd-1"
        vars(self).update(parts)


def make_odd(settings: EmbeddingSettings, environ: Mapping[str, str]) -> Embedder:
    return Odd(**({"limits": None} if settings.model == "limits" else {"model_id": settings.model or "odd"}))


def make_nothing(settings: EmbeddingSettings, environ: Mapping[str, str]) -> Embedder:
    raise ValueError(f"no luck with {KEY}")


def make_exit(settings: EmbeddingSettings, environ: Mapping[str, str]) -> Embedder:
    raise SystemExit(3)  # as a module that is a program does when it is imported


@pytest.mark.parametrize(
    ("target", "model", "kind", "words"),
    [
        (f"{__name__}:make_odd", "limits", ConfigError, "must have limits, of type Limits"),
        (f"{__name__}:make_odd", "openai-small", ConfigError, "it must start with `odd-`"),
        (f"{__name__}:make_nothing", "", ConfigError, r"could not be created from the entry point .* \(ValueError\)"),
        (f"{__name__}:not_there", "", ConfigError, r"could not be created from the entry point .* \(AttributeError\)"),
        (f"{__name__}:make_exit", "", ConfigError, r"could not be created from the entry point .* \(SystemExit\)"),
        (
            "nowhere_at_all:make",
            "",
            ConfigError,
            r"could not be created from the entry point .* \(ModuleNotFoundError\)",
        ),
    ],
)
def test_an_object_that_is_no_embedder_is_refused(
    monkeypatch: pytest.MonkeyPatch, target: str, model: str, kind: type[SearchSocketError], words: str
) -> None:
    install(monkeypatch, "odd", target)
    with pytest.raises(kind, match=words):
        make_embedder(EmbeddingSettings(provider="odd", model=model), {})


def test_a_name_that_nothing_has_is_told_with_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "odd", "odd:make")
    with pytest.raises(ConfigMissing, match=r"'odt', which is neither .* \(odd\)"):
        make_embedder(EmbeddingSettings(provider="odt"), {})


def test_a_defect_of_another_package_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its words, which may hold a key."""
    install(monkeypatch, "odd", f"{__name__}:make_odd")
    embedder = make_embedder(EmbeddingSettings(provider="odd"), {})
    monkeypatch.setattr(HashEmbedder, "embed", lambda self, texts, kind: make_nothing(None, {}))  # type: ignore[arg-type]
    with pytest.raises(EmbedderRefused, match=r"^the embedder 'odd' failed \(ValueError\)$") as raised:
        embedder.embed(["a"], "passage")
    assert raised.value.__context__ is None
