"""Effects of `redaction`: what a provider elsewhere is sent of a page that shows keys."""

from tests.project.settings.effects_of_embeddings import SERVED, embedding
from tests.project.settings.lab import WEB, Effect, Lab

VALUES = ("9f86d081884c7d65", "AKIAIOSFODNN7EXAMPLE", "s3cr3t-l1cence")
GIVEN = SERVED | {"embeddings.base_url": f"{WEB}/own", "embeddings.price_per_million_tokens_usd": 0.0}
KEY, SAMPLE, LICENCE = VALUES


def write_keys(lab: Lab) -> None:
    lab.page("keys.html", f"<main><p>API_KEY={KEY} and {SAMPLE} and LICENCE={LICENCE}</p></main>")


def sent(lab: Lab) -> list[str]:
    """Return the values that were sent to the provider."""
    lab.web.requests.clear()
    lab.index()
    bodies = b" ".join(request.body for request in lab.web.requests).decode()
    return [value for value in VALUES if value in bodies]


EFFECTS = (
    Effect(
        "redaction.enabled", False, sent, [LICENCE], [KEY, SAMPLE, LICENCE], GIVEN, write_keys, embedding, anew=True
    ),
    Effect("redaction.names", ["licence"], sent, [LICENCE], [KEY], GIVEN, write_keys, embedding, anew=True),
    Effect("redaction.keep", [SAMPLE], sent, [LICENCE], [SAMPLE, LICENCE], GIVEN, write_keys, embedding, anew=True),
)
