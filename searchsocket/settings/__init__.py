"""Configuration: keys, defaults and loading."""

from searchsocket.settings.model import ApiSettings, EmbeddingSettings, RankingSettings, Settings, VectorSettings
from searchsocket.settings.site import (
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
