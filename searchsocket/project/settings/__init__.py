"""Configuration: keys, defaults and loading."""

from searchsocket.project.settings.model import (
    ApiSettings,
    EmbeddingSettings,
    RankingSettings,
    Settings,
    VectorSettings,
)
from searchsocket.project.settings.site import (
    ChunkSettings,
    ExtractSettings,
    RouteSettings,
    ScopeSettings,
    SourceSettings,
    TransformSettings,
)

__all__ = [
    "ApiSettings",
    "ChunkSettings",
    "EmbeddingSettings",
    "ExtractSettings",
    "RankingSettings",
    "RouteSettings",
    "ScopeSettings",
    "Settings",
    "SourceSettings",
    "TransformSettings",
    "VectorSettings",
]
