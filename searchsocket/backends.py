"""State, store, embedder and embedding cache of a project, each created once on first use."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.curation.live_rules import Curation, utc_now
from searchsocket.errors import ConfigError, IndexCorrupt
from searchsocket.models.embedders import make_embedder, resolved_provider
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.cache_place import cache_file, open_cache
from searchsocket.models.paying.ledger import FILE, Ledger
from searchsocket.project.project import Project
from searchsocket.stores import make_store
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.text.redaction import Redactor
from searchsocket.types import Scope

if TYPE_CHECKING:
    from searchsocket.state.project import ProjectState


class Backends:
    """The backends that the settings name; making one of these opens and loads nothing.

    Args:
        environ: Where keys, and the folder of the cache, are read.
        calls: False where the embedder only counts and names, which needs no key.
        local_only: The store reads this machine alone, which needs neither key nor address of a vector index.
        clock: By which rules of `curation.toml` expire.
        on_error: Gets the errors of a `curation.toml` that was correct before.
    """

    def __init__(
        self,
        project: Project,
        environ: Mapping[str, str],
        *,
        calls: bool = True,
        local_only: bool = False,
        clock: Callable[[], datetime] = utc_now,
        on_error: Callable[[BaseException], object] = lambda _: None,
    ) -> None:
        self._project = project
        self._environ = project.environment(environ)
        self._calls = calls
        self._local_only = local_only
        self._clock = clock
        self._on_error = on_error
        self._embedders: dict[str, Embedder] = {}  # by provider

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment with the variables of the project's files, see `Project.environment`."""
        return self._environ

    @cached_property
    def state(self) -> "ProjectState":
        """The state of pages between runs."""
        from searchsocket.state.project import ProjectState  # a query needs none of it

        return ProjectState(self._project.state_dir)

    @cached_property
    def store(self) -> VectorStore:
        """The store of vectors, words and records."""
        settings = self._project.settings
        return make_store(
            settings.vector,
            self._project.state_dir,
            self._project.id,
            environ=self._environ,
            synonyms=self.curation,
            local_only=self._local_only,
        )

    @cached_property
    def curation(self) -> Curation:
        """The rules of the owner."""
        synonyms = self._project.settings.ranking.synonyms
        return Curation(self._project.root, synonyms, self._clock, self._on_error)

    def embedder_for(self, scope: Scope) -> Embedder:
        """The embedder of a scope.

        Raises:
            ConfigMissing: A library, a key or a file of the model is not there.
            ConfigError: The model cannot be used, or which one it is cannot be known.
        """
        if self._project.settings.embeddings.provider != "auto":
            return self.embedder_of("")
        try:
            live = self.store.generation(scope)
        except IndexCorrupt as error:
            raise ConfigError(
                f"the index of scope {scope.name!r} is damaged, so `auto` cannot detect its provider; set it: "
                f"`EMBEDDINGS_PROVIDER=local searchsocket index --scope {scope.name}`, or openai"
            ) from error
        return self.embedder_of(live.model_id if live else "")

    def embedder_of(self, recorded: str) -> Embedder:
        """The embedder for a scope with this recorded model id; "" = a scope without an index.

        Raises:
            ConfigMissing, ConfigError: As `embedder_for`.
        """
        settings = self._project.settings.embeddings
        provider = resolved_provider(settings, self._environ, recorded)
        if provider not in self._embedders:
            self._embedders[provider] = make_embedder(settings, self._environ, recorded=recorded, calls=self._calls)
        return self._embedders[provider]

    @cached_property
    def redactor(self) -> Redactor | None:
        """The redactor for texts sent to providers; None if it is off."""
        settings = self._project.settings.redaction
        return Redactor(settings.names, settings.keep) if settings.enabled else None

    @property
    def cache_file(self) -> Path:
        """The path of the embedding cache."""
        return cache_file(self._environ, self._project.root, self._project.state_dir)

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger of the project's costs."""
        return Ledger(self.cache_file.with_name(FILE), self._project.id)

    def open_cache(self, *, read_only: bool = False) -> EmbeddingCache:
        """The embedding cache, to be closed by the caller.

        Raises:
            StateUnavailable: It cannot be opened.
        """
        return open_cache(self.cache_file, read_only=read_only)
