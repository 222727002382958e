"""Effects of `redaction`: what a provider elsewhere is sent of a page that shows keys."""

from tests.project.settings.effects_of_embeddings import SERVED, embedding
from tests.project.settings.lab import WEB, Effect, Lab

VALUES = ("9f86d081884c7d65", "AKIAIOSFODNN7EXAMPLE", "s3cr3t-l1cence")
BASE_SETTINGS = SERVED | {"embeddings.base_url": f"{WEB}/own", "embeddings.price_per_million_tokens_usd": 0.0}
KEY, SAMPLE, LICENCE = VALUES


def write_keys(lab: Lab) -> None:
    lab.page("keys.html", f"<main><p>API_KEY={KEY} and {SAMPLE} and LICENCE={LICENCE}</p></main>")


def leaked_values(lab: Lab) -> list[str]:
    """Return the values that were sent to the provider."""
    lab.web.requests.clear()
    lab.index()
    bodies = b" ".join(request.body for request in lab.web.requests).decode()
    return [value for value in VALUES if value in bodies]


EFFECTS = (
    Effect(
        "redaction.enabled",
        False,
        leaked_values,
        [LICENCE],
        [KEY, SAMPLE, LICENCE],
        BASE_SETTINGS,
        write_keys,
        embedding,
        anew=True,
    ),
    Effect(
        "redaction.names", ["licence"], leaked_values, [LICENCE], [KEY], BASE_SETTINGS, write_keys, embedding, anew=True
    ),
    Effect(
        "redaction.keep",
        [SAMPLE],
        leaked_values,
        [LICENCE],
        [SAMPLE, LICENCE],
        BASE_SETTINGS,
        write_keys,
        embedding,
        anew=True,
    ),
)
