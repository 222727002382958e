"""The settings `vector.qdrant`."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.settings.section import HnswSettings, IndexKind, SettingsSection


class QdrantHnswSettings(HnswSettings):
    ef_construction: Annotated[int, Field(ge=8, le=512)] = 100


class QdrantSettings(SettingsSection):
    url_env: Annotated[str, Field(min_length=1)] = "QDRANT_URL"  # environment variable with the server's address
    api_key_env: str = "QDRANT_API_KEY"  # the variable with the key; "" = the server wants none
    collection: str = ""  # prefix of collection names; "" = the project id
    index: IndexKind = "exact"  # hnsw: see above
    hnsw: QdrantHnswSettings = QdrantHnswSettings()
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each request
