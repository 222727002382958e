"""The settings of demand."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.settings.section import SettingsSection


class DemandSettings(SettingsSection):
    enable: bool = False  # `searchsocket serve` records what visitors search for, without knowing who they are
    min_visitors: Annotated[int, Field(ge=2, le=10_000)] = 5  # in one day, before a query's text is stored
    keep_days: Annotated[int, Field(ge=1, le=3650)] = 90
