"""Reading of settings."""

import os
from dataclasses import dataclass

DEFAULT = "main"
LIMIT: int = 20
_cache: dict[str, str] = {}


@dataclass(frozen=True)
class Settings:
    """All that can be set."""

    name: str
    limit: int = LIMIT

    @classmethod
    def from_environment(cls) -> "Settings":
        """What the environment says."""
        return cls(os.environ.get("NAME", DEFAULT), int(os.environ.get("LIMIT", LIMIT)))

    async def save(self, path: str) -> None:
        with open(path, "w") as file:
            file.write(f"{self.name} {self.limit}")


# Looks a name up,
# whatever case it is in.
def lookup(name: str) -> str | None:
    return next((value for key, value in _cache.items() if key.casefold() == name.casefold()), None)


if os.name == "nt":

    def _separator() -> str:
        return "\\" if os.environ.get("MSYSTEM") is None else "/"
