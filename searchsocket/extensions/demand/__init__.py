"""Demand: visitors' searches, counted without knowing who they are, and reported with proposals."""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="demand",
    settings=f"{__name__}.settings:DemandSettings",
    endpoints=f"{__name__}.api:add_endpoints",
    assets=f"{__name__}.assets:demand_assets",
    commands={"demand": Command(f"{__name__}.cli:demand", "Show what visitors search for and do not find.", "diff")},
)
