"""Effects of `artifacts`: what is pushed, and how a machine without an index follows it."""

from uuid import uuid4

from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.prune import description_of, stored_generations
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.extensions.fleet.settings import artifacts_of
from tests.project.settings.lab import Effect, Lab, outcome

BUCKET = f"memory://effects-{uuid4().hex}"


def is_pushed(lab: Lab) -> bool:
    lab.index()
    return open_objects(f"{BUCKET}/url").size("scopes/main/CURRENT.json") is not None


def pushes_state(lab: Lab) -> bool:
    """Return True if the last generation was pushed with its state."""
    lab.site.write("docs/new.html", "New", f"<p>A page about ropes, {uuid4().hex}.</p>")
    lab.index()
    objects = open_objects(artifacts_of(lab.project).url)
    (live,) = (generation for generation in stored_generations(objects) if generation.is_live)
    return description_of(objects, live).state is not None


def is_followed_after_100_s(lab: Lab) -> bool:
    """Return True if a service has switched to a second generation after 100 s."""
    seconds = 0.0
    lab.index()
    pulled = open_pulled(lab.project, {}, artifacts_of(lab.project).url, monotonic=lambda: seconds)
    scope = pulled.project.scope_named("main")
    first = pulled.store.reader(scope).generation.name
    lab.site.write("docs/new.html", "New", f"<p>A page about ropes, {uuid4().hex}.</p>")
    lab.index()
    seconds = 100.0
    pulled.store.refresh()
    return pulled.store.reader(scope).generation.name != first


def pulls(lab: Lab) -> str:
    lab.index()
    return outcome(lambda: open_pulled(lab.project, {}, artifacts_of(lab.project).url), naming="artifacts.max_mb")


def many_words(lab: Lab) -> None:
    """An index of more than a megabyte."""
    for page in range(10):
        lab.page(f"long/{page}.html", "".join(f"<p>{f'word{n} ' * 9}</p>" for n in range(page, 9_000, 10)))


EFFECTS = (
    Effect("artifacts.url", f"{BUCKET}/url", is_pushed, False, True),
    Effect("artifacts.state", False, pushes_state, True, False, given={"artifacts.url": f"{BUCKET}/state"}, anew=True),
    Effect("artifacts.poll_seconds", 300.0, is_followed_after_100_s, True, False,
           given={"artifacts.url": f"{BUCKET}/poll"}, anew=True),
    Effect("artifacts.max_mb", 1, pulls, "ok", "ARTIFACT_INVALID",
           given={"artifacts.url": f"{BUCKET}/max"}, prepare=many_words, anew=True),
)  # fmt: skip
