"""The mirror document is exact, stable and never misread (spec 8.4)."""

import contextlib
import math
from dataclasses import fields, replace
from typing import get_args, get_type_hints

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.mirror import page_digest, parse_page, render_page, text_digest, text_of_scope
from searchsocket.content.pages import Page
from searchsocket.errors import IndexCorrupt
from searchsocket.types import PageFacts, RouteResolution

FACTS = PageFacts(
    url="/docs/getting-started",
    title="Getting Started",
    route_file="src/routes/docs/getting-started/+page.svelte",
    route_resolution="exact",
    incoming_links=8,
    depth=2,
    link_texts=("Start here",),
    tags=("docs",),
)
PAGE = Page(
    FACTS,
    scope="main",
    body="# Getting Started {#start}\n\nRun `make`.",
    outgoing_links=12,
    generated_at="2026-02-10T00:00:00Z",
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
KINDS = {
    str: texts,
    int: st.integers(0, 10**9),
    float: st.floats(0, 100),
    tuple[str, ...]: st.lists(texts, max_size=4).map(tuple),
    RouteResolution: st.sampled_from(get_args(RouteResolution)),
}
facts = st.builds(PageFacts, **{name: KINDS[hint] for name, hint in get_type_hints(PageFacts).items()})
counts = st.integers(0, 10**9)
pages = st.builds(Page, facts, scope=texts, body=texts, outgoing_links=counts, generated_at=texts)


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
    assert (read["url"], read["title"], read.get("tags", [])) == (
        page.facts.url,
        page.facts.title,
        list(page.facts.tags),
    )


@given(pages, texts)
def test_the_digest_ignores_only_the_time_and_the_scope(page: Page, time: str) -> None:
    """`generated_at` is in no hash, and scopes that say the same have one; everything else is in it (spec 8.4)."""
    named = replace(page, scope=f"{page.scope}x")
    assert page_digest(replace(named, generated_at=time, scope=f"{time}y")) == page_digest(named)
    assert page_digest(replace(page, scope="")) != page_digest(named)  # its lines have other numbers
    assert page_digest(replace(page, facts=replace(page.facts, title=page.facts.title + "x"))) != page_digest(page)


@given(pages, texts)
def test_a_file_of_another_scope_differs_by_its_name_alone(page: Page, scope: str) -> None:
    """So a new scope's files are made of those of its origin."""
    page, scope = replace(page, scope=f"{page.scope}x"), f"{scope}y"
    text = render_page(page)
    assert text_of_scope(text, scope) == render_page(replace(page, scope=scope))
    assert text_digest(text_of_scope(text, scope)) == page_digest(page)


@pytest.mark.parametrize("name", [field.name for kind in (Page, PageFacts) for field in fields(kind)])
def test_every_field_is_in_the_digest(name: str) -> None:
    """A field that is added later and not hashed would never be published."""
    owner = FACTS if hasattr(FACTS, name) else PAGE
    value = getattr(owner, name)
    if name in ("facts", "generated_at", "scope"):
        return
    other = {str: "other", int: 99, float: 2.5, tuple: ("other",)}[type(value)]
    if name == "route_resolution":
        other = "none"
    changed = replace(owner, **{name: other})
    page = replace(PAGE, facts=changed) if isinstance(changed, PageFacts) else changed
    assert page_digest(page) != page_digest(PAGE)


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
        assert parse_page(render_page(replace(PAGE, facts=replace(FACTS, weight=weight)))).facts.weight == weight
