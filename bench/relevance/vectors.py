"""Vectors of a collection, cached on disk, because a real model needs minutes for them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from searchsocket.models.embedders.base import Embedder, TextKind
from searchsocket.types import Vectors


def cached(embedder: Embedder, texts: Sequence[str], kind: TextKind, folder: Path | None) -> Vectors:
    """Embed `texts`, or read what an earlier call with equal texts and an equal model left in `folder`."""
    if folder is None:
        return embedder.embed(texts, kind)
    digest = hashlib.sha256("\0".join([embedder.model_id, kind, *texts]).encode("utf-8", "replace")).hexdigest()[:24]
    path = folder / f"{digest}.npy"
    if path.exists():
        loaded: Vectors = np.load(path)
        return loaded
    vectors = embedder.embed(texts, kind)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)
    return vectors
