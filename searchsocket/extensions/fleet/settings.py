"""The settings of the object store that machines share, and the address of a pulled index."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.project import Project, index_folder
from searchsocket.project.settings.section import Count, SettingsSection


class ArtifactSettings(SettingsSection):
    url: str = ""  # e.g. s3://bucket/prefix: runs push generations there, and a machine without an index pulls them
    state: bool = True  # also push what the next run needs, so that a machine with an empty disk continues
    poll_seconds: Annotated[float, Field(ge=1, le=86_400)] = 60.0  # seconds between checks for a new generation
    max_mb: Count = 20_000  # largest generation that is pulled

    @property
    def enable(self) -> bool:
        """True if the project uses an object store."""
        return bool(self.url)

    @property
    def embeddings_url(self) -> str:
        """The shared embedding cache, unless `embeddings.cache_url` names another one; "" = none."""
        return f"{self.url.rstrip('/')}/embeddings" if self.url else ""

    @property
    def max_bytes(self) -> int:
        """The largest generation that is pulled."""
        return self.max_mb * 1_000_000


def artifacts_of(project: Project) -> ArtifactSettings:
    """The section of a project."""
    section: ArtifactSettings = project.settings.section(ArtifactSettings)
    return section


def artifacts_address(project: Project, url: str) -> str:
    """The URL to pull from: the requested one, or `artifacts.url` if the project has no index; "" = none."""
    if url:
        return url
    root = index_folder(project.settings.vector, project.state_dir)
    return "" if any(root.glob("*/CURRENT")) else artifacts_of(project).url
