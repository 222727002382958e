"""The settings of demand."""

from typing import Annotated

from pydantic import AfterValidator, Field

from searchsocket.project.settings.section import SettingsSection

_LEAST_VISITORS = 2


def _several(visitors: int) -> int:
    if visitors < _LEAST_VISITORS:
        raise ValueError(f"must be {_LEAST_VISITORS} or more, so that no single visitor can be recognised")
    return visitors


class DemandSettings(SettingsSection):
    enable: bool = False  # `searchsocket serve` records what visitors search for, without knowing who they are
    min_visitors: Annotated[int, Field(le=10_000), AfterValidator(_several)] = (
        5  # in one day, before a query's text is stored
    )
    keep_days: Annotated[int, Field(ge=1, le=3650)] = 90
