"""A glossary: `glossary.toml` maps terms to definitions, and callers look terms up.

This module is imported at each start of searchsocket, so it only names the parts.
"""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="glossary",
    settings=f"{__name__}.settings:GlossarySettings",
    capabilities=f"{__name__}.capability:CAPABILITIES",
    assets=f"{__name__}.asset:glossary_assets",
    commands={"glossary": Command(summary="Show the definition of a term.")},
)
