"""A store of another package: the documented example, and packages that fail."""

from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import NoReturn

import pytest

from searchsocket.errors import ConfigError, ConfigMissing, SearchSocketError, VectorBackendUnavailable
from searchsocket.project.settings.model import VectorSettings
from searchsocket.stores import installed, make_vectors
from searchsocket.stores.base.tables import VectorTables
from searchsocket.system import plugins
from searchsocket.testing.stores import StoreContract
from searchsocket.types import Scope

EXAMPLE = Path(__file__).parents[2] / "examples" / "sqlite_store"
KEY = "sk-secret-of-the-store"


def install(monkeypatch: pytest.MonkeyPatch, name: str, target: str) -> None:
    points = EntryPoints([EntryPoint(name, target, installed.GROUP)])
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)


@pytest.fixture
def sqlite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    install(monkeypatch, "sqlite", "searchsocket_sqlite:make")


@pytest.mark.usefixtures("sqlite")
class TestSqliteStore(StoreContract):
    """The example keeps every promise."""

    @pytest.fixture
    def tables(self, tmp_path: Path, sqlite: None) -> VectorTables:
        settings = VectorSettings(provider="sqlite", options={"path": str(tmp_path / "vectors.sqlite")})
        return installed.make_installed(settings, {})


@pytest.mark.usefixtures("sqlite")
def test_a_package_reports_what_it_misses() -> None:
    with pytest.raises(ConfigMissing, match=r"needs `path` in \[vector.options\]"):
        make_vectors(VectorSettings(provider="sqlite"), "shop", {})


@pytest.mark.usefixtures("sqlite")
def test_an_unknown_name_gets_the_known_ones() -> None:
    with pytest.raises(ConfigMissing, match=r"'sqlight', .* \(local, milvus, pinecone.*\) .* package \(sqlite\); "):
        make_vectors(VectorSettings(provider="sqlight"), "shop", {})


def test_options_of_a_built_in_store_are_refused() -> None:
    with pytest.raises(ValueError, match="the provider 'milvus' reads none; use its own section"):
        VectorSettings(provider="milvus", options={"path": "x"})


def _retain(settings: VectorSettings) -> None:
    vectors = make_vectors(settings, "shop", {})
    assert vectors is not None
    vectors.retain(Scope("shop", "main"), [])


def make_nothing(options: Mapping[str, object], environ: Mapping[str, str]) -> NoReturn:
    raise ValueError(f"no luck with {KEY}")


class Broken:
    max_rows = 10
    tolerance = 0.0

    def dimensions(self) -> Sequence[int]:
        raise ValueError(f"no luck with {KEY}")


def make_broken(options: Mapping[str, object], environ: Mapping[str, str]) -> Broken:
    return Broken()


def make_odd(options: Mapping[str, object], environ: Mapping[str, str]) -> object:
    return object()


@pytest.mark.parametrize(
    ("target", "kind", "message"),
    [
        ("make_odd", ConfigError, "the store 'odd' must have max_rows, of type int"),
        ("make_nothing", ConfigError, r"the store 'odd' could not be created from the entry point .* \(ValueError\)"),
        ("not_there", ConfigError, r"could not be created from the entry point .* \(AttributeError\)"),
        ("make_broken", VectorBackendUnavailable, r"^the store 'odd' failed \(ValueError\)$"),
    ],
)
def test_a_defect_of_another_package_is_an_error_of_ours(
    monkeypatch: pytest.MonkeyPatch, target: str, kind: type[SearchSocketError], message: str
) -> None:
    """Without its message, which may contain a key."""
    install(monkeypatch, "odd", f"{__name__}:{target}")
    with pytest.raises(kind, match=message) as raised:
        _retain(VectorSettings(provider="odd"))
    assert raised.value.__context__ is None
    assert KEY not in str(raised.value)
