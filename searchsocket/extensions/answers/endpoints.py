"""Add the endpoints of answers to a service whose settings enable them."""

from search_api.extension import Added, AppContext
from searchsocket.extensions.answers.settings import AnswersSettings


def add_endpoints(context: AppContext) -> Added:
    """Add the endpoints, if the settings enable answers."""
    if context.project.settings.section(AnswersSettings).enable:
        from searchsocket.extensions.answers.api import add_answers  # 0.1 s and 6 MB: an HTTP client

        add_answers(context)
    return Added()
