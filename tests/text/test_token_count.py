"""Counts of tokens beside those of real vocabularies, which `bench/agents/tokens.py` made once."""

import json
from pathlib import Path

import pytest

from searchsocket.text.token_count import LEAST, count_tokens

TEXTS = Path(__file__).parent / "tokens"
COUNTS = json.loads((TEXTS / "counts.json").read_text())
BOUNDS = {  # kind of text -> of the largest of three vocabularies, at least and at most
    "prose": (0.95, 1.10),
    "markdown": (0.95, 1.10),
    "code": (0.90, 1.15),
    "names": (0.90, 1.15),
    "table": (0.95, 1.05),
    "json": (0.85, 1.0),
    "urls": (0.95, 1.05),
    "language": (LEAST, 1.30),
    "data": (0.90, 1.15),
    "noise": (0.90, 1.15),
    "signs": (0.95, 1.45),
}


@pytest.mark.parametrize("path", sorted(TEXTS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_count_is_within_the_stated_error(path: Path) -> None:
    least, most = BOUNDS[path.stem.partition("-")[0]]
    assert least <= count_tokens(path.read_text()) / max(COUNTS[path.stem]) <= most


def test_an_empty_text_has_no_tokens() -> None:
    assert count_tokens("") == 0


def test_a_count_is_about_that_of_its_parts() -> None:
    """Texts are cut by the token counts of their parts."""
    text = (TEXTS / "prose-readme.txt").read_text()
    whole = count_tokens(text)
    parts = sum(map(count_tokens, text.splitlines(keepends=True)))
    assert abs(whole - parts) <= 0.07 * whole
