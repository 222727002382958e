"""Queries: words of a generated site, or text that people might type on a given site."""

import random
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from bench.indexing.generate import vocabulary
from searchsocket.content.mirror import parse_page
from searchsocket.content.pages import Page

QUERIES = 300
_WORD = re.compile(r"[A-Za-z_]{2,}")
_HEADING = re.compile(r"^#{1,6} (.+?)(?: \{#.*)?$", re.MULTILINE)


def of_generated(seed: int = 1) -> list[str]:
    """Two to four words of the generated sites, frequent and rare ones."""
    words = vocabulary(seed)
    source = np.random.default_rng(seed)
    ranks = np.minimum(source.zipf(1.3, size=(QUERIES, 4)), len(words)) - 1
    return [" ".join(words[rank] for rank in row[: 2 + number % 3]) for number, row in enumerate(ranks)]


def of_site(mirror: Path, seed: int = 1) -> list[str]:
    """As many titles, headings, runs of words, questions, typos and half-typed words, in turn."""
    draw = random.Random(seed)
    files = sorted(mirror.rglob("*.md"))
    makers = (_title, _heading, _run, _question, _typo, _half)
    pages = ((number, parse_page(draw.choice(files).read_text(encoding="utf-8"))) for number in range(10 * QUERIES))
    candidates = (makers[number % len(makers)](page, _WORD.findall(page.body), draw) for number, page in pages)
    queries = list(islice((query for query in candidates if query.strip()), QUERIES))
    assert len(queries) == QUERIES, f"{mirror} says too little"
    return queries


def _title(page: Page, words: Sequence[str], draw: random.Random) -> str:
    return page.facts.title


def _heading(page: Page, words: Sequence[str], draw: random.Random) -> str:
    headings = _HEADING.findall(page.body)
    return draw.choice(headings) if headings else ""


def _run(page: Page, words: Sequence[str], draw: random.Random) -> str:
    start = draw.randrange(max(len(words) - 6, 1))
    return " ".join(words[start : start + draw.randint(2, 6)])


def _question(page: Page, words: Sequence[str], draw: random.Random) -> str:
    return f"how to {' '.join(draw.sample(words, 3))}" if len(words) >= 3 else ""


def _typo(page: Page, words: Sequence[str], draw: random.Random) -> str:
    """A word with a letter left out."""
    long = [word for word in words if len(word) > 5]
    if not long:
        return ""
    word = draw.choice(long)
    gone = draw.randrange(1, len(word) - 1)
    return word[:gone] + word[gone + 1 :]


def _half(page: Page, words: Sequence[str], draw: random.Random) -> str:
    """A word as it is being typed."""
    word = draw.choice(words) if words else ""
    return word[: max(len(word) // 2, 2)]
