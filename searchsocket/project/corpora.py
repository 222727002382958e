"""A scope has two corpora: the pages of its site, and the source files of its project."""

from typing import Literal

from searchsocket.extensions import built_in, store_named
from searchsocket.project.project import Project
from searchsocket.project.settings.model import VectorSettings

CorpusName = Literal["site", "code"]
_FOLDER = "code"
_CODE_SUFFIX = f"-{_FOLDER}"  # of the project id


def code_home(project: Project) -> Project:
    """The project for its source files: with a separate state, index and generations, and the same scopes.

    It has its own id, so that both corpora are separate in a shared vector database. The embedding cache is shared.
    Its index stays on this machine, since source code is not public.
    """
    settings = project.settings
    return Project(
        project.root,
        settings.model_copy(
            update={
                "state": settings.state.model_copy(update={"dir": f"{settings.state.dir}/{_FOLDER}"}),
                "vector": _vector(project, settings.vector),
                **{
                    each.name: section.model_copy(update=each.stays_here)
                    for each in built_in()
                    if each.stays_here and (section := getattr(settings, each.name, None))
                },
            }
        ),
        f"{project.id}{_CODE_SUFFIX}",
    )


def configured_id(project_id: str, own_id: str) -> str:
    """The value of `project.id` that gives this id, if both ids are of the same corpus."""
    is_code = project_id.endswith(_CODE_SUFFIX) and own_id.endswith(_CODE_SUFFIX)
    return project_id.removesuffix(_CODE_SUFFIX) if is_code else project_id


def _vector(project: Project, settings: VectorSettings) -> VectorSettings:
    """The vector settings with a folder of its own, and with tables of its own where these belong to one project."""
    path = settings.local.path
    elsewhere = str(project.state_dir.parent / f"{path}-{_FOLDER}") if path else ""
    changes: dict[str, object] = {"local": settings.local.model_copy(update={"path": elsewhere})}
    store = store_named(settings.provider) if settings.provider != "local" else None
    if (
        store
        and store.has_one_project
        and (name := getattr(section := getattr(settings, settings.provider), store.name_key))
    ):
        changes[settings.provider] = section.model_copy(update={store.name_key: f"{name}_{_FOLDER}"})
    return settings.model_copy(update=changes)
