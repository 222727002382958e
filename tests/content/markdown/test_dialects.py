"""Dialects of Markdown: what their generators show stays, and their marks are removed."""

import pytest

from searchsocket.content.markdown.dialects import plain_markdown
from searchsocket.content.markdown.page import extract_markdown, split_front_matter
from searchsocket.content.pages import RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings

SHOWN = {
    "a title of a container": ("::: warning Watch out\nNever feed it.\n:::", ["**Watch out**", "Never feed it."]),
    "a title in brackets": (":::tip[Watch out]\nText.\n:::", ["**Watch out**", "Text."]),
    "a container without a title": (":::note\nText.\n:::", ["Text."]),
    "a container with attributes": ("::: {.callout-note}\nText.\n:::", ["Text."]),
    "a container that opens": ("::: details More {open}\nText.\n:::", ["**More**", "Text."]),
    "an alert": ("> [!TIP]\n> Text.", [">", "> Text."]),
    "a callout with a title": ("> [!faq]- Is it free?\n> Yes.", ["> Is it free?", "> Yes."]),
    "a note": ('!!! note "Careful"\n    Text.\n\n    More.\n\nAfter.', ["**Careful**", "Text.", "More.", "After."]),
    "a note in a note": (
        '??? question "Outer"\n    !!! note "Inner"\n        Deep.\n    Text.',
        ["**Outer**", "**Inner**", "Deep.", "Text."],
    ),
    "a fence in a note": ("!!! tip\n    ```sh\n    run\n    ```\n", ["```sh", "run", "```"]),
    "tabs": ('=== "Linux"\n\n    One.\n\n=== "Windows"\n\n    Two.', ["**Linux**", "One.", "**Windows**", "Two."]),
    "a shortcode": ("{{< hint info >}}\nText.\n{{< /hint >}}", ["Text."]),
    "a tag of a template": ("{% include note.html %}\nText.", ["Text."]),
    "a highlighted block": ("{% highlight go %}\nx := 1\n{% endhighlight %}", ["```go", "x := 1", "```"]),
    "a highlighted shortcode": ("{{< highlight go >}}\nx := 1\n{{< /highlight >}}", ["```go", "x := 1", "```"]),
    "a shortcode over several lines": ('{{< img\n  src="a.png"\n>}}\nText.', ["Text."]),
    "a target of a template": (
        "[A]({{ '/docs/rope#knots' | relative_url }}) [B]({{ site.baseurl }}/b) [C]({% link c.md %})",
        ["[A](/docs/rope#knots) [B](/b) [C]()"],
    ),
    "a target that only the build knows": ("[A]({{ site.repository }}/issues/1) b", ["[A]() b"]),
    "a template in an attribute": (
        """<a class="x" href="{{ '/docs/' | relative_url }}" title="In v{{ v }}">A</a>""",
        ['<a class="x" href="/docs/">A</a>'],
    ),
    "a tag of a template over several lines": ('{% include image.html\n  src="a.png" %}\nText.', ["Text."]),
    "a comment of a template": ("{% comment %}\nlater\n{% endcomment %}\nText. {# later #}", ["Text."]),
    "a comment of kramdown": ("{::comment}\nlater\n{:/comment}\nText.", ["Text."]),
    "attributes of a block": ('Text.\n{class="wide" id=x}', ["Text."]),
    "a component with nested data": ("<Preview config={[{ a: [{ b: 1 }, { c: { d: 'x' } }] }]} />\n\nText.", ["Text."]),
    "a link by name": ("See [[Install#Linux|the guide]] and [[Usage]].", ["See the guide and Usage."]),
    "an embedded file": ("![[boat.png]]\nText.", ["Text."]),
    "a marked word": ("This is ==important== here.", ["This is important here."]),
    "a comment": ("%% later %%\nText.", ["Text."]),
    "attributes": ('Text.\n{: .no_toc }\n[A](b){:target="_blank"} c', ["Text.", "[A](b) c"]),
    "an id of a heading": ("## Title {: #own .big }", ["## Title {#own}"]),
    "an id of an underlined heading": ("Title { #own }\n-----", ["Title {#own}", "-----"]),
    "an id in quotes": (
        '### 9.5.47 <small>May 3</small> { id="9.5.47" }\n### Path { id=the-path }',
        ["### 9.5.47 <small>May 3</small> {#9.5.47}", "### Path {#the-path}"],
    ),
    "attributes of a link": ("See [A](b.md){ data-preview } and `c`{ title=x }.", ["See [A](b.md) and `c`."]),
    "a definition whose term comes from the build": ("<!-- md:option x -->\n\n:   Text.", ["Text."]),
    "an id below a heading": ("## 4.4.1\n{: #v4-4-1}\n\nText.\n{: .note}", ["## 4.4.1 {#v4-4-1}", "Text."]),
    "attributes of a cell": ("| a { .wide } |\n|---|", ["| a  |", "|---|"]),
    "an icon": ("- :material-clock-fast:{ .lg .middle } __Fast__", ["-  __Fast__"]),
    "a place of the list of contents": ("[[toc]]\n[[_TOC_]]\nText.", ["Text."]),
    "a title in a list": (
        '1. One\n\n    ::: tip Careful\n    Text.\n    :::\n\n    !!! note "Also"\n        More.',
        ["1. One", "    **Careful**", "    Text.", "    **Also**", "    More."],
    ),
    "a note of MyST": ("```{note}\nIt is **free**.\n```\nAfter.", ["It is **free**.", "After."]),
    "a titled note of MyST": (":::{admonition} Careful\n:class: warning\n\nText.\n:::", ["**Careful**", "Text."]),
    "notes in tabs of MyST": (
        "::::{tab-set}\n:::{tab-item} Linux\n```{tip} Short.\n```\nText.\n:::\n::::",
        ["**Linux**", "Short.", "Text."],
    ),
    "code of MyST": (
        "```{code-block} python\n:linenos:\n:caption: winch.py\n\nx = 1\n```",
        ["**winch.py**", "```python", "x = 1", "```"],
    ),
    "what MyST does not show": ("(top)=\n# A\n\n```{toctree}\n:maxdepth: 2\n\na\nb\n```\n% later\n+++", ["# A"]),
    "code that Quarto runs": ("```{python}\nx = 1\n```", ["```python", "x = 1", "```"]),
    "roles": ("See {ref}`the list <a>`, {term}`fathom`, {kbd}`Ctrl+C`.", ["See the list, fathom, `Ctrl+C`."]),
    "a component of Nuxt": (
        '::card{icon="x"}\n---\ntitle: Quays\nsize: 2\n---\nText.\n\n#more{unwrap="p"}\nMore.\n::\nAfter.',
        ["**Quays**", "Text.", "More.", "After."],
    ),
    "nested components": (
        ':::tabs\n  ::::tab{label="Linux"}\n  One.\n  ::::\n:::',
        ["**Linux**", "One."],
    ),
    "a component in a line": ('A :badge[Beta]{color="red"} :icon{name="x"} word.', ["A Beta  word."]),
    "a footnote": (
        "Rope[^1] and `[^1]`.\n\n[^1]: Of hemp.\n\n    Or wire.\n\nEnd.",
        ["Rope and `[^1]`.", "Of hemp.", "Or wire.", "End."],
    ),
    "a footnote in a line": ("Rope^[Of hemp.] is long.", ["Rope (Of hemp.) is long."]),
    "definitions": (
        "Capstan\n: A drum.\n\n    It turns.\n\n`w`\n:   A winch.",
        ["**Capstan**", "A drum.", "It turns.", "`w`", "A winch."],
    ),
    "an abbreviation": ("HTML is old.\n\n*[HTML]: Hyper Text", ["HTML is old.", "HTML: Hyper Text"]),
    "keys": ('Press ++ctrl+alt+"del"++.', ["Press Ctrl+Alt+Del."]),
    "marks of editors": (
        "{++New++} {--old--} {~~red~>green~~} {==x==} {>>why<<} ^^in^^",
        ["New ~~old~~  ~~red~~ green x why in"],
    ),
    "lowered and raised letters": ("H~2~O, m^2^", ["H2O, m^2"]),
    "an id of a block": ("The bowline. ^bowline-1", ["The bowline."]),
    "callouts of Docsify": ("?> Free.\n\n!> Mind.\n\n## A b :id=ab", ["Free.", "Mind.", "## A b {#ab}"]),
    "titles of GitBook": ('{% tab title="Linux" %}\nOne.\n{% endtab %}', ["**Linux**", "One."]),
    "titles of shortcodes": (
        '{{< tab "Linux" >}}\nOne.\n{{< /tab >}}\n\n{{< figure src="a.png" title="Crane" caption="Lifts." >}}',
        ["**Linux**", "One.", "**Crane**", "Lifts."],
    ),
    "a shortcode that is shown": ('Use {{</* tab "x" */>}}.', ['Use {{\\< tab "x" >}}.']),
    "labels of tabs": ("<Tabs items={['npm', 'pnpm']}>\n  <Tab>One.</Tab>\n</Tabs>", ["npm, pnpm", "  One."]),
    "titles of code": (
        '```sh [npm]\nnpm i\n```\n```py title="a.py"\nx\n```',
        ["**npm**", "```sh [npm]", "npm i", "```", "**a.py**", '```py title="a.py"', "x", "```"],
    ),
    "hidden lines of Rust": ("```rust\n# use a;\nlet x = 1;\n## b\n#\n```", ["```rust", "let x = 1;", "# b", "```"]),
    "a note of mdBook": ('```admonish tip title="Careful"\nText.\n```', ["**Careful**", "Text."]),
    "an included file": ('<<< @/a.js\n--8<-- "a.md"\n{{#include a.md}}\nText.', ["Text."]),
    "Markdown in HTML": ("<div markdown>\n**Bold**\n</div>", ["<div markdown>", "**Bold**", "</div>"]),
    "the contents of kramdown": ("* TOC\n{:toc}\n\nText.", ["Text."]),
    "an import over several lines": ("import {\n  A,\n} from './a'\n\nText.", ["Text."]),
    "an export": ("export const meta = {\n  a: 1,\n\n  b: 2,\n}\n\nText.", ["Text."]),
    "a default export": ("export default ({children}) => <Layout>{children}</Layout>\n\nText.", ["Text."]),
    "an expression that is a comment": ("{/* later */}\nText.", ["Text."]),
    "a title of a component": ('<Accordion title="Is it free?">\nYes.\n</Accordion>', ["**Is it free?**", "Yes."]),
    "a component in a list": (
        '1. One\n\n\t<Tab label="npm">\n\tRun it.\n\t</Tab>',
        ["1. One", "   **npm**", "\tRun it."],
    ),
    "a card": ('<LinkCard title="Rope" description="All knots." href="/rope" />', ["**Rope**", "All knots."]),
    "a component in a sentence": ('The <Tooltip label="A rope">line</Tooltip> holds.', ["The line holds."]),
}
UNCHANGED = {
    "prose that begins with export": "Export duties apply.\n\nexport default settings to a file\n\nexport the data",
    "prose that begins with import": "import the file from the menu",
    "a comparison": "if a == b and c == d, then a==b",
    "an array": "the list [[1, 2], [3, 4]] and `[[x]]`",
    "an underline": "Title\n===\n\nText.",
    "exclamation": "Stop!!! now\n\nWhat??? no",
    "code": "```\n::: note\n!!! note\n{% x %}\n```\n\n`{{< x >}}`",
    "percent": "100 %% done %% now",
    "an escaped mark": r"# \<script setup> and Ref\<T>, \{#if a} \[[x]] \==y==" + "\n\nText.",
    "an address": "See <https://example.com/a>, <mailto:a@example.com> and [b](<https://example.com/(c)>).",
    "a target with spaces": "[a](<docs/My File.md>) [b]\n\n[b]: <docs/My File.md>",
    "a link to a number": "see [[1]][ref] and [[2]](https://example.com)",
    "a path in JSON": "the path {.metadata.name} of {.items[*].name} is read",
    "a template of Go": "date = '{{ .Date }}' and {{.Title}}",
    "a format": "{:?} and {:>8} print it",
    "prices and variables": "It costs $5 or $6, in $HOME and $PATH.",
    "escaped brackets": r"Broken \(again\), \[\[Metadata\]\] and a\[0\].",
    "a value after a link": "See [A](b.md) {name} and f(x){y}.",
    "a regular expression": "All but [^a-z] match.",
    "increments": "Use i++ and ++i, C++ and g++.",
    "a time": "At 10:30 in ns::name[0].",
    "a fence of a language in braces": "```{r, echo=FALSE}\nx <- 1\n```",
    "a directive in a fence": "````md\n```{note}\nText.\n```\n````",
    "attributes of Rust": "```rust\n#[test]\n#![no_std]\nlet x = 1;\n```",
    "a value": "the value {meta.name} and {{ page.title }}",
}


@pytest.mark.parametrize(("text", "lines"), SHOWN.values(), ids=SHOWN)
def test_what_readers_of_the_site_see_stays(text: str, lines: list[str]) -> None:
    shown = [line.rstrip() for line in plain_markdown(text, "")[0].split("\n")]
    assert [line for line in shown if line] == lines


@pytest.mark.parametrize("text", UNCHANGED.values(), ids=UNCHANGED)
def test_text_that_only_looks_like_a_mark_stays(text: str) -> None:
    assert plain_markdown(text, "")[0] == text


def test_text_behind_an_escaped_tag_stays() -> None:
    """A page about `<script setup>` ended at its title."""
    text = "# \\<script setup>\n\nText.\n\n```vue\n<script setup>\n</script>\n```\n"
    assert plain_markdown(text, "")[0] == text


@pytest.mark.parametrize(
    "text", ['{\n  "title": "Rope",\n  "draft": true\n}\n\nText.', '{"title": "Rope", "draft": true}\nText.']
)
def test_front_matter_may_be_json(text: str) -> None:
    values, body, warning = split_front_matter(text)
    assert (values["title"], values["draft"], body.strip(), warning) == ("Rope", True, "Text.", "")


@pytest.mark.parametrize("text", [r'{"title": "é\ud800 \ud83e\udea2"}', '---\ntitle: "é\\ud800 \\ud83e\\udea2"\n---'])
def test_half_a_character_in_front_matter_is_replaced(text: str) -> None:
    """One such file made every run fail."""
    values, body, warning = split_front_matter(f"{text}\nText.")
    assert (values["title"], body.strip(), warning) == ("é\ufffd \U0001faa2", "Text.", "")


@pytest.mark.parametrize("text", ["{#if a}\nText.\n{/if}", '{"a" is a string}', "{ x }"])
def test_other_braces_are_no_front_matter(text: str) -> None:
    assert split_front_matter(text) == ({}, text, "")


def test_a_page_without_text_of_its_own_has_its_description() -> None:
    """A page of a list that a template fills was left out as empty."""
    data = b"---\ntitle: Functions\ndescription: All functions by name.\n---\n\n{{% list-of-functions %}}\n"
    page = extract_markdown(data, RawPage("/f", "/f", "f.md", ""), ExtractSettings(), TransformSettings())
    assert (page.title, page.body.strip(), page.skip) == ("Functions", "All functions by name.", "")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("$a_1 * b_1$ and $c_1 * d_1$", "$a_1 * b_1$ and $c_1 * d_1$"),
        ("$x_{i}$, $y_{j}$", "$x_{i}$, $y_{j}$"),
        (r"\\(a_1 \\le b_1\\)".replace("\\\\", "\\"), r"$a_1 \\le b_1$".replace("\\\\", "\\")),
        ("$$\nd_* < e_* \\\\\nf\n$$", "$$\nd_* < e_* \\\\ f\n$$"),
    ],
)
def test_formulas_are_their_tex(text: str, formula: str) -> None:
    """Markdown would read `_` and `*` as emphasis, and a backslash as an escape."""
    page = extract_markdown(text.encode(), RawPage("/f", "/f", "f.md", ""), ExtractSettings(), TransformSettings())
    assert page.body.strip() == formula
