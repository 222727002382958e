"""JSON documents next to the files of generations, with their names, and the settings that travel with a generation.

```text
searchsocket.json                                 the project, and the scopes that anyone may read
blobs/<2 hex>/<sha256>                            files of generations by their content; never changed
scopes/<scope>/<generation>.<sha256>.json         the files of a generation, and the settings for its queries
scopes/<scope>/CURRENT.json                       the live generation, and the lease to publish: written last
embeddings/                                       the shared cache (`shared_cache.py`)
```
"""

import json
import re
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from searchsocket.errors import ArtifactInvalid, ConfigMissing, NewerRelease, ProjectMismatch
from searchsocket.extensions import extensions
from searchsocket.extensions.fleet.objects.base import Objects, read
from searchsocket.project.settings.model import LOCAL_EMBEDDERS, Settings
from searchsocket.system.json_text import JsonObject
from searchsocket.text.hidden import visible
from searchsocket.text.mistakes import explain_mistake

FORMAT = 1
PROJECT = "searchsocket.json"
BLOBS = "blobs/"
SCOPES = "scopes/"
_CURRENT = "CURRENT.json"
MAX_BYTES = 4_000_000  # of one document
_MAX_FILES = 10_000
_FILE_NAME = re.compile(r"(?:[A-Za-z0-9._-]{1,200}/){0,3}[A-Za-z0-9._-]{1,200}")
_DESCRIPTION = re.compile(r"scopes/(?P<scope>[^/]+)/(?P<generation>[^/]+)\.(?P<sha256>[0-9a-f]{64})\.json")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
ScopeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$")]
GenerationName = Annotated[str, Field(pattern=r"^\d{8}T\d{6}Z-[0-9a-f]{6}$")]
ProjectId = Annotated[str, Field(min_length=1, max_length=1000)]
Size = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )


class Document(_Part):
    """Base of the JSON documents."""

    format: int = FORMAT
    project_id: ProjectId

    def to_bytes(self) -> bytes:
        """As JSON; equal documents have equal bytes."""
        return (self.model_dump_json(by_alias=True, indent=1, ensure_ascii=False) + "\n").encode()


class ProjectDocument(Document):
    """The project that owns the artefacts, and its public scopes."""

    scopes: Annotated[tuple[ScopeName, ...], Field(max_length=1000)]  # public, the default first; empty = none
    newest: ScopeName | Literal[""] = ""  # the scope that was pushed last, if none is public: its settings apply


class Writer(_Part):
    """A run that may publish."""

    host: Annotated[str, Field(max_length=300)]
    pid: int
    run: Annotated[str, Field(max_length=200)]  # its id; "" = a command without one
    disk: Annotated[str, Field(max_length=64)]  # hash that identifies the state folder: one run at a time works on it

    def __str__(self) -> str:
        run = f", run {self.run[:8]}" if self.run else ""
        return f"process {self.pid} on {self.host}{run}"


class Lease(_Part):
    """The right to publish a scope, until it expires or another writer takes it over."""

    fence: Annotated[int, Field(ge=1)]  # rises with every new holder
    token: Annotated[str, Field(max_length=64)]  # random; a new one for each acquisition
    writer: Writer
    expires_at: AwareDatetime


class Pointer(Document):
    """The live generation of one scope, and who may replace it; one object, so that one conditional write has both."""

    scope: ScopeName
    generation: GenerationName | Literal[""] = ""  # "" = nothing is published yet
    description: Sha256 | Literal[""] = ""  # of the bytes of the description
    revision: Annotated[str, Field(max_length=200)] = ""  # the commit that was indexed; "" = unknown
    published_by: Writer | None = None
    published_at: AwareDatetime | None = None
    fence: Annotated[int, Field(ge=0)] = 0  # of the newest lease
    lease: Lease | None = None  # None = free

    @model_validator(mode="after")
    def _names_a_whole_generation(self) -> "Pointer":
        if bool(self.generation) != bool(self.description):
            raise ValueError("generation and description belong together")
        return self


class BlobEntry(_Part):
    """One file of a generation."""

    sha256: Sha256
    bytes: Size


class Description(Document):
    """One generation."""

    scope: ScopeName
    generation: GenerationName
    files: Annotated[dict[str, BlobEntry], Field(min_length=1, max_length=_MAX_FILES)]  # path in its folder -> content
    settings: JsonObject  # see `carried_settings`
    state: BlobEntry | None = None  # what the next run needs to continue on another machine; see `state/archive.py`
    pushed_at: Annotated[str, Field(max_length=40)]  # ISO 8601, UTC; so that no two pushes share a description

    @field_validator("files")
    @classmethod
    def _names_stay_inside(cls, files: dict[str, BlobEntry]) -> dict[str, BlobEntry]:
        for name in files:
            path = PurePosixPath(name)
            if not _FILE_NAME.fullmatch(name) or {".", ".."} & {*name.split("/")}:
                raise ValueError(f"{name[:200]!r} is not a valid file name of a generation")
            if any(parent.as_posix() in files for parent in path.parents):
                raise ValueError(f"{name[:200]!r} is below another file")
        return files

    @property
    def blobs(self) -> list[BlobEntry]:
        """All files that it lists, and the state."""
        return [*self.files.values(), *([self.state] if self.state else [])]

    @property
    def total_bytes(self) -> int:
        """The bytes of all files."""
        return sum(entry.bytes for entry in self.files.values())


D = TypeVar("D", bound=Document)


def blob_name(sha256: str) -> str:
    return f"{BLOBS}{sha256[:2]}/{sha256}"


def pointer_name(scope: str) -> str:
    return f"{SCOPES}{scope}/{_CURRENT}"


def description_name(scope: str, generation: str, sha256: str) -> str:
    return f"{SCOPES}{scope}/{generation}.{sha256}.json"


def named_in(name: str) -> tuple[str, str, str] | None:
    """Scope, generation and digest in the name of a description; None for any other object."""
    match = _DESCRIPTION.fullmatch(name)
    return (match["scope"], match["generation"], match["sha256"]) if match else None


def scope_of_pointer(name: str) -> str:
    """The scope in the name of a pointer; "" for any other object."""
    return name[len(SCOPES) : -len(_CURRENT) - 1] if name.endswith(f"/{_CURRENT}") else ""


def read_document(objects: Objects, name: str, kind: type[D], project_id: str | None = None) -> D:
    """A stored document; see `parse_document`.

    Raises:
        ObjectMissing: It does not exist.
    """
    return parse_document(read(objects, name, MAX_BYTES), kind, f"{objects.address}: {name}", project_id)


def parse_document(data: bytes, kind: type[D], where: str, project_id: str | None = None) -> D:
    """A document from its bytes.

    Args:
        where: Start of an error message.
        project_id: The project that must own it; None = any.

    Raises:
        ArtifactInvalid: It is damaged, or has invalid values.
        NewerRelease: It has a newer format, or a field that this release does not know.
        ProjectMismatch: It belongs to another project.
    """
    try:
        head = _Head.model_validate_json(data)
        if head.format > FORMAT:
            raise NewerRelease.of(where, f"format {head.format}, this one reads {FORMAT}")
        document = kind.model_validate_json(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        unknown = next((detail for detail in details if detail["type"] == "extra_forbidden"), None)
        detail = unknown or details[0]
        field = ".".join(str(part)[:80] for part in detail["loc"]) or "the document"
        if unknown:
            raise NewerRelease.of(where, f"field {visible(field)}") from error
        raise ArtifactInvalid(f"{where} cannot be used: {field}: {explain_mistake(detail)}"[:600]) from error
    if project_id is not None and document.project_id != project_id:
        raise ProjectMismatch(f"{where} belongs to project {document.project_id[:200]!r}, not to {project_id!r}")
    return document


class _Head(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")
    format: Annotated[int, Field(ge=1)]


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
