"""Effects of `vector.options`: settings of the store of an installed package; the documented example stands for it."""

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

from searchsocket.stores.installed import GROUP
from tests.settings.lab import Effect, Lab, outcome

EXAMPLE = Path(__file__).parents[2] / "examples" / "sqlite_store"


def install(lab: Lab) -> None:
    """The example, as an installed package; its file is in the folder of the site."""
    lab.patch.chdir(lab.root)
    lab.patch.syspath_prepend(str(EXAMPLE))
    point = EntryPoint("sqlite", "searchsocket_sqlite:make", GROUP)
    lab.patch.setattr("searchsocket.system.plugins.entry_points", lambda **_: EntryPoints([point]))


EFFECTS = (
    Effect("vector.options", {"path": "vectors.sqlite"}, lambda lab: outcome(lab.index, "[vector.options]"),
           "CONFIG_MISSING", "ok", given={"vector.provider": "sqlite"}, prepare=install, anew=True),
)  # fmt: skip
