"""Effects of `extract`, `transform` and `chunking`: what a page says, and how it is cut."""

from collections.abc import Callable

from searchsocket.content.html.converters import soup
from tests.project.settings.lab import Effect, Lab, outcome

TEXT = "<p>Boats lie here.</p>"
SENTENCES = [f"Boat number {number} was built of oak in the year {1800 + number}." for number in range(60)]
URL = "/boats"


def body(html: str, head: str = "") -> Callable[[Lab], None]:
    """A page at `URL`."""
    return lambda lab: lab.page("boats.html", html, head)


def mirror_effect(key: str, value: object, html: str, before: str, after: str, head: str = "") -> Effect:
    """An effect on the mirror text of a page; "" means that the page is left out."""
    return Effect(key, value, lambda lab: lab.mirror("boats.md"), before, after, prepare=body(html, head))


def cut(
    key: str,
    value: object,
    html: str,
    before: object,
    after: object,
    see: Callable[[list[str]], object],
    **max_chars: int,
) -> Effect:
    """An effect on the pieces that a page is cut into."""
    keys = {f"chunking.{name}": size for name, size in max_chars.items()}
    look = lambda lab: see(lab.sections(URL))  # noqa: E731
    return Effect(f"chunking.{key}", value, look, before, after, given=keys, prepare=body(f"<main>{html}</main>"))


def lengths(pieces: list[str]) -> list[int]:
    return [len(piece) for piece in pieces]


def repeated(pieces: list[str]) -> int:
    """Sentences that stand in two pieces."""
    return sum(sum(sentence in piece for piece in pieces) > 1 for sentence in SENTENCES)


def only_value(key: str) -> Effect:
    """A key that takes one value: any other one is refused by name."""
    return Effect(key, "other", lambda lab: outcome(lab.index, naming=key), "ok", "CONFIG_INVALID")


def heading_paths(lab: Lab) -> set[tuple[str, ...]]:
    lab.index()
    return {
        record.chunk.at.heading_path
        for record in lab.site.records()
        if record.page.url == URL and record.chunk.kind == "section"
    }


def kinds(lab: Lab) -> set[str]:
    lab.index()
    return {record.chunk.kind for record in lab.site.records()}


def stated(lab: Lab) -> tuple[str, ...]:
    """The facets of the page at `URL`, after a run."""
    lab.index()
    (facets,) = {record.page.facets for record in lab.site.records() if record.page.url == URL}
    return facets


def is_walked_by_markdownify(lab: Lab) -> bool:
    """Return True if pages of a run pass through it."""
    walked: list[object] = []
    convert = soup.convert
    lab.patch.setattr(soup, "convert", lambda main, rules: walked.append(main) or convert(main, rules))
    lab.index()
    return bool(walked)


def with_notes(lab: Lab) -> None:
    """A page with an element of the site's own, and a class that converts it."""
    lab.write(
        "boat_notes.py",
        "class Notes:\n    def convert_my_note(self, el, text, parent_tags):\n        return f'\\n\\n> {text}\\n\\n'\n",
    )
    lab.page("boats.html", "<main><my-note>Boats lie here.</my-note></main>")


PROSE = f"<p>{' '.join(SENTENCES)}</p>"
CODE = f"<pre><code>{chr(10).join(SENTENCES)}</code></pre>"
SECTIONS = "<h2>Oak</h2><p>Oak lasts.</p><h2>Pine</h2><p>Pine floats.</p>"

EFFECTS = (
    mirror_effect("extract.main_selector", "#story", f"<main>{TEXT}</main><div id=story><p>A story.</p></div>",
         "Boats lie here.", "A story."),
    mirror_effect("extract.drop_tags", ["BLOCKQUOTE"],
         f"<main>{TEXT}<nav><p>Menu.</p></nav><blockquote>Ahoy.</blockquote></main>",
         "Boats lie here.\n\n> Ahoy.", "Boats lie here.\n\nMenu."),
    mirror_effect("extract.drop_selectors", [".advert"],
         f"<main>{TEXT}<p class=toc>Contents.</p><p class=advert>Buy.</p></main>",
         "Boats lie here.\n\nBuy.", "Boats lie here.\n\nContents."),
    mirror_effect("extract.ignore_attr", "data-Quiet",
         f"<main>{TEXT}<p data-search-ignore>One.</p><p data-Quiet>Two.</p></main>",
         "Boats lie here.\n\nTwo.", "Boats lie here.\n\nOne."),
    mirror_effect("extract.noindex_attr", "data-Absent", f"<main data-Absent>{TEXT}</main>", "Boats lie here.", ""),
    mirror_effect("extract.respect_robots_noindex", False, f"<main>{TEXT}</main>", "", "Boats lie here.",
         head="<meta name=robots content=noindex>"),
    Effect("extract.converter", "markdownify", is_walked_by_markdownify, False, True,
           prepare=body(f"<main>{TEXT}</main>")),
    Effect("extract.converters", ["boat_notes:Notes"], lambda lab: lab.mirror("boats.md"), "Boats lie here.",
           "> Boats lie here.", prepare=with_notes),
    only_value("transform.output"),
    mirror_effect("transform.preserve_code_blocks", False, "<main><pre><code>make boat\nmake oar</code></pre></main>",
         "```\nmake boat\nmake oar\n```", "make boat make oar"),
    mirror_effect("transform.preserve_tables", False,
         "<main><table><tr><th>Boat<th>Oars</tr><tr><td>Skiff<td>2</tr></table></main>",
         "| Boat | Oars |\n| --- | --- |\n| Skiff | 2 |", "Boat, Oars\nSkiff, 2"),
    Effect("facets", {"boatKind": "string"}, stated, (), ("boatKind=skiff",),
           prepare=body(f"<main>{TEXT}</main>", "<meta name=boatKind content=skiff>")),
    only_value("chunking.strategy"),
    cut("max_chars", 1000, PROSE, True, False, lambda pieces: max(lengths(pieces)) > 1000),
    cut("overlap_chars", 0, PROSE, 4, 0, repeated),
    cut("min_chars", 0, SECTIONS, 1, 2, len),
    cut("hard_max_chars", 2500, CODE, 1, 2, len),
    Effect("chunking.heading_path_depth", 1, heading_paths, {("Fleet", "Oak")}, {("Fleet",)},
           prepare=body(f"<main><h1>Fleet</h1><h2>Oak</h2>{PROSE}</main>")),
    cut("dont_split_inside", ["table"], CODE, 1, 2, len),
    Effect("chunking.page_summary", False, kinds, {"section", "summary"}, {"section"}),
)  # fmt: skip
