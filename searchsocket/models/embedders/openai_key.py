"""The key of OpenAI or of a server with its protocol, and the mark of its models; the client is not loaded for it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchsocket.project.settings.model import EmbeddingSettings

MODEL_ID_PREFIX = "openai-"
KEY_VARIABLE = "EMBEDDINGS_API_KEY"


def key_variable(settings: "EmbeddingSettings") -> str:
    """Environment variable with the key of OpenAI or of a server with its protocol; "" = no key needed."""
    return "OPENAI_API_KEY" if settings.api_key_env is None else settings.api_key_env


def has_key(settings: "EmbeddingSettings", environ: Mapping[str, str]) -> bool:
    """Return True if the provider can be called: its key is set, or it needs none."""
    return not key_variable(settings) or bool(key_of(settings, environ))


def key_of(settings: "EmbeddingSettings", environ: Mapping[str, str]) -> str:
    """Return the key; `EMBEDDINGS_API_KEY` overrides the variable in the settings; "" = no key."""
    return environ.get(KEY_VARIABLE, "").strip() or environ.get(key_variable(settings), "").strip()
