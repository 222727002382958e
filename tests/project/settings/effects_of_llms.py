"""Effects of `llms`, `export` and `api.public_url`: what runs write next to the pages, and agents read of a site."""

from collections.abc import Callable

from tests.project.settings.lab import Effect, Lab

PLAIN = "- Every page is also available as Markdown"


def lists(lab: Lab) -> list[str]:
    """Return the paths of page lists that runs wrote."""
    lab.index()
    return sorted(path.relative_to(lab.root).as_posix() for path in lab.root.rglob("llms.txt"))


def exports(lab: Lab) -> list[str]:
    """Return the folders of exports that runs wrote."""
    lab.index()
    return sorted(path.parent.relative_to(lab.root).as_posix() for path in lab.root.rglob("searchsocket.json"))


def line(number: int) -> Callable[[Lab], str]:
    """A line of the list that a service answers with, up to a colon."""
    return lambda lab: lab.api().get("/llms.txt").text.split("\n")[number].partition(":")[0]


def full_texts(lab: Lab) -> int:
    lab.index()
    return sum("llms-full" in path.name for path in (lab.root / "build").rglob("*.txt"))


def write_long_pages(lab: Lab) -> None:
    for name in ("a", "b", "c"):
        lab.page(f"{name}.html", f"<main>{'<p>A bowline holds a mooring rope.</p>' * 20}</main>")


EFFECTS = (
    Effect("llms.enable", True, lists, [], ["build/llms.txt"]),
    Effect("llms.dir", "static/{scope}", lists, ["build/llms.txt"], ["static/main/llms.txt"],
           given={"llms.enable": True}),
    Effect("llms.title", "Fjord museum", line(0), "# Home", "# Fjord museum"),
    Effect("llms.summary", "Boats and tides.", line(2), PLAIN, "> Boats and tides."),
    Effect("llms.max_kb", 1, full_texts, 1, 4, given={"llms.enable": True}, prepare=write_long_pages),
    Effect("export.static", True, exports, [], ["build/searchsocket"]),
    Effect("export.dir", "static/{scope}", exports, ["build/searchsocket"], ["build/searchsocket", "static/main"],
           given={"export.static": True}),
    Effect("api.public_url", "https://search.fjord.example",
           lambda lab: "https://search.fjord.example/api/search" in lab.api().get("/llms.txt").text, False, True),
)  # fmt: skip
