"""A generated documentation site of any size: the same bytes for the same seed, on every machine."""

import random
from pathlib import Path

SECTIONS_A_PAGE = 8
_SYLLABLES = [
    "ka",
    "lo",
    "mi",
    "ta",
    "ne",
    "ru",
    "so",
    "vi",
    "pe",
    "do",
    "ga",
    "hi",
    "ju",
    "be",
    "fa",
    "ze",
    "wo",
    "xi",
    "qua",
    "ly",
]


def vocabulary(seed: int, size: int = 8_000) -> list[str]:
    """Made-up words, the first ones the most frequent when drawn by `words`."""
    source = random.Random(seed)
    return ["".join(source.choices(_SYLLABLES, k=source.randint(1, 4))) for _ in range(size)]


def write_site(folder: Path, pages: int, *, seed: int = 1) -> None:
    """Write `pages` HTML files of about 12 kB, ten chunks each, in directories of 100, linked to one another."""
    words = vocabulary(seed)
    weights = [1 / (rank + 10) for rank in range(len(words))]
    cumulative = [0.0]
    for weight in weights:
        cumulative.append(cumulative[-1] + weight)
    for number in range(pages):
        path = folder / page_file(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page_html(number, pages, words, cumulative[1:], seed), encoding="utf-8")


def page_file(number: int) -> str:
    return f"guide-{number // 100:04d}/page-{number:06d}.html"


def page_html(number: int, pages: int, words: list[str], cumulative: list[float], seed: int) -> str:
    """One page: navigation, eight sections of prose with code, a table, a list and links."""
    source = random.Random(seed * 1_000_003 + number)

    def text(count: int) -> str:
        return " ".join(source.choices(words, cum_weights=cumulative, k=count))

    def link() -> str:
        target = source.randrange(pages)
        return f"<a href='/guide-{target // 100:04d}/page-{target:06d}'>{text(3)}</a>"

    sections = []
    for index in range(SECTIONS_A_PAGE):
        blocks = [f"<p>{text(60)}, {link()} {text(30)}.</p>"]
        if index % 3 == 0:
            call = text(6).replace(" ", ".")
            blocks.append(f"<pre><code class='language-js'>const id_{number}_{index} = {call}();</code></pre>")
        if index % 4 == 1:
            rows = "".join(f"<tr><td>{text(2)}</td><td>{text(5)}</td></tr>" for _ in range(5))
            blocks.append(f"<table><tr><th>{text(1)}</th><th>{text(1)}</th></tr>{rows}</table>")
        if index % 4 == 2:
            blocks.append("<ul>" + "".join(f"<li>{text(8)}</li>" for _ in range(4)) + "</ul>")
        blocks.append(f"<p>{text(70)}.</p>")
        sections.append(f"<h2 id='s{index}'>{text(3)}</h2>{''.join(blocks)}")
    nav = "".join(f"<li><a href='/guide-{n:04d}/page-{n * 100:06d}'>Guide {n}</a></li>" for n in range(40))
    title = text(3)
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title>"
        f"<meta name='description' content='{text(12)}'></head>"
        f"<body><header><nav><ul>{nav}</ul></nav></header><main><h1>{title} {number}</h1>{''.join(sections)}</main>"
        f"<footer><p>{text(30)}</p></footer></body></html>"
    )
