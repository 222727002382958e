"""Where vectors, words and records are kept: one file or folder per store."""

from collections.abc import Sequence
from pathlib import Path

from searchsocket.settings.model import VectorSettings
from searchsocket.stores.base import VectorStore


def make_store(
    settings: VectorSettings, state_dir: Path, project_id: str, *, synonyms: Sequence[Sequence[str]] = ()
) -> VectorStore:
    """The store that the settings name; nothing is opened or written yet, and an engine is imported when it is named.

    Args:
        state_dir: `vector.local.path` is taken relative to the folder that holds it; the default lies inside.
        synonyms: `ranking.synonyms`; only those who search need them.
    """
    from searchsocket.text.synonyms import make_synonyms

    words = make_synonyms(synonyms)  # the word index is ours, wherever the vectors lie
    match settings.provider:
        case "local":
            from searchsocket.stores.local import LocalStore

            root = index_folder(settings, state_dir)
            return LocalStore(root, project_id, max_records=settings.local.max_records, synonyms=words)


def index_folder(settings: VectorSettings, state_dir: Path) -> Path:
    """Where the local store lies."""
    return state_dir.parent / settings.local.path if settings.local.path else state_dir / "index"
