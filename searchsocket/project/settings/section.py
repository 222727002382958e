"""Base of all sections of the settings."""

import re
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_WEB = re.compile(r"https?://[^/?#\s]+", re.IGNORECASE)
_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")


def _web_address(value: str) -> str:
    if value and not _WEB.match(value):
        raise ValueError("must be a URL that starts with http:// or https:// and has a host")
    return value


def _web_address_or_path(value: str) -> str:
    return _web_address(value) if _SCHEME.match(value) or value.startswith("//") else value


def listed(value: object) -> object:
    """Accept a single name as a list of one; strict types need a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


S = TypeVar("S", bound="SettingsSection")
Count = Annotated[int, Field(ge=1)]
WebAddress = Annotated[str, AfterValidator(_web_address)]  # "" = none
WebAddressOrPath = Annotated[str, AfterValidator(_web_address_or_path)]


class SettingsSection(BaseModel):
    """Base of the sections: frozen, no unknown keys, no silent conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def section(self, kind: type[S]) -> S:
        """Return the section below this one that an extension brings; its defaults if nothing configures it."""
        return next((value for _, value in self if isinstance(value, kind)), None) or kind()
