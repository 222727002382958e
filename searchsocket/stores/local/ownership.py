"""Ownership of an index folder: it belongs to one project, and other projects are refused there (spec 10.2)."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import IndexCorrupt, ProjectMismatch, VectorBackendUnavailable
from searchsocket.project.corpora import configured_id
from searchsocket.stores.local.layout import MANIFEST, PROJECT, Manifest, corrupt, damage_of, read_manifest, writing
from searchsocket.system.errors import system_error
from searchsocket.system.files import is_temporary, write_atomic
from searchsocket.system.locks import scope_lock

_CLAIM_TIMEOUT_S = 30.0


class Ownership:
    """The claim of a project on the folder of an index."""

    def __init__(self, root: Path, project_id: str) -> None:
        self._root = root
        self._project_id = project_id
        self._is_ours = False

    def check(self) -> bool:
        """Return True if the folder is claimed.

        Raises:
            ProjectMismatch: Another project has claimed it.
            IndexCorrupt: The file with the claim is damaged.
        """
        if self._is_ours:
            return True  # if the owner changes later, generations still name their project
        path = self._root / PROJECT
        try:
            data = json.loads(path.read_bytes())
            owner = data["projectId"]
            stored = data.get("sha256", _digest(owner))  # an earlier version wrote no checksum
        except FileNotFoundError:
            return False
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise corrupt(path, "is damaged") from error
        except OSError as error:
            raise system_error("cannot read", path, error, VectorBackendUnavailable) from error
        if stored != _digest(owner):
            raise corrupt(path, "was changed after it was written")
        if owner != self._project_id:
            fix = f"set `project.id = {json.dumps(configured_id(owner, self._project_id), ensure_ascii=False)}`"
            raise ProjectMismatch(
                f"{self._root} contains the index of project {owner!r}, but this project is "
                f"{self._project_id!r}. If you renamed it, {fix}; otherwise give each project its own state.dir",
                fix,
            )
        self._is_ours = True
        return True

    def claim(self) -> None:
        """Claim the folder for this project, unless it has done so before."""
        if not self.check():
            self._write()

    def repair(self) -> list[str]:
        """Write a damaged claim again and return the damage; raise ProjectMismatch if a generation is another's."""
        try:
            self.check()
        except IndexCorrupt as error:
            for path in sorted(self._root.glob(f"*/*/{MANIFEST}")):
                with suppress(IndexCorrupt):  # a damaged manifest does not name an owner
                    self.checked(read_manifest(path.parent))
            self._write()
            return [damage_of(error)]
        return []

    def checked(self, manifest: Manifest) -> Manifest:
        """The manifest, if it belongs to this project.

        Raises:
            ProjectMismatch: It belongs to another project.
        """
        if manifest.generation.project_id != self._project_id:
            raise ProjectMismatch(
                f"generation {manifest.generation.name} belongs to project {manifest.generation.project_id!r}, "
                f"not to {self._project_id!r}"
            )
        return manifest

    def _write(self) -> None:
        claim = {"projectId": self._project_id, "sha256": _digest(self._project_id)}
        data = json.dumps(claim, ensure_ascii=False)
        with scope_lock(self._root, PROJECT, timeout_s=_CLAIM_TIMEOUT_S), writing(self._root):
            for path in self._root.iterdir():
                if is_temporary(path):  # of a dead run: this process has the lock
                    path.unlink(missing_ok=True)
            if not self._is_claimed():  # another process may have been first
                write_atomic(self._root / PROJECT, (data + "\n").encode())

    def _is_claimed(self) -> bool:
        try:
            return self.check()
        except IndexCorrupt:
            return False


def _digest(project_id: str) -> str:
    """A checksum that shows if a name is damaged and not another project's."""
    return hashlib.sha256(str(project_id).encode("utf-8", "surrogatepass")).hexdigest()
