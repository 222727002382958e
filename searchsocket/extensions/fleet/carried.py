"""Settings that travel with a pushed generation because they change answers; never a key, an address or a path."""

import json
from pathlib import Path

from pydantic import ValidationError

from searchsocket.errors import ArtifactInvalid, ConfigMissing
from searchsocket.extensions import extensions
from searchsocket.project.settings.model import LOCAL_EMBEDDERS, Settings
from searchsocket.system.json_text import JsonObject
from searchsocket.text.mistakes import explain_mistake

# Keys, and whole sections; also the name of each database's tables.
_KEYS = (
    "embeddings.provider",
    "embeddings.model",
    "embeddings.dimensions",
    "project.base_url",
    "ranking",
    "vector.provider",
)

# Providers on this machine. Any other one gets queries with this machine's key, so its owner must name it.
_OWN_PROVIDERS = {"embeddings": LOCAL_EMBEDDERS, "vector": frozenset({"local"})}
_FOLDER = "folder:"  # a model in a folder that only the indexing machine has


def carried_settings(settings: Settings) -> JsonObject:
    """The settings that a reader needs to answer like the indexing machine."""
    carried = _only_carried(settings.model_dump(mode="json"), _carried_keys())
    model = settings.embeddings.model
    if model and Path(model).is_absolute():
        carried["embeddings"]["model"] = _FOLDER + Path(model).name
    return carried


def with_carried(settings: Settings, carried: JsonObject, where: str) -> Settings:
    """The settings of this machine, completed by those that were pushed with a generation.

    Args:
        where: Start of an error message.

    Raises:
        ArtifactInvalid: A pushed setting is not one that travels, or has an invalid value.
        ConfigMissing: The model is in a folder of the indexing machine, and `embeddings.model` is not set here; or the
            generation uses a remote provider that the settings of this machine do not name.
    """
    if _only_carried(carried, _carried_keys()) != carried:
        raise ArtifactInvalid(
            f"{where} contains settings that are not allowed in an artefact: {', '.join(carried)[:80]}"
        )
    own = settings.model_dump(mode="json", exclude_unset=True)
    merged = _merged(carried, own)
    for section, local in _OWN_PROVIDERS.items():
        provider = merged[section].get("provider") if isinstance(merged.get(section), dict) else None
        if provider not in (None, *local) and "provider" not in own.get(section, {}):
            raise ConfigMissing(
                f"{where} was made with {section}.provider = {str(provider)[:80]!r}, which would receive the "
                f"queries of this machine; set {section}.provider here to use it"
            )
    model = merged.get("embeddings", {}).get("model", "")
    if isinstance(model, str) and model.startswith(_FOLDER):
        raise ConfigMissing(
            f"{where} was made with the model in the folder {model.removeprefix(_FOLDER)[:200]!r} of the machine that "
            "indexed; copy it here and set embeddings.model"
        )
    try:
        return type(settings).model_validate_json(json.dumps(merged))
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part)[:80] for part in detail["loc"])
        raise ArtifactInvalid(f"{where} contains invalid settings: {key}: {explain_mistake(detail)}"[:600]) from error


def _carried_keys() -> frozenset[str]:
    stores = (f"vector.{each.name}.{each.store.name_key}" for each in extensions() if each.store)
    return frozenset((*_KEYS, *stores))


def _only_carried(settings: JsonObject, keys: frozenset[str], under: str = "") -> JsonObject:
    """The nested settings that travel."""
    carried_values: JsonObject = {}
    for name, value in settings.items():
        key = f"{under}{name}"
        if key in keys:
            carried_values[name] = value
        elif isinstance(value, dict) and (inner := _only_carried(value, keys, f"{key}.")):
            carried_values[name] = inner
    return carried_values


def _merged(under: JsonObject, over: JsonObject) -> JsonObject:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
