"""Mine pairs from packages and repositories, as a file that `training.build` reads.

`python -m training.mine OUT.jsonl.xz --packages FOLDER` mines the pinned packages, which it downloads into FOLDER.
Further sources are wheels, npm archives and git directories; those without a permissive licence are left out, and
reported. Texts that are also in a relevance collection of `--evaluation` are left out.
"""

import argparse
import hashlib
import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from training.mining.brace_code import brace_pairs
from training.mining.markdown_text import markdown_pairs
from training.mining.python_code import python_pairs
from training.mining.sentences import asked
from training.mining.sources import Source, is_kept_out, source_of
from training.mining.wordnet import wordnet_pairs
from training.packages import fetch
from training.pairs import Pair

# Pairs of one kind of one source: a large one must not decide what words mean, and names say little.
MOST = {"docstring": 3000, "name": 1000, "gloss": 20_000, "synonym": 20_000}
MOST_OF_OTHERS = 3000
LANGUAGES = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".java": "java", ".go": "go",
    ".rs": "rust",
}  # fmt: skip
REPEATS = 3  # how often one query may come, over all sources
_LETTERS = re.compile(r"\w+")
Found = tuple[str, str, str]


def main() -> None:
    """Write the pairs of all sources, those of one kind of one source in the order of their checksums."""
    parser = argparse.ArgumentParser(prog="python -m training.mine", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("sources", type=Path, nargs="*")
    parser.add_argument(
        "--packages", type=Path, help="folder for the packages of `packages.tsv`; missing ones are downloaded"
    )
    parser.add_argument("--evaluation", type=Path)
    options = parser.parse_args()
    known = judged(options.evaluation) if options.evaluation else frozenset()
    packages = fetch(options.packages) if options.packages else []
    wordnet = options.packages / "wordnet" if options.packages else None
    queries: Counter[str] = Counter()
    with lzma.open(options.out, "wt", encoding="utf-8", preset=1) as file:
        for pair in _all([*packages, *options.sources], wordnet):
            if queries[pair.query] >= REPEATS or {key(pair.passage), key(pair.query)} & known:
                continue
            queries[pair.query] += 1
            file.write(json.dumps({name: getattr(pair, name) for name in Pair.__slots__}) + "\n")


def _all(paths: Iterable[Path], wordnet: Path | None) -> Iterator[Pair]:
    for path in paths:
        source = source_of(path)
        if source is None or is_kept_out(source.name):
            print(f"left out: {path.name}", file=sys.stderr)
            continue
        yield from _chosen(source.name, source.licence, pairs_of(source))
    if wordnet:
        yield from _chosen("wordnet", "WordNet-3.0", wordnet_pairs(wordnet))


def pairs_of(source: Source) -> Iterator[Found]:
    """Every pair of a source's files."""
    for suffix, text in source.files():
        if suffix not in LANGUAGES:
            yield from markdown_pairs(text)
            continue
        for kind, query, passage in python_pairs(text) if suffix == ".py" else brace_pairs(text, suffix):
            yield kind, asked(query, LANGUAGES[suffix]) if kind == "docstring" else query, passage


def _chosen(name: str, licence: str, found: Iterable[Found]) -> Iterator[Pair]:
    """Each passage once a kind, and of each kind at most `MOST`, whatever order files come in."""
    by_kind: dict[str, dict[bytes, Found]] = {}
    for one in found:
        text = f"{one[2]}\0{one[1]}" if name == "wordnet" else one[2]
        by_kind.setdefault(one[0], {}).setdefault(hashlib.sha256(text.encode("utf-8", "replace")).digest(), one)
    for kind, rows in sorted(by_kind.items()):
        for digest in sorted(rows)[: MOST.get(kind, MOST_OF_OTHERS)]:
            yield Pair(kind, rows[digest][1], rows[digest][2], name, licence)


def key(text: str) -> bytes:
    """Equal for texts that differ in spaces, marks and case only."""
    return hashlib.sha256(" ".join(_LETTERS.findall(text.lower())).encode("utf-8", "replace")).digest()


def judged(folder: Path) -> frozenset[bytes]:
    """Keys of the documents of every collection, of their code without its docstring, and of its first sentence.

    Code changes from one version to the next; what it is said to do stays.
    """
    found = set()
    for path in sorted(folder.glob("*/corpus.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            text = json.loads(line)["text"]
            found.add(key(text))
            found |= {key(part) for kind, *pair in python_pairs(text) if kind == "docstring" for part in pair}
    return frozenset(found)


if __name__ == "__main__":
    main()
