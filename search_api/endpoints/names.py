"""The names of all endpoints: the first part of their paths below the prefix of the API."""

from searchsocket.serving.capabilities.ask import ANSWERS
from searchsocket.serving.capabilities.code import CODE
from searchsocket.serving.capabilities.content import CONTENT
from searchsocket.serving.capabilities.pages import PAGE, PAGES

_CAPABILITIES = (*PAGES, PAGE, *ANSWERS, *CONTENT, *CODE)
ENDPOINTS = frozenset(
    {
        *(each.http.path.split("/")[1] for each in _CAPABILITIES if each.http.path),
        "beacon",
        "health",
        "live",
        "openapi.json",
        "owner",
        "page",
        "ready",
    }
)
