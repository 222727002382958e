"""Addresses of servers, which are set by environment variables because they may contain a password."""

from collections.abc import Mapping

from searchsocket.errors import KeyMissing


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
