"""The names of all endpoints: the first part of their paths below the prefix of the API."""

from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES

ENDPOINTS = frozenset(
    {
        *(each.http.path.split("/")[1] for each in CAPABILITIES if each.http.path),
        "beacon",
        "health",
        "live",
        "openapi.json",
        "owner",
        "page",
        "ready",
    }
)
