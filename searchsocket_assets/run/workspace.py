"""The workspace file of Dagster's processes."""

from pathlib import Path

import searchsocket_assets


def workspace_file() -> Path:
    """Return the path of `workspace.yaml`: in an installed package, else at the top of the checkout.

    Raises:
        FileNotFoundError: Neither exists, because the package was built without it.
    """
    package = Path(searchsocket_assets.__file__).parent
    for path in (package / "workspace.yaml", package.parent / "workspace.yaml"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{package / 'workspace.yaml'} does not exist; install searchsocket again")
