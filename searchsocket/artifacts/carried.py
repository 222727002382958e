"""What of an indexer's settings changes answers, and so travels with a generation: no key, no address, no path."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from searchsocket.errors import ArtifactInvalid, ConfigMissing
from searchsocket.settings.model import Settings

# By section; an empty set means all of its keys.
_KEYS = {"embeddings": {"provider", "model", "dimensions"}, "ranking": set(), "project": {"base_url"}}
_FOLDER = "folder:"  # a model that lies in a folder of the indexer, which nobody else has


def carried_settings(settings: Settings) -> dict[str, Any]:
    """What a reader of the index needs to answer as the indexer would."""
    given = settings.model_dump(mode="json")
    carried = {
        section: {key: value for key, value in given[section].items() if not keys or key in keys}
        for section, keys in _KEYS.items()
    }
    model = settings.embeddings.model
    if model and Path(model).is_absolute():
        carried["embeddings"]["model"] = _FOLDER + Path(model).name
    return carried


def with_carried(settings: Settings, carried: Mapping[str, Any], where: str) -> Settings:
    """The settings of this machine, and where it sets none, those that came with a generation.

    Args:
        where: Begins the message of an error.

    Raises:
        ArtifactInvalid: Something came that does not travel, or has no such value.
        ConfigMissing: The model lies in a folder of the indexer, and `embeddings.model` is not set here.
    """
    for section, values in carried.items():
        if section not in _KEYS or not isinstance(values, dict) or (_KEYS[section] and values.keys() - _KEYS[section]):
            raise ArtifactInvalid(f"{where} carries settings that do not travel: {section[:80]}")
    merged = _merged(carried, settings.model_dump(mode="json", exclude_unset=True))
    model = merged.get("embeddings", {}).get("model", "")
    if isinstance(model, str) and model.startswith(_FOLDER):
        raise ConfigMissing(
            f"{where} was made with the model in the folder {model.removeprefix(_FOLDER)[:200]!r} of the machine that "
            "indexed; copy it here and set embeddings.model"
        )
    try:
        return Settings.model_validate_json(json.dumps(merged))
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part)[:80] for part in detail["loc"])
        raise ArtifactInvalid(f"{where} carries settings that cannot be used: {key}: {detail['msg']}"[:600]) from error


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
