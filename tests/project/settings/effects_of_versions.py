"""Effects of `versions`: which folders are versions, and which of them are searched."""

from collections.abc import Callable

from tests.project.settings.lab import Effect, Lab


def folders(*names: str) -> Callable[[Lab], None]:
    """Two pages in each folder, which differ between the folders, and are named alike."""

    def prepare(lab: Lab) -> None:
        for name in names:
            for page in ("boats", "oars"):
                lab.page(f"{name}/{page}.html", f"<main><h1>{page}</h1><p>All about {page} of {name}.</p></main>")

    return prepare


def searched(lab: Lab) -> list[str]:
    """The pages that a query finds."""
    lab.index()
    return sorted(url for url in lab.found("boats") if url.endswith("boats"))


def versions(lab: Lab) -> list[str]:
    return [str(row["name"]) for row in lab.index().versions]


EFFECTS = (
    Effect("versions.detect", False, versions, ["2.0", "1.0"], [], prepare=folders("1.0", "2.0")),
    Effect(
        "versions.pattern", "/docs/{version}", versions, [], ["oak", "elm"], prepare=folders("docs/oak", "docs/elm")
    ),
    Effect("versions.default", "1.0", searched, ["/2.0/boats"], ["/1.0/boats"], prepare=folders("1.0", "2.0")),
    Effect("versions.exclude", ["2.*"], searched, ["/2.0/boats"], ["/1.0/boats"], prepare=folders("1.0", "2.0")),
)
