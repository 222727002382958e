"""Words of WordNet and what they mean: synonyms share no letters, which documentation teaches badly."""

from collections.abc import Iterator
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")
Found = tuple[str, str, str]  # kind, query, passage


def wordnet_pairs(folder: Path) -> Iterator[Found]:
    """The words of each set of synonyms and their explanation; the first of them and the others.

    Args:
        folder: With `data.noun`, `data.verb`, `data.adj` and `data.adv`.
    """
    for part in PARTS:
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  ") or " | " not in line:  # the licence, at the head of each file
                continue
            fields, gloss = line.split(" | ", 1)
            columns = fields.split(" ")
            words = [columns[4 + 2 * at].split("(")[0].replace("_", " ") for at in range(int(columns[3], 16))]
            if any(word[:1].isupper() for word in words) or not line.isascii():
                continue  # names of people, places and species say nothing of a site
            meaning = gloss.split('; "')[0].strip()
            for word in words[:3]:
                yield "gloss", word, meaning
            for other in words[1:4]:
                yield "synonym", words[0], other
