"""Queries are mined by rules: each kind has the pages that answer it, and pages that say it themselves are left out."""

from pathlib import Path

from bench.relevance.collection import Collection, Document, Query
from training.ranking.documents import Site, _links, _page_path, site_names
from training.ranking.queries import RULES, mined

FORKS = """# Forks

Forks start tasks. See [cancelling tasks](./cancellation.md#how) for what stops them, or [here](cancellation).

## Attached forks

To start a task in the background, use `fork(fn, args)`. A fork is a fork.
"""
CANCELLATION = """# Task cancellation

```
Error: cannot cancel a task that has finished
```

## Using tokens

A token stops the fork. A fork can be stopped.

## `cancel()`
"""
OTHER = "# Overview\n\nA fork here. Call `cancel(task)` to stop.\n\n## Using tokens\n"


def site() -> Site:
    documents = (
        Document("/api/forks", "Forks", FORKS),
        Document("/api/cancellation", "Task cancellation", CANCELLATION),
        Document("/start", "Overview", OTHER),
    )
    return Site("small", documents, {"/start": "First steps with tasks and forks"}, tuple(_links(list(documents))))


def queries_of(kind: str, collection: Collection) -> dict[str, tuple[list[str], list[str]]]:
    def facts(query: Query) -> tuple[list[str], list[str]]:
        return list(collection.grades[query.id]), sorted(query.exclude)

    return {query.text: facts(query) for query in collection.queries if query.kind == kind}


def test_each_rule_gives_its_queries() -> None:
    collection = mined(site())
    forks, cancellation = ["/api/forks"], ["/api/cancellation"]
    assert queries_of("anchor", collection) == {"cancelling tasks": (cancellation, forks)}  # "here" says nothing
    assert queries_of("description", collection) == {"First steps with tasks and forks": (["/start"], [])}
    assert queries_of("error", collection) == {"Error: cannot cancel a task that has finished": (cancellation, [])}
    assert queries_of("call", collection) == {"cancel(task)": (cancellation, ["/start"])}
    assert any("start a task in the background" in text for text in queries_of("task", collection))
    assert "using tokens" not in queries_of("heading", collection)  # two pages have it
    assert "attached forks" in queries_of("heading", collection)
    assert {kind for kind in RULES if queries_of(kind, collection)} >= {"title", "in", "versus"}


def test_the_same_site_gives_the_same_queries() -> None:
    assert mined(site()) == mined(site())


def test_paths_are_those_of_pages() -> None:
    paths = ("/guide/01-intro/index.md", "/(guides)/a.mdx", "README.md", "/x.y/_index.md")
    assert [_page_path(path) for path in paths] == ["/guide/intro", "/a", "/", "/x.y"]


def test_the_list_of_sites_is_pinned_and_keeps_judged_sites_out() -> None:
    names = site_names()
    rows = (Path(__file__).parents[2] / "training/ranking/sites.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(names) == len(set(names)) == len(rows)
    for row in rows:
        source = row.split("\t")[1]
        assert source.startswith("site:") or len(source.rpartition("@")[2]) == 40
        assert not source.startswith(
            ("vuejs/", "reactjs/", "eslint/", "sveltejs/", "vitejs/", "withastro/", "fastapi/")
        )
