"""What is known of a project's pages between runs, behind a seam: `base` is what the pipeline may ask of it."""

from pathlib import Path

from searchsocket.state.base import DamagedRow, ProjectState, ScopeState
from searchsocket.state.sqlite.project import FILE as STATE_FILE
from searchsocket.state.sqlite.project import SqliteProject

__all__ = ["STATE_FILE", "DamagedRow", "ProjectState", "ScopeState", "make_state"]


def make_state(state_dir: Path) -> ProjectState:
    """The state of the project whose state folder this is; nothing is read or written yet."""
    return SqliteProject(state_dir)
