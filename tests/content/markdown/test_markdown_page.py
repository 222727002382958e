"""Extraction of a Markdown or mdsvex content file (spec 8.1, mode content-files)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.content.markdown.dialects import plain_markdown
from searchsocket.content.markdown.heading_ids import Slugger
from searchsocket.content.markdown.page import extract_markdown, split_front_matter
from searchsocket.content.pages import ExtractedPage, Link, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.web.urls.resolve import site_base

SITE = site_base(["https://example.com"])
EXTRACT, TRANSFORM = ExtractSettings(), TransformSettings()
PAGE = RawPage("/docs/start", "/docs/start", "src/routes/docs/start/+page.md", "", "markdown")


def extract(
    text: str | bytes, extracting: ExtractSettings = EXTRACT, transforming: TransformSettings = TRANSFORM
) -> ExtractedPage:
    data = text.encode() if isinstance(text, str) else text
    return extract_markdown(data, PAGE, extracting, transforming, site=SITE)


FULL = """---
title: "Start: here"
description: How to start
tags: [api, guide]
date: 2024-01-05
updated: 2024-02-06T07:08:09Z
lang: de
searchsocket-weight: 0.5
---

<script lang="ts">
  import Note from './Note.svelte';
  const a = `# not a heading`;
</script>

# Start

See [next](./next.md#usage), [up](../+page.md), [docs](https://example.com/docs/index.md), [other](https://other.org/a.md)
and [ref].

{#if visible}
<Note type="info" on:click={() => a > b} items={["}"]}>
Inside a **component**.
</Note>
{:else}
{@html evil}
{/if}

<!-- a comment
```
-->

## Usage

```svelte
<script>
  // stays, with <!-- comments -->
</script>
{#if x}{/if}
```

## Usage {#own}
## Usage

- [x] done
- [ ] todo

| a | b |
|---|---|
| 1 | `x` |

<style>p { color: red }</style>

[ref]: /docs/ref "Title"
"""


def test_a_whole_file() -> None:
    """Front matter, components, blocks, code, headings, links: each in its place."""
    page = extract(FULL)
    assert page == ExtractedPage(
        title="Start: here",
        body="# Start {#start}\n\nSee [next](/docs/next#usage), [up](/), [docs](/docs), "
        "[other](https://other.org/a.md) and [ref](/docs/ref).\n\nInside a **component**.\n\n## Usage {#usage}\n\n"
        "```svelte\n<script>\n  // stays, with <!-- comments -->\n</script>\n{#if x}{/if}\n```\n\n"
        "## Usage {#own}\n\n## Usage {#usage-1}\n\n- [x] done\n- [ ] todo\n\n"
        "| a | b |\n| --- | --- |\n| 1 | `x` |",
        description="How to start",
        language="de",
        tags=("api", "guide"),
        weight=0.5,
        published="2024-01-05",
        modified="2024-02-06T07:08:09Z",
        links=(Link("/docs/next", "next"), Link("/", "up"), Link("/docs", "docs"), Link("/docs/ref", "ref")),
        main="markdown",
        # What components became has the lines of all that stands between its neighbours.
        source_lines=(16, 16, 18, 19, 21, 40, 21, 40, 21, 40, 42, 42, 43, 43, 45, 46, 48, 50),
    )


def test_line_ends_do_not_matter() -> None:
    """A checkout on Windows gives the same page."""
    assert extract(FULL.replace("\n", "\r\n")) == extract(FULL)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\n# Two", "One"),
        ("intro\n\n## Two", "Two"),
        ("Setext\n======", "Setext"),
        ("```\n# no\n```\n\ntext", "start"),
        ("+++\ntitle = 'T'\n+++\n# One", "T"),
        ("---\ntitle: [a]\n---\n# One", "One"),
    ],
)
def test_the_title(text: str, title: str) -> None:
    """Front matter, then the first h1, then any heading, then the address (original, failure 65)."""
    assert extract(text).title == title


@pytest.mark.parametrize(
    "head",
    [
        "searchsocket: false",
        "noindex: true",
        "draft: yes",
        "published: false",
        "searchsocket:\n  noindex: true",
        "search: false",
        "robots: noindex, follow",
    ],
)
def test_front_matter_can_take_a_page_out(head: str) -> None:
    """In every spelling that is documented."""
    assert extract(f"---\n{head}\n---\n# x").skip == "noindex"
    assert extract(f"+++\nnoindex = true\n+++\n# {head}").skip == "noindex"


def test_comments_can_take_out_what_is_between_them() -> None:
    page = extract(
        "# x\n\none\n\n<!-- noindex -->\n\ntwo\n\n<!-- /noindex -->\n\nthree <!-- noindex -->four<!-- /noindex -->"
    )
    assert (page.skip, page.body.split()[-2:]) == ("", ["one", "three"])


def test_a_tag_can_take_a_page_out_but_not_one_in_code() -> None:
    """A comment or tag inside a fence once hid the page (original, failure 66)."""
    assert extract("# x\n\n<div data-search-noindex>y</div>").skip == "noindex"
    assert extract('<svelte:head><meta name="robots" content="noindex"></svelte:head>\n# x').skip == "noindex"
    assert extract("# x\n\n```html\n<div data-search-noindex>\n```").skip == ""
    assert extract("# x\n\n<!-- noindex -->\n\ny").skip == "noindex"
    assert extract("<!--NOINDEX--># x").skip == "noindex"
    assert extract("# x\n\n```html\n<!-- noindex -->\n```\n\nand `<!-- noindex -->`").skip == ""
    assert extract("# x\n\n<!-- no index, or noindex -->y").skip == ""
    assert extract("# x\n\nWrite `<div data-search-noindex>` or `<!--`.\n\nMore").body.endswith("More")
    assert extract("---\nrobots: none\n---\nx", ExtractSettings(respect_robots_noindex=False)).body == "x"


def test_the_settings_for_tags_that_take_a_page_out_have_an_effect() -> None:
    """A robots meta was listened to whatever the settings said; names of attributes have no case in HTML."""
    meta = '<svelte:head><meta name="robots" content="noindex"></svelte:head>\n# x'
    assert extract(meta, ExtractSettings(respect_robots_noindex=False)).skip == ""
    assert extract("<div data-absent>y</div>").skip == ""
    assert extract("<div data-absent>y</div>", ExtractSettings(noindex_attr="data-Absent")).skip == "noindex"


def test_html_in_markdown_is_read_as_html() -> None:
    """Hidden and navigational parts go, the rest becomes Markdown."""
    body = extract('<nav>n</nav>\n\n<div class="x" hidden>h</div>\n\n<p data-search-ignore>i</p>\n\n<b>kept</b>').body
    assert body == "**kept**"


def test_transform_settings_have_an_effect() -> None:
    """The same two as for HTML."""
    text = "```\na\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert extract(text, transforming=TransformSettings(preserve_code_blocks=False)).body.startswith("a\n\n|")
    assert extract(text, transforming=TransformSettings(preserve_tables=False)).body.endswith("a, b\n1, 2")


def test_a_nested_fence_stays_whole() -> None:
    """Four backticks around three, tildes around backticks (original, failure 20)."""
    text = "````md\n```js\n# no heading\n```\n````\n\n~~~\n```\n~~~\n\n# Heading"
    assert extract(text).body == "````md\n```js\n# no heading\n```\n````\n\n````\n```\n````\n\n# Heading {#heading}"


def test_imports_go_and_prose_stays() -> None:
    """MDX-like imports outside code; a sentence that begins with the word is a sentence."""
    text = "import your data from a file.\n\n```js\nimport a from 'a'\n```"
    assert extract("import X from './x.svelte'\nimport './y.css';\n\n" + text).body == text


# Front matter -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    [
        "a: &a [x]\nb: " + "[" + "*a, " * 100 + "*a]",
        "a: " + "[" * 1000,
        "a: " + "[" * 30 + "]" * 30,
        "x" * 100_000 + ": 1",
        "a: !!python/object/apply:os.system [ls]\nb: [",
        "title: 'open",
        "a: b: c",
        "? [a]\n: x\n? {b: [",
    ],
)
def test_front_matter_that_cannot_be_read_is_a_warning(head: str) -> None:
    """The page is kept, its front matter is no text of it, and nothing explodes."""
    page = extract(f"---\n{head}\n---\n\n# Heading")
    assert page.body == "# Heading {#heading}"
    assert "front matter" in page.warnings[0]


@pytest.mark.parametrize("head", ["a = [" + "[" * 5000, "a = ", "a = 1\na = 2", "x = " + "9" * 10_000])
def test_toml_that_cannot_be_read_is_a_warning(head: str) -> None:
    """As for YAML."""
    page = extract(f"+++\n{head}\n+++\n# Heading")
    assert page.body == "# Heading {#heading}"
    assert "front matter" in page.warnings[0]


def test_a_thematic_break_is_no_front_matter() -> None:
    """Prose between two breaks stays on the page."""
    page = extract("---\n\nJust a sentence.\n\n---\n\nMore")
    assert "Just a sentence" in page.body
    assert extract("text\n\n---\ntitle: no\n---").title != "no"
    assert extract("---\ntitle: never closed\n\ntext").body.startswith("---")


def test_values_are_read_as_written() -> None:
    """YAML's own types would turn a version into a number and a country into `False`."""
    values, rest, warning = split_front_matter("---\nversion: 1.10\nland: no\nday: 2024-13-45\nnull: ~\n---\nx")
    assert (values, rest, warning) == ({"version": "1.10", "land": "no", "day": "2024-13-45", "null": "~"}, "x", "")


@pytest.mark.parametrize("weight", ["nan", "-1", "much"])
def test_a_bad_weight_is_reported_and_ignored(weight: str) -> None:
    """As for HTML; a plain `weight` is a position in a menu elsewhere, and is not read."""
    page = extract(f"---\nsearchsocket-weight: {weight}\n---\nx")
    assert (page.weight, len(page.warnings)) == (1.0, 1)
    assert extract("---\nsearchsocket:\n  weight: 2\n---\nx").weight == 2.0
    assert extract("---\nweight: 40\n---\nx").weight == 1.0


# Parts ------------------------------------------------------------------------------------------------------------


def test_slugs_are_github_s() -> None:
    """The anchors must be those of the built page, or a result opens at its top."""
    slugger = Slugger()
    slugs = [
        slugger.slug(text)
        for text in ("Hello, World!", "foo", "foo", "foo 1", "foo-1", "C++ & Rust", "日本語 ガイド", "É à", "a_b.c")
    ]
    assert slugs == ["hello-world", "foo", "foo-1", "foo-1-1", "foo-1-2", "c--rust", "日本語-ガイド", "é-à", "a_bc"]


@pytest.mark.parametrize(
    ("generator", "ids"),
    [
        ("MkDocs", ["setup-config", "11-groe-des-boots", "whats-new", "c-and-c", "use_anchor", "setup-config_1"]),
        (
            "VitePress",
            ["setup-config", "_1-1-große-des-boots", "what-s-new", "c-and-c", "use-anchor", "setup-config-1"],
        ),
        ("Hugo", ["setup--config", "11-größe-des-boots", "whats-new", "c-and-c", "use_anchor", "setup--config-1"]),
    ],
)
def test_heading_ids_are_those_of_the_generator(generator: str, ids: list[str]) -> None:
    """As MkDocs 1.6, VitePress 1.6 and Hugo 0.111 wrote them for these headings."""
    slugger = Slugger(generator)
    headings = ("Setup & config", "1.1 Größe des Boots", "What's new?", "C++ and C#", "use_anchor()", "Setup & config")
    assert [slugger.slug(text) for text in headings] == ids


def test_braces_and_quotes_do_not_confuse_the_stripping() -> None:
    """A tag ends at its own `>`."""
    assert plain_markdown("a <Foo b={x > y ? '}' : \"{\"} /> c {literal} 1 < 2", "n")[0] == "a  c {literal} 1 < 2"
    assert plain_markdown('<div class="a" {b} on:c={d}>e</div>', "n")[0] == '<div class="a">e</div>'
    assert plain_markdown("{#each a as {b, c}}{b}{/each}", "n")[0] == "{b}"
    assert plain_markdown("## Title {#each}", "n")[0] == "## Title {#each}"


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="ab \n`~<>!-{}#/@:\"'=[]()*_|.1+&;\\", max_size=80))
def test_any_text_is_a_page(text: str) -> None:
    """No exception, no hang, the same answer twice."""
    assert extract(text) == extract(text)


@pytest.mark.parametrize(
    "piece",
    ["<a ", "{#if ", "`", "<!--", "```\n", "<A b={", "[", "*", "---\n", "> ", "- ", "![", "<script>", "import '"],
)
def test_repeated_openers_end(piece: str) -> None:
    """Inputs that make backtracking parsers hang."""
    assert isinstance(extract("text\n\n" + piece * 5_000).body, str)
