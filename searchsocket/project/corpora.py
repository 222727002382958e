"""Corpora of a scope: the pages of its site, and those that extensions index."""

from searchsocket.extensions import built_in, corpus_names, store_named
from searchsocket.project.project import Project
from searchsocket.project.settings.model import VectorSettings


def corpus_home(project: Project, name: str) -> Project:
    """The project for a further corpus: with a separate state, index and generations, and the same scopes.

    It has its own id, so that corpora are separate in a shared vector database. The embedding cache is shared.
    Its index stays on this machine, since source code is not public.
    """
    settings = project.settings
    return Project(
        project.root,
        settings.model_copy(
            update={
                "state": settings.state.model_copy(update={"dir": f"{settings.state.dir}/{name}"}),
                "vector": _vector(project, settings.vector, name),
                **{
                    each.name: section.model_copy(update=each.stays_here)
                    for each in built_in()
                    if each.stays_here and (section := getattr(settings, each.name, None))
                },
            }
        ),
        f"{project.id}-{name}",
    )


def configured_id(project_id: str, own_id: str) -> str:
    """The value of `project.id` that gives this id, if both ids are of the same corpus."""
    suffixes = (f"-{name}" for name in corpus_names()[1:])
    suffix = next((each for each in suffixes if project_id.endswith(each) and own_id.endswith(each)), "")
    return project_id.removesuffix(suffix)


def _vector(project: Project, settings: VectorSettings, name: str) -> VectorSettings:
    """The vector settings with a folder of its own, and with tables of its own where these belong to one project."""
    path = settings.local.path
    elsewhere = str(project.state_dir.parent / f"{path}-{name}") if path else ""
    changes: dict[str, object] = {"local": settings.local.model_copy(update={"path": elsewhere})}
    store = store_named(settings.provider) if settings.provider != "local" else None
    if (
        store
        and store.has_one_project
        and (tables := getattr(section := getattr(settings, settings.provider), store.name_key))
    ):
        changes[settings.provider] = section.model_copy(update={store.name_key: f"{tables}_{name}"})
    return settings.model_copy(update=changes)
