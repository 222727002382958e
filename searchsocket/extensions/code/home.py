"""The home of the source code of a project."""

from searchsocket.project.corpora import corpus_home
from searchsocket.project.project import Project

NAME = "code"


def code_home(project: Project) -> Project:
    """The project for its source files, see `corpus_home`."""
    return corpus_home(project, NAME)
