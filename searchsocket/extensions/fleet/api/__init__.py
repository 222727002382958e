"""Several projects in one service: each below `/sites/NAME`, and one search over all of them.

The search over all sends the request to each project's own application, so keys, limits and the demand log of each
project apply. A project that does not answer is left out, and the answer has a note.
"""

from dataclasses import dataclass

from fastapi import FastAPI

from searchsocket.project.project import Project


@dataclass(frozen=True, slots=True)
class ServedSite:
    """One of several projects in a service."""

    project: Project
    name: str  # in addresses
    title: str
    address: str  # scheme and host of its pages; "" = those of the page that searches
    app: FastAPI | None  # None: it could not start

    @property
    def prefix(self) -> str:
        """The prefix of the project's endpoints, such as `/api`."""
        return self.project.settings.api.path.rpartition("/")[0]
