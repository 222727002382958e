"""The settings `vector.pgvector`."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.settings.section import HnswSettings, IndexKind, SettingsSection


class PgvectorHnswSettings(HnswSettings):
    ef_construction: Annotated[int, Field(ge=8, le=512)] = 64
    ef: Annotated[int, Field(ge=10, le=1_000)] = 200


class PgvectorSettings(SettingsSection):
    url_env: Annotated[str, Field(min_length=1)] = "POSTGRES_URL"  # environment variable with the database's address
    table: str = ""  # prefix of table names; "" = the project id
    index: IndexKind = "exact"  # hnsw: see above
    hnsw: PgvectorHnswSettings = PgvectorHnswSettings()
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each query, and for connecting
