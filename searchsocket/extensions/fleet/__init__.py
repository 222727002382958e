"""A fleet: indexes in an object store that machines share, and many projects in one service or server of agents."""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="artifacts",
    files=("artifacts",),
    run_hooks=f"{__name__}.hooks:HOOKS",
    sites=f"{__name__}.cli.sites:SITES",
    extends={"serve": f"{__name__}.cli.options:extend_serve", "mcp": f"{__name__}.cli.options:extend_mcp"},
    commands={
        "artifacts": Command(
            f"{__name__}.cli.artifacts:artifacts", "Push indexes to an object store, and pull them elsewhere.", "config"
        )
    },
)
