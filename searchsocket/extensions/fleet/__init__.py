"""A fleet: an object store that several machines and projects share. It pushes and pulls indexes, with a lease."""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="artifacts",
    run_hooks=f"{__name__}.hooks:HOOKS",
    commands={
        "artifacts": Command(
            f"{__name__}.cli:artifacts", "Push indexes to an object store, and pull them elsewhere.", "config"
        )
    },
)
