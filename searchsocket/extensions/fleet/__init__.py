"""A fleet: indexes in an object store that machines share, and many projects in one service or server of agents."""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="artifacts",
    settings=f"{__name__}.settings:ArtifactSettings",
    stays_here={"url": ""},
    files=("artifacts",),
    shared_vectors=f"{__name__}.vectors:shared_vectors",
    cluster=f"{__name__}.dask:DaskCluster",
    run_hooks=f"{__name__}.hooks:HOOKS",
    sites=f"{__name__}.cli.sites:SITES",
    options={"serve": f"{__name__}.cli.options:for_serve", "mcp": f"{__name__}.cli.options:for_mcp"},
    commands={
        "artifacts": Command(
            f"{__name__}.cli.artifacts:artifacts", "Push indexes to an object store, and pull them elsewhere.", "config"
        )
    },
)
