"""Where vectors, words and records are kept: one file or folder per store."""

from collections.abc import Sequence
from pathlib import Path

from searchsocket.settings.model import VectorSettings
from searchsocket.stores.base import VectorStore


def make_store(
    settings: VectorSettings, state_dir: Path, project_id: str, *, synonyms: Sequence[Sequence[str]] = ()
) -> VectorStore:
    """The store that the settings name; nothing is opened or written yet.

    Args:
        state_dir: `vector.local.path` is taken relative to the folder that holds it; the default lies inside.
        synonyms: `ranking.synonyms`; only those who search need them.
    """
    from searchsocket.stores.local import LocalStore
    from searchsocket.text.synonyms import make_synonyms

    root = index_folder(settings, state_dir)
    return LocalStore(root, project_id, max_records=settings.local.max_records, synonyms=make_synonyms(synonyms))


def index_folder(settings: VectorSettings, state_dir: Path) -> Path:
    """Where the local store lies."""
    return state_dir.parent / settings.local.path if settings.local.path else state_dir / "index"
