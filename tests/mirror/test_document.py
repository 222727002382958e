"""The mirror document is exact, stable and never misread (spec 8.4)."""

import contextlib
import math
from dataclasses import fields, replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import IndexCorrupt
from searchsocket.mirror.document import page_digest, parse_page, render_page
from searchsocket.types import Page

PAGE = Page(
    url="/docs/getting-started",
    title="Getting Started",
    scope="main",
    body="# Getting Started {#start}\n\nRun `make`.",
    route_file="src/routes/docs/getting-started/+page.svelte",
    route_resolution="exact",
    incoming_links=8,
    outgoing_links=12,
    depth=2,
    link_texts=("Start here",),
    tags=("docs",),
    generated_at="2026-02-10T00:00:00Z",
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
pages = st.builds(
    Page,
    url=texts,
    title=texts,
    scope=texts,
    body=texts,
    description=texts,
    language=texts,
    route_file=texts,
    route_resolution=st.sampled_from(["exact", "best-effort", "none"]),
    incoming_links=st.integers(0, 10**9),
    outgoing_links=st.integers(0, 10**9),
    link_texts=st.lists(texts, max_size=4).map(tuple),
    depth=st.integers(0, 50),
    tags=st.lists(texts, max_size=4).map(tuple),
    weight=st.floats(0, 100),
    published=texts,
    modified=texts,
    generated_at=texts,
)


def test_a_page_is_written_as_the_specification_shows() -> None:
    """Keys, order and quoting of spec 8.4: people read this file."""
    assert render_page(PAGE) == (
        "---\n"
        'url: "/docs/getting-started"\n'
        'title: "Getting Started"\n'
        'scope: "main"\n'
        'routeFile: "src/routes/docs/getting-started/+page.svelte"\n'
        'routeResolution: "exact"\n'
        'generatedAt: "2026-02-10T00:00:00Z"\n'
        "incomingLinks: 8\n"
        "outgoingLinks: 12\n"
        "depth: 2\n"
        'linkTexts: ["Start here"]\n'
        'tags: ["docs"]\n'
        "---\n"
        "\n"
        "# Getting Started {#start}\n\nRun `make`.\n"
    )


@given(pages)
def test_reading_gives_back_what_was_written(page: Page) -> None:
    """No value of any field may leak into another one or get lost."""
    assert parse_page(render_page(page)) == page


@given(pages)
def test_the_front_matter_is_yaml_for_everybody_else(page: Page) -> None:
    """Other tools read the mirror with a YAML parser."""
    head = render_page(page).split("\n---\n\n")[0].removeprefix("---\n")
    read = yaml.safe_load(head)
    assert (read["url"], read["title"], read.get("tags", [])) == (page.url, page.title, list(page.tags))


@given(pages, texts)
def test_the_digest_ignores_only_the_time(page: Page, time: str) -> None:
    """`generated_at` is in no hash; everything else is (spec 8.4)."""
    assert page_digest(replace(page, generated_at=time)) == page_digest(page)
    assert page_digest(replace(page, title=page.title + "x")) != page_digest(page)


@pytest.mark.parametrize("name", [field.name for field in fields(Page) if field.name != "generated_at"])
def test_every_field_is_in_the_digest(name: str) -> None:
    """A field that is added later and not hashed would never be published."""
    value = getattr(PAGE, name)
    other = {str: "other", int: 99, float: 2.5, tuple: ("other",)}[type(value)]
    if name == "route_resolution":
        other = "none"
    assert page_digest(replace(PAGE, **{name: other})) != page_digest(PAGE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# no front matter\n",
        render_page(PAGE)[:-1],
        render_page(PAGE)[:120],
        render_page(PAGE).replace("depth: 2", "depth: two"),
        render_page(PAGE).replace("depth: 2", 'depth: "2"'),
        render_page(PAGE).replace("depth: 2", "depth: true"),
        render_page(PAGE).replace("depth: 2", "depth: 2\ndepth: 2"),
        render_page(PAGE).replace("depth: 2\n", ""),
        render_page(PAGE).replace("depth: 2", "deepness: 2"),
        render_page(PAGE).replace("depth: 2", "depth: 2\nweight: NaN"),
        render_page(PAGE).replace("depth: 2", "depth: " + "9" * 5000),
        render_page(PAGE).replace('["docs"]', "[" * 100_000),
        render_page(PAGE).replace('["docs"]', "[1]"),
        render_page(PAGE).replace('"exact"', '"certain"'),
        render_page(PAGE).replace("\n", "\r\n"),
        render_page(PAGE).replace('title: "', "title: &a !!python/object:os.system"),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str) -> None:
    """A half or edited file is detected and named, never half understood."""
    with pytest.raises(IndexCorrupt, match="mirror"):
        parse_page(text)


@given(st.text())
def test_no_text_crashes_the_reader(text: str) -> None:
    """Whatever lies in the folder, the answer is a page or `IndexCorrupt`."""
    with contextlib.suppress(IndexCorrupt):
        assert render_page(parse_page(text)) == text


def test_weights_survive_exactly() -> None:
    """0 takes a page out of search, so it must not be taken for the default."""
    for weight in (0.0, 0.1, 1.0, math.pi):
        assert parse_page(render_page(replace(PAGE, weight=weight))).weight == weight
