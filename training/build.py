"""From MiniLM and a file of pairs to the files of the built-in model, with one command (see README.md).

`python -m training.build --pairs pairs.jsonl.xz --minilm FOLDER` writes `searchsocket/models/embedders/data/` and the
manifest of sources beside this file.
"""

import argparse
import hashlib
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.models.embedders.builtin import Tokens
from training.bags import bags
from training.bert_onnx import export
from training.contrast import Recipe, train
from training.distil import Table, minilm_vectors, start_table
from training.pairs import EVALUATION_SITES, Pair, read_pairs, sample
from training.vocabulary import buckets, extra_words, pieces

HERE = Path(__file__).parent
DATA = HERE.parent / "searchsocket" / "models" / "embedders" / "data"
DIMENSIONS = 256
RECIPE = Recipe()
# The largest values are cut off so that the many small ones keep their steps; measured: no loss.
KEPT = 0.9999


def main() -> None:
    """Train and write the model."""
    parser = argparse.ArgumentParser(prog="python -m training.build", description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True, nargs="+", help="files of pairs, see README.md")
    parser.add_argument(
        "--share", action="append", default=[], metavar="KIND=SHARE", help="use this share of the pairs of a kind"
    )
    parser.add_argument("--entries", type=Path, help="use the entries of this builtin.txt instead of choosing new ones")
    parser.add_argument("--minilm", type=Path, required=True, help="folder of all-MiniLM-L6-v2 with model.safetensors")
    parser.add_argument("--out", type=Path, default=DATA)
    options = parser.parse_args()
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {text}", flush=True)

    pairs = [pair for path in options.pairs for pair in read_pairs(path)]
    refuse_evaluation_sites(pairs)
    pairs = sample(pairs, {kind: float(share) for kind, share in (text.split("=") for text in options.share)})
    if options.entries:
        entries = options.entries.read_text(encoding="utf-8").splitlines()
    else:
        entries = pieces(options.minilm / "vocab.txt")
        entries += extra_words(pairs, entries)
        entries += buckets()
    spelled = len(entries) - len(buckets())
    say(f"{len(pairs)} pairs, {len(entries)} entries")
    with tempfile.TemporaryDirectory() as folder:
        export(options.minilm, Path(folder))
        vectors = minilm_vectors(Path(folder), entries[:spelled])
    say("MiniLM's vectors of all entries")
    table = trained(pairs, entries, vectors, say)
    write(options.out, entries, quantised(table))
    if options.out == DATA:  # the manifest is about the shipped model
        write_manifest(HERE / "sources.tsv", pairs)
    for path in sorted(options.out.iterdir()):
        say(f"{path.name}  {path.stat().st_size} bytes  sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")


def refuse_evaluation_sites(pairs: Sequence[Pair]) -> None:
    """Stop where a pair comes from a site that the model is judged on.

    Raises:
        SystemExit: Names the repositories.
    """
    found = {pair.repo for pair in pairs if any(site in pair.repo.lower() for site in EVALUATION_SITES)}
    if found:
        raise SystemExit(f"pairs of evaluation sites: {', '.join(sorted(found))}")


def trained(pairs: Sequence[Pair], entries: Sequence[str], vectors: Table, say: Callable[[str], None]) -> Table:
    """The table after contrastive training on all pairs that have tokens on both sides."""
    tokens = Tokens(entries)
    queries = bags([pair.query for pair in pairs], tokens, len(entries))
    passages = bags([pair.passage for pair in pairs], tokens, len(entries))
    start = start_table(vectors, len(entries) - len(vectors), passages, DIMENSIONS)
    rows = np.flatnonzero((np.diff(queries.indptr) > 0) & (np.diff(passages.indptr) > 0))
    say("start table")
    return train(
        start, queries[rows], passages[rows], [pairs[row].repo for row in rows], RECIPE,
        lambda epoch, loss, _: say(f"epoch {epoch + 1} of {RECIPE.epochs}: loss {loss:.3f}"),
    )  # fmt: skip


def quantised(table: Table) -> NDArray[np.int8]:
    """Whole numbers in [-127, 127], one scale for all: sums of them need no scale at all."""
    top = np.quantile(np.abs(table), KEPT)
    return np.clip(np.rint(table * (127 / top)), -127, 127).astype(np.int8)


def write(out: Path, entries: Sequence[str], table: NDArray[np.int8]) -> None:
    """Write the two files that the embedder reads."""
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "builtin.npy", table)
    (out / "builtin.txt").write_text("\n".join(entries) + "\n", encoding="utf-8")


def write_manifest(path: Path, pairs: Sequence[Pair]) -> None:
    """Write which repositories the pairs came from, under which licence, and how many of each."""
    counts = Counter((pair.repo, pair.licence) for pair in pairs)
    lines = [
        "repository\tlicence\tpairs",
        *(f"{repo}\t{name}\t{count}" for (repo, name), count in sorted(counts.items())),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
