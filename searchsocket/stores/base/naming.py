"""Names: of generations, which rise with time, of scopes, which never lead elsewhere, of indexes and servers."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from searchsocket.errors import InvalidScope, KeyMissing

_SCOPE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
GENERATION_NAME = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")
_STAMP = "%Y%m%dT%H%M%SZ"


def generation_stamp(now: datetime, after: str) -> str:
    """Return a name prefix that sorts after `after`, even if the clock went back."""
    stamp = now.strftime(_STAMP)
    if after and stamp <= after[:16]:
        stamp = (datetime.strptime(after[:16], _STAMP) + timedelta(seconds=1)).strftime(_STAMP)
    return stamp


def generation_name(stamp: str, digest: str) -> str:
    """E.g. `20261121T101500Z-ab12cd`."""
    return f"{stamp}-{digest[:6]}"


def generation_number(name: str) -> int:
    """A number that rises as names do: `20261121T101500Z-ab12cd` is 20261121101500, a text without a digit 0."""
    return int(re.sub(r"\D", "", name[:16]) or 0)


def index_text(kind: str, parameters: Mapping[str, int]) -> str:
    """A kind of vector index with its parameters, e.g. `hnsw m=16 ef_construction=200 ef=200`."""
    return " ".join([kind, *(f"{name}={value}" for name, value in parameters.items())])


def check_scope_name(name: str) -> None:
    """Refuse a name that is not sanitised.

    Raises:
        InvalidScope: The name is not sanitised.
    """
    if not _SCOPE_NAME.fullmatch(name):
        raise InvalidScope(f"scope name {name[:200]!r} is not a valid folder name")


def server_address(provider: str, variable: str, environ: Mapping[str, str], example: str) -> str:
    """The address of the server of a vector store.

    Raises:
        KeyMissing: The variable is not set.
    """
    if address := environ.get(variable, "").strip():
        return address
    raise KeyMissing(
        f"vector.provider is {provider}, but the environment variable {variable} with the server's address is not set, "
        f"e.g. {example}",
        f"set ${variable}",
    )
