"""The description of an extension.

An extension is one `Extension`: a package of ours in this folder, or an object of another distribution under the entry
point group `searchsocket.extensions`. It names its parts as `module:object`, and each is imported only where it is
used. The core knows these descriptions, and never a module of an extension.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Command:
    """A command of an extension."""

    place: str = ""  # the `click.Command`; "" = made from the capability whose tool has the name of the command
    summary: str = ""  # the first sentence of its help
    before: str = ""  # the command of the core before which the overview lists it; "" = at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A database for vectors, which `vector.provider` chooses by the name of its extension.

    Attributes:
        settings: Its section below `vector`, a class of `SettingsSection`.
        tables: A function of this section, the project's id and the environment; returns its `VectorTables`.
        index: Likewise, a `VectorIndex`; for a database without `tables`.
        name_key: The key of the section that names its tables; it travels with a pushed index.
        has_one_project: Its tables belong to one project, so the second corpus of a project has tables of its own.
    """

    settings: str
    tables: str = ""
    index: str = ""
    name_key: str
    has_one_project: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSource:
    """A source of pages, which `source.mode` chooses by the name of its extension.

    Attributes:
        settings: Its section below `source`, a class of `SourceSection`.
        open: A function of a `SourceRequest` that returns its `Source`, see `searchsocket.sources`.
        formats: Formats of its pages, as Dagster shows them.
        address_key: Key of its section with the address of the host that its pages come from; "" = they are files of
            this machine. The address may contain placeholders for a scope, see `searchsocket.sources.preview`.
    """

    settings: str
    open: str
    formats: Sequence[str] = ()
    address_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """The parts of one extension; "" means that it brings nothing of this kind.

    Attributes:
        name: Also the name of its section in the settings.
        settings: Its section, a class of `SettingsSection`.
        switch: Key of its section that turns the extension on and off; one without this key is always on.
        example: Line of its section in the configuration that `searchsocket init` writes.
        site_title: Key of its section with the name of the site.
        capabilities: A sequence of `Capability`: what callers can request over HTTP and as tools.
        tools: A sequence of `Tool`: the answers of its capabilities as text for agents, unless each field on a line
            is enough.
        resources: A sequence of `Kind`: resources for agents, see `searchsocket.agents.resources`.
        endpoints: Adds further endpoints to the service, see `search_api.extension`.
        assets: A function of a `DagsterSite` that returns asset definitions, for a project in which it is on.
        services: A function of a `PartContext` that returns a `Part`: what it opens to answer over a project.
        contents: What the documents of its part are, in words: agents read them as content.
        readers: Kind of a page -> the function that extracts it, as `content.html.extract.extract_html`.
        readers_version: Of their output: when it changes, pages are read again.
        files: Names in the state folder that `searchsocket clean --all` deletes.
        stages: A sequence of `Stage` of `searchsocket.pipeline.run.stage`: stages of the site after `search_index`, in
            runs and as assets, while the extension is on.
        input_paths: Keys of its section with files and folders that its stages read, relative to the project.
        output_dir: Key of its section with the folder that its stages write to, relative to the project; `{scope}` in
            it is replaced. A change in one of them is a reason for a run.
        when_off: A function of a `ScopeRun` that deletes what its stages wrote; it is called after a publish while the
            extension is off.
        corpora: A sequence of `Corpus`: what it indexes besides the pages of the site.
        store: A database for vectors.
        source: A source of pages.
        checks: A `DoctorCheck`, for `searchsocket doctor`.
        status: A function of a `Project` that returns a `PartStatus`, for `searchsocket status`.
        run_listener: A function that is called when a run begins and ends, see `searchsocket.pipeline.run.hooks`;
            its errors become warnings of the run.
        run_hooks: A `RunHooks` of `searchsocket.pipeline.run.hooks`: what it does before a run, before the switch to
            a new generation, and after it; its errors end the run.
        judged_by: Files of the project by which its `run_hooks` judge a generation: a build that they refused is
            tried again once one of them changes.
        run_checks: A sequence of `Check` of `searchsocket.pipeline.run.checks`, of the stage `search_index`.
        shared_vectors: A function of a `ScopeRun`, and of a function that is called with problems: it returns the
            `SharedVectors` of `searchsocket.pipeline.run.hooks`, or None.
        cluster: A function of `RunSettings` that returns the `Cluster` of `run.dask_address`, see
            `searchsocket.pipeline.extraction.cluster`.
        stays_here: Changes of its section for a corpus that stays on this machine, such as source code.
        sites: A `Sites` of `searchsocket.cli.sites`: it chooses the projects that `serve` and `mcp` answer about. The
            first extension that has one decides.
        commands: By name.
        options: Name of a command of the core -> a function that returns it with more options or subcommands. Only of
            ours: to look for others would make each command slower.
    """

    name: str
    settings: str = ""
    switch: str = "enable"
    example: str = ""
    site_title: str = ""
    capabilities: str = ""
    tools: str = ""
    resources: str = ""
    endpoints: str = ""
    assets: str = ""
    services: str = ""
    contents: str = ""
    readers: Mapping[str, str] = field(default_factory=dict)
    readers_version: str = ""
    files: Sequence[str] = ()
    stages: str = ""
    input_paths: Sequence[str] = ()
    output_dir: str = ""
    when_off: str = ""
    corpora: str = ""
    store: Store | None = None
    source: PageSource | None = None
    checks: str = ""
    status: str = ""
    run_listener: str = ""
    run_hooks: str = ""
    judged_by: Sequence[str] = ()
    run_checks: str = ""
    shared_vectors: str = ""
    cluster: str = ""
    stays_here: Mapping[str, object] = field(default_factory=dict)
    sites: str = ""
    commands: Mapping[str, Command] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    def is_on(self, settings: object) -> bool:
        """Return True unless the switch in its section is off."""
        return bool(self.setting(settings, self.switch, True))

    def setting(self, settings: object, key: str, default: Any = "") -> Any:
        """Return a value of its section; the default if it has no such key."""
        section = getattr(settings, self.name, None)
        if section is None and self.settings:  # nothing configures it
            section = load(self.settings)()
        return getattr(section, key, default)


def load(place: str) -> Any:
    """Import the object that `module:object` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
