"""Configuration: the keys, and how they are found and read."""

from searchsocket.settings.model import (
    ApiSettings,
    ChunkSettings,
    EmbeddingSettings,
    ExtractSettings,
    RankingSettings,
    RouteSettings,
    ScopeSettings,
    Settings,
    SourceSettings,
    TransformSettings,
    VectorSettings,
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
