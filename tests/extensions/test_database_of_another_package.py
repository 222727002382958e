"""An extension of another distribution brings a database with settings of its own."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from small_site import write_site

from searchsocket import extensions
from searchsocket.errors import ConfigError
from searchsocket.extensions.base import Extension, Store
from searchsocket.extensions.fleet.documents import carried_settings
from searchsocket.project.settings import load
from searchsocket.project.settings.model import Settings, with_sections
from searchsocket.project.settings.section import SettingsSection
from searchsocket.stores import make_tables


class ShelfSettings(SettingsSection):
    board: str = ""


class Shelf:
    def __init__(self, board: str) -> None:
        self.board = board


def make_shelf(settings: ShelfSettings, project_id: str, environ: Mapping[str, str]) -> Shelf:
    return Shelf(settings.board or project_id)


SHELF = Extension(
    name="shelf", store=Store(settings=f"{__name__}:ShelfSettings", tables=f"{__name__}:make_shelf", name_key="board")
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(extensions, "installed", lambda: (SHELF,))
    monkeypatch.setattr(load, "_all_settings", lambda: with_sections(Settings, (SHELF,)))
    return write_site(tmp_path)


@pytest.mark.parametrize("variables", [{}, {"SEARCHSOCKET__VECTOR__SHELF__BOARD": "oak"}])
def test_its_settings_are_a_section_of_the_vectors(root: Path, variables: dict[str, str]) -> None:
    board = "" if variables else 'shelf.board = "oak"'
    (root / "searchsocket.toml").write_text(f'[vector]\nprovider = "shelf"\n{board}\n')
    settings = load.load_settings(root, variables)
    assert make_tables(settings.vector, "shop", {}).board == "oak"  # type: ignore[attr-defined]
    assert carried_settings(settings)["vector"]["shelf"] == {"board": "oak"}


def test_a_wrong_key_gets_the_nearest_one(root: Path) -> None:
    (root / "searchsocket.toml").write_text('[vector.shelf]\nbord = "oak"\n')
    with pytest.raises(ConfigError, match=r"unknown key vector\.shelf\.bord .* did you mean vector\.shelf\.board\?"):
        load.load_settings(root, {})


def test_a_database_with_the_name_of_another_setting_is_refused() -> None:
    occupied = Extension(name="min_recall", store=SHELF.store)
    with pytest.raises(ConfigError, match="'min_recall', which is a section of the settings"):
        with_sections(Settings, (occupied,))
