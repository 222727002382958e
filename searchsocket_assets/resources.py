"""The options of one launch, as a resource that the run configuration sets."""

from typing import Any, Literal

import dagster as dg
from pydantic import Field, create_model

from searchsocket.pipeline.run.options import OPTIONS, Option, RunOptions
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.site import DagsterSite

AS_CONFIGURED = "as-configured"
UNLIMITED = -1


def _config_field(option: Option) -> tuple[object, object]:
    """Type and field of an option in Dagster's configuration, which cannot express an unset choice."""
    if option.kind is bool:
        return bool, Field(default=False, description=option.help)
    if option.choices:
        choices = (AS_CONFIGURED, *option.choices)
        return Literal[choices], Field(default=AS_CONFIGURED, description=option.help)
    # With a value that means "use the settings", so that the launchpad shows the option; it would hide an unset one.
    return option.kind, Field(
        default=UNLIMITED, ge=UNLIMITED, description=f"{option.help} {UNLIMITED}: use the settings."
    )


_RunFields: Any = create_model(
    "_RunFields",
    __base__=dg.ConfigurableResource,
    **{option.name: _config_field(option) for option in OPTIONS},  # type: ignore[call-overload]
)


class IndexOptions(_RunFields):  # type: ignore[misc]
    """Options of one launch; one block of run configuration for the whole graph."""

    lock_timeout_s: float = Field(
        default=300.0, ge=0, description="Maximum time in seconds that a stage waits for another run on the scope."
    )

    def to_run_options(self) -> RunOptions:
        values: JsonObject = {option.name: getattr(self, option.name) for option in OPTIONS}
        unset: JsonObject = {name: None for name, value in values.items() if value in (AS_CONFIGURED, UNLIMITED)}
        return RunOptions(**(values | unset))


def options_of(resources: object, site: DagsterSite) -> IndexOptions:
    """The options of a site's launch, from the resources of an op."""
    options = getattr(resources, site.options_key)
    assert isinstance(options, IndexOptions)
    return options
