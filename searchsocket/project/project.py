"""A project on disk: its root, settings, state folder, and the home of Dagster."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ConfigError, InvalidScope
from searchsocket.project.scopes import branch_in, is_scope_name, resolve_scope, stated_scope
from searchsocket.types import Scope

if TYPE_CHECKING:
    from searchsocket.project.settings.model import Settings, VectorSettings

HOME_VARIABLE = "DAGSTER_HOME"


@dataclass(frozen=True, slots=True)
class Project:
    """Paths and settings of one project (spec 6.4)."""

    root: Path
    settings: "Settings"
    id: str

    @property
    def state_dir(self) -> Path:
        return self.root / self.settings.state.dir

    @property
    def mirror_dir(self) -> Path:
        return self.state_dir / "pages"

    @property
    def dagster_home(self) -> Path:
        return self.state_dir / "dagster"

    def environment(self, environ: Mapping[str, str]) -> Mapping[str, str]:
        """Return the environment with the variables of `.env.local` and `.env` that the settings name."""
        from searchsocket.project.dotenv import with_named_variables

        return with_named_variables(self.root, self.settings, environ)

    def scope(self, environ: Mapping[str, str], override: str | None = None) -> Scope:
        """The scope for a command, see `scopes.stated_scope` and `scopes.resolve_scope`."""
        stated = stated_scope(self.settings.scope, self.root, environ, override)
        return Scope(self.id, resolve_scope(self.settings.scope, stated), branch_in(stated))

    def scope_named(self, name: str, branch: str = "") -> Scope:
        """A scope by its final name, as in stores and partitions, with its branch if known.

        Raises:
            InvalidScope: The name is not one that `sanitise_scope` can return.
        """
        if not is_scope_name(name):
            raise InvalidScope(f"{name[:80]!r} is not a scope name; use only letters, digits, '.', '_' and '-'")
        return Scope(self.id, name, branch or branch_in(name))


def open_project(root: Path, environ: Mapping[str, str]) -> Project:
    """Load the project in `root`; an empty or missing configuration file is valid.

    Raises:
        ConfigError: The configuration is invalid.
    """
    from searchsocket.project.settings.load import load_settings  # heavy: imports pydantic

    root = root.resolve()
    settings = _with_model_folder(load_settings(root, environ), root)
    return Project(root, settings, settings.project.id or _package_name(root) or root.name or "site")


def _with_model_folder(settings: "Settings", root: Path) -> "Settings":
    """Make `embeddings.model` absolute if it is a folder of the project, so that the working folder does not matter."""
    embeddings = settings.embeddings
    if embeddings.provider != "onnx" or not embeddings.model or not (root / embeddings.model).is_dir():
        return settings  # a name in the Hugging Face cache
    return settings.model_copy(
        update={"embeddings": embeddings.model_copy(update={"model": str(root / embeddings.model)})}
    )


def _package_name(root: Path) -> str:
    try:
        name = json.loads((root / "package.json").read_text(encoding="utf-8-sig")).get("name", "")
    except (OSError, ValueError, AttributeError):
        return ""  # no package name: the folder's name is used
    return name if isinstance(name, str) else ""


def index_folder(settings: "VectorSettings", state_dir: Path) -> Path:
    """The folder of records, words and local vectors."""
    return state_dir.parent / settings.local.path if settings.local.path else state_dir / "index"


def dagster_home(project: Project, environ: Mapping[str, str]) -> Path:
    """`DAGSTER_HOME` if it is set, otherwise `.searchsocket/dagster` of the project.

    Raises:
        ConfigError: `DAGSTER_HOME` is a relative path, which Dagster itself refuses.
    """
    text = environ.get(HOME_VARIABLE, "")
    if not text:
        return project.dagster_home
    home = Path(text).expanduser()
    if not home.is_absolute():
        raise ConfigError(f"{HOME_VARIABLE} is {text!r}; Dagster needs an absolute path")
    return home
