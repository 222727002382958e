"""A glossary: `glossary.toml` maps terms to definitions, callers look terms up, and runs count the pages of each.

This module is imported at each start of searchsocket, so it only names the parts.
"""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="glossary",
    settings=f"{__name__}.settings:GlossarySettings",
    capabilities=f"{__name__}.capability:CAPABILITIES",
    assets=f"{__name__}.asset:glossary_assets",
    stages=f"{__name__}.stage:STAGES",
    input_paths=("file",),
    commands={"glossary": Command(summary="Show the definition of a term.")},
)
