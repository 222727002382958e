"""Effects of `ranking` and `api`: permissions and the order of results."""

import contextlib
import io
from collections.abc import Callable

from tests.project.settings.lab import KEYS, Effect, Lab

SEARCH = "/api/search?q=lantern"
SAME = "<main><h1>Lamp</h1><p>The lantern of the lighthouse.</p></main>"
ORIGIN = "https://museum.example"


def write_twins(lab: Lab) -> None:
    """Two pages that say the same; the one that comes later by name has links."""
    for file in ("a.html", "b.html"):
        lab.page(file, SAME)
    for number in range(5):
        lab.page(f"more/{number}.html", "<main><p>Ropes and <a href='/b'>more</a>.</p></main>")


def write_deep_twins(lab: Lab) -> None:
    lab.page("a/far/away.html", SAME)
    lab.page("z.html", SAME)


def write_runner_up(lab: Lab) -> None:
    """The page that answers best, and one that answers less well but has links."""
    lab.page("a.html", "<main><p>Tallow candle, tallow candle.</p></main>")
    lab.page("b.html", "<main><p>A tallow candle was found among ropes, nets, oars and other things.</p></main>")
    for number in range(9):
        lab.page(f"more/{number}.html", "<main><p>Ropes and <a href='/b'>more</a>.</p></main>")


def write_listing(lab: Lab) -> None:
    """A source listing, which holds the words of the guide more often."""
    lab.page("_modules/lamp.html", "<main><p>Tallow candle, tallow candle.</p></main>")
    lab.page("lamp.html", "<main><p>A tallow candle was found among ropes, nets, oars and other things.</p></main>")


def write_post(lab: Lab) -> None:
    """A post that says a little more of it than the guide does."""
    lab.page("blog/lamp.html", "<main><p>A tallow candle was found among chests, sails and other things.</p></main>")
    lab.page(
        "guides/lamp.html", "<main><p>A tallow candle was found among ropes, nets, oars and all of that.</p></main>"
    )


def write_copies(lab: Lab) -> None:
    text = " ".join(f"A tallow candle burns for {number} hours and then smokes." for number in range(5))
    for file in ("a.html", "b.html"):
        lab.page(file, f"<main><p>{text}</p></main>")


def result_copies(lab: Lab) -> list[str]:
    return [url for url in lab.found("tallow candle") if url in ("/a", "/b")]


def first(q: str) -> Callable[[Lab], str]:
    return lambda lab: lab.found(q, topK=1, groupBy="chunk")[0]


def status(path: str = SEARCH, *, base: str = "http://search.example", **headers: str) -> Callable[[Lab], int]:
    """The status that a stranger is answered with."""
    return lambda lab: lab.api(base=base).get(path, headers=headers).status_code


def scope_status(lab: Lab) -> int:
    """The status of a stranger's query to a scope besides the main one."""
    lab.index("preview")
    lab.index()
    return lab.api().get(f"{SEARCH}&scope=preview").status_code


def key_statuses(lab: Lab) -> list[int]:
    """The status for each of the keys in the environment."""
    api = lab.api()
    return [api.get(SEARCH, headers={"authorization": f"Bearer {key}"}).status_code for key in KEYS.values()]


def two_clients(lab: Lab) -> list[int]:
    """The statuses for two clients behind one proxy."""
    api = lab.api()
    return [api.get(SEARCH, headers={"x-forwarded-for": f"198.51.100.{n}"}).status_code for n in (1, 2)]


def asked_twice(lab: Lab) -> list[int]:
    api = lab.api()
    return [api.get(SEARCH).status_code for _ in range(2)]


def wait_is_long(lab: Lab) -> bool:
    """Return True if a refused client must wait for more than half a minute."""
    api = lab.api()
    api.get(SEARCH)
    return int(api.get(SEARCH).headers["retry-after"]) > 30


def allowed_origin(lab: Lab) -> str | None:
    return lab.api().get(SEARCH, headers={"origin": ORIGIN}).headers.get("access-control-allow-origin")


def paths(lab: Lab) -> list[int]:
    api = lab.api()
    return [api.get(path).status_code for path in (SEARCH, "/look?q=lantern", "/api/health", "/health")]


def access_lines(lab: Lab) -> int:
    """Return the number of lines that a request writes to stderr."""
    api = lab.api()
    with contextlib.redirect_stderr(io.StringIO()) as lines:
        api.get(SEARCH)
    return len(lines.getvalue().splitlines())


ONE = {"api.rate_limit.max": 1}
EFFECTS = (
    Effect("ranking.enable_incoming_link_boost", False, first("lighthouse lantern"), "/b", "/a", prepare=write_twins),
    Effect("ranking.enable_depth_boost", False, first("lighthouse lantern"), "/z", "/a/far/away",
           prepare=write_deep_twins),
    Effect("ranking.demote_listings", False, first("tallow candle"), "/lamp", "/_modules/lamp", prepare=write_listing),
    Effect("ranking.demote_occasions", False, first("tallow candle"), "/guides/lamp", "/blog/lamp",
           prepare=write_post),
    Effect("ranking.collapse_alike", False, result_copies, ["/a"], ["/a", "/b"],
           prepare=write_copies),
    Effect("ranking.weights.incoming_links", 0.0, first("lighthouse lantern"), "/b", "/a", prepare=write_twins),
    Effect("ranking.weights.depth", 0.0, first("lighthouse lantern"), "/z", "/a/far/away", prepare=write_deep_twins),
    Effect("ranking.candidate_k", 1, first("tallow candle"), "/b", "/a", prepare=write_runner_up,
           given={"ranking.weights.incoming_links": 1.0, "chunking.page_summary": False}),
    Effect("ranking.synonyms", [["lantern", "flare"]], lambda lab: "/blog/second" in lab.found("flare"), False, True),
    Effect("api.path", "/look", paths, [200, 404, 200, 404], [404, 200, 404, 200]),
    Effect("api.page", False, status("/"), 200, 404),
    Effect("api.access_log", True, access_lines, 0, 1),
    Effect("api.max_age_s", 60, lambda lab: lab.api().get(SEARCH).headers["cache-control"], "public, no-cache",
           "public, max-age=60"),
    Effect("api.scopes", ["main", "preview"], scope_status, 403, 200),
    Effect("api.key_env", "OTHER_KEY", key_statuses, [200, 401], [401, 200]),
    Effect("api.max_body_bytes", 10, lambda lab: lab.api().post({"q": "lantern"}).status_code, 200, 413),
    Effect("api.allowed_hosts", ["search.example"], status(base="http://other.example"), 200, 421),
    Effect("api.trusted_proxies", ["203.0.113.0/24"], two_clients, [200, 429], [200, 200], given=ONE),
    Effect("api.cors.allow_origins", [ORIGIN], allowed_origin, None, ORIGIN),
    Effect("api.rate_limit.window_ms", 30_000, wait_is_long, True, False, given=ONE),
    Effect("api.rate_limit.max", 1, asked_twice, [200, 200], [200, 429]),
)  # fmt: skip
