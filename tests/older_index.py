"""An index as the version before wrote it: no texts of pages, and words that may count what is dead."""

import hashlib
import json
from pathlib import Path


def make_older(index: Path, scope: str = "main") -> Path:
    """Turn the live generation of a scope into one of the format before; returns its folder."""
    folder = index / scope / (index / scope / "CURRENT").read_text().splitlines()[0]
    (folder / "bodies.db").unlink()
    path = folder / "manifest.json"
    data = json.loads(path.read_bytes())
    del data["sha256"], data["files"]["bodies.db"], data["generation"]["bodies"], data["generation"]["bodies_digest"]
    data["format"] = 5
    for part in ("words", "pages"):  # the writer's own note is not there either
        meta = folder / part / "meta.json"
        meta.write_text(
            json.dumps({key: value for key, value in json.loads(meta.read_bytes()).items() if key != "payload"})
        )
        digest = hashlib.sha256(meta.read_bytes()).hexdigest()
        data["files"][f"{part}/meta.json"] = {"bytes": meta.stat().st_size, "sha256": digest}
    data["sha256"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps(data))
    return folder
