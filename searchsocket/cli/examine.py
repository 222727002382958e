"""The checks of `searchsocket doctor`; each yields lines, or raises the error that it detects."""

import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from searchsocket.backends import Backends
from searchsocket.cli.clean import all_scopes
from searchsocket.cli.output import CheckLine, count, size
from searchsocket.cli.summary import source_lines
from searchsocket.curation.rules import FILE_NAME
from searchsocket.errors import EmbedderRefused, PermissionDenied, ScopeLocked, SearchSocketError
from searchsocket.models.rerankers import deprecation, make_reranker
from searchsocket.pipeline.extraction.cluster import cluster_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.remote_index import findings
from searchsocket.project.access import private_folders
from searchsocket.project.project import Project, dagster_home
from searchsocket.state.project import ProjectState
from searchsocket.stores.base.vectors import check_vectors
from searchsocket.system.files import bytes_below, is_temporary
from searchsocket.text.skipped import first_skipped, skipped_words
from searchsocket.types import Generation

_LOW_DISK_BYTES = 200_000_000
_COUNTED_PAGES = 100_000
_LISTED_BYTES = 100_000  # smaller entries are not listed by name


def scope(project: Project) -> Iterator[CheckLine]:
    """Report the scope of a command without `--scope`."""
    yield CheckLine("scope", True, project.scope(os.environ).name)


def project_name(project: Project) -> Iterator[CheckLine]:
    """Raise for an index of another project, or of this one under an earlier name; yield no line."""
    all_scopes(project)
    yield from ()


def source(project: Project) -> Iterator[CheckLine]:
    """Check that there are pages."""
    pages_source = ScopeRun(project, project.scope(os.environ), "doctor", environ=os.environ).make_source()
    origin = ", ".join(text for _, text in source_lines(pages_source.origin.facts()))
    listed = pages_source.pages()
    if pages_source.kind.is_remote:  # one page shows that the host answers; all pages would be a crawl
        yield CheckLine("source", True, f"{origin}, {next(listed).url} was fetched")
        return
    pages = sum(1 for _ in islice(listed, _COUNTED_PAGES))
    if pages == 0:
        yield CheckLine(
            "source", False, f"{origin} contains no pages", "build the site, or set source.static_output_dir"
        )
        return
    report = pages_source.report
    total = pages + len(report.skipped) + len(report.failed)  # counted by `index` as found
    skipped = skipped_words(first_skipped(report.skipped), Counter(report.skipped.values()))
    yield CheckLine(
        "source", True, f"{origin}, {count(total, 'page')} found" + (f"; skipped: {skipped}" if skipped else "")
    )
    yield from (CheckLine(name, True, text) for name, text in report.facts().items())
    for locator, error in sorted(pages_source.report.failed.items())[:5]:
        yield CheckLine("source", False, f"{locator}: {error}", "make the file readable, or exclude it")


def state_folder(project: Project) -> Iterator[CheckLine]:
    """Check that the state folder (or its parent) is writable, and report who may read it."""
    folder = project.state_dir
    while not folder.exists():
        folder = folder.parent
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"searchsocket")
    free = shutil.disk_usage(folder).free
    low = free < _LOW_DISK_BYTES
    fix = "free disk space; a new generation is built next to the live one" if low else ""
    sizes = {path.name: bytes_below(path) for path in sorted(project.state_dir.glob("*"))}
    parts = {name: used for name, used in sizes.items() if used >= _LISTED_BYTES}
    largest = ", ".join(f"{name} {size(parts[name])}" for name in sorted(parts, key=lambda name: -parts[name]))
    usage = f", {size(bytes_below(project.state_dir))} in it" + (f" ({largest})" if largest else "")
    yield CheckLine("state", not low, f"{project.state_dir} is writable, {free / 1e9:.1f} GB free{usage}", fix)
    for gate in private_folders(project):
        if gate.exists() and gate.stat().st_mode & stat.S_IXOTH:
            message = f"every user of this machine can read {gate} and every scope in it"
            yield CheckLine("state", True, message, f"run `chmod o-rwx {gate}`, unless that is intended")


def locks(project: Project) -> Iterator[CheckLine]:
    """Report scopes with a running run. A lock ends with its owner, so no stale locks exist."""
    busy = []
    state = ProjectState(project.state_dir)
    for scope in all_scopes(project):
        try:
            with state.lock(scope.name):
                pass
        except ScopeLocked as error:
            busy.append(str(error))
    yield from (CheckLine("locks", True, message) for message in busy or ["no run is running"])


def model(project: Project) -> Iterator[CheckLine]:
    """Check that the embedding model loads and returns a valid vector."""
    backends = Backends(project, os.environ, local_only=True)
    recorded = ""
    with suppress(SearchSocketError):  # `scope` and `index` report it
        live = backends.store.generation(project.scope(os.environ))
        recorded = live.model_id if live else ""
    try:
        embedder = backends.embedder_of(recorded)
        check_vectors(embedder.embed(["a"], "query"), 1, embedder.dimensions)  # costs one token, if the model is paid
    except SearchSocketError as error:
        problem = error.problem if isinstance(error, EmbedderRefused) else str(error)
        yield CheckLine("model", False, problem, error.fix or "correct [embeddings]")
    else:
        yield CheckLine("model", True, f"{embedder.model_id}, {embedder.dimensions} dimensions")


def reranker(project: Project) -> Iterator[CheckLine]:
    """Check that a configured reranker scores two words; a paid one charges for them."""
    settings = project.settings.rerank
    if settings.provider == "none":
        return
    judge = make_reranker(settings, project.environment(os.environ))
    judge.rerank("search", ["search", "socket"], top_n=1, timeout_s=settings.timeout_s)
    if deprecated := deprecation(settings):
        yield CheckLine("reranker", True, f"{judge.model_id} answers", str(deprecated))
    else:
        yield CheckLine("reranker", True, f"{judge.model_id} answers")


def index(project: Project) -> Iterator[CheckLine]:
    """Check that the store answers, and compare every file of every live generation with its manifest."""
    backends = Backends(project, os.environ, calls=False, local_only=True)
    store = backends.store
    health = store.health()
    yield CheckLine(
        "vector store", health.ok, health.details or "healthy", "" if health.ok else "see the message above"
    )
    for scope in all_scopes(project):
        name = f"index {scope.name}"
        fix = f"run `searchsocket index --force --scope {scope.name}`, or `searchsocket rollback --scope {scope.name}`"
        try:
            problems = store.verify(scope)
            generation = store.generation(scope)
        except SearchSocketError as error:
            yield CheckLine(name, False, str(error), error.fix or ("" if isinstance(error, PermissionDenied) else fix))
            continue
        if problems:
            yield CheckLine(name, False, "; ".join(problems[:5]), fix)
        elif generation is None:
            yield CheckLine(name, True, "not published yet")
        else:
            yield _index_line(name, generation, backends)


def _index_line(name: str, generation: Generation, backends: Backends) -> CheckLine:
    """Report a sound index, and check that the configured model made it, if a model is available."""
    summary = f"{generation.name}, {count(generation.records, 'record')}, all files intact"
    try:
        model_id = backends.embedder_of(generation.model_id).model_id
    except SearchSocketError:  # `model` reports it
        return CheckLine(name, True, f"{summary}; its model was not checked, because no model is available")
    if generation.model_id == model_id:
        return CheckLine(name, True, summary)
    fix = f"run `searchsocket index --force --scope {generation.scope}` to migrate it"
    return CheckLine(name, False, f"indexed with {generation.model_id}, but {model_id} is configured", fix)


def curation(project: Project) -> Iterator[CheckLine]:
    """Report rules of the owner that are not valid, or have no effect."""
    backends = Backends(project, os.environ, calls=False, local_only=True)
    rules = backends.curation.rules()
    yield from (
        CheckLine("curation", False, mistake, "correct this line; the other rules count") for mistake in rules.mistakes
    )
    if not rules.digest:
        return
    amount = count(len(rules.pages) + len(rules.synonyms), "rule")
    yield CheckLine("curation", True, f"{amount} in {project.root / FILE_NAME}")
    aliases: Mapping[str, str] = {}
    records: Callable[[str], object] = bool  # a path is never empty: without an index no page is missing
    with suppress(SearchSocketError):  # `index` reports it
        reader = backends.store.reader(project.scope(os.environ))
        aliases, records = reader.generation.aliases, reader.catalogue.page_records
    for notice in backends.curation.notices(lambda page: page in aliases or bool(records(page))):
        if notice not in rules.mistakes:
            yield CheckLine("curation", True, notice)


def vectors(project: Project) -> Iterator[CheckLine]:
    """Check that a remote vector store answers and has a row for every record."""
    backends = Backends(project, os.environ, calls=False)
    if (remote := backends.store.remote_index) is None:
        return
    problems = list(findings(backends, all_scopes(project)))
    yield from (CheckLine("vectors", False, each.problem, each.fix) for each in problems)
    if not problems:
        scopes = remote.registered()
        rows = count(sum(scope.records for scope in scopes), "record")
        yield CheckLine(
            "vectors", True, f"{project.settings.vector.provider} contains {rows} of {count(len(scopes), 'scope')}"
        )


def cluster(project: Project) -> Iterator[CheckLine]:
    """Check that a configured cluster answers."""
    if cluster := cluster_of(project.settings.run):
        with cluster.connect():
            yield CheckLine("cluster", True, f"the Dask scheduler at {cluster.label} answers")


def leftovers(project: Project) -> Iterator[CheckLine]:
    """Report leftovers of dead runs; the next run deletes them."""
    paths = [path for path in project.state_dir.rglob("*") if is_temporary(path) or path.name.endswith(".corrupt")]
    damaged = [path for path in paths if path.name.endswith(".corrupt")]
    for path in damaged:
        reason = f"a run could not use {path}, which was damaged or of another release, and built it again"
        yield CheckLine("leftovers", True, reason, "delete it")
    if partial := len(paths) - len(damaged):
        yield CheckLine("leftovers", True, f"{count(partial, 'unfinished file')}; the next run deletes them")
    elif not damaged:
        yield CheckLine("leftovers", True, "none")


def dagster(project: Project) -> Iterator[CheckLine]:
    """Report Dagster's home and its size."""
    home = dagster_home(project, os.environ)
    size = 0
    for path in home.rglob("*"):
        with suppress(FileNotFoundError):  # a database that is in use removes journals
            size += path.lstat().st_size
    yield CheckLine("dagster", True, f"{home}, {size / 1e6:.1f} MB" if home.is_dir() else f"{home} (not created yet)")
