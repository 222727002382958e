"""Compare the token count of searchsocket with real vocabularies.

`npm install --prefix FOLDER gpt-tokenizer @anthropic-ai/tokenizer`, then `python -m bench.agents.tokens FOLDER`:

Counts the texts of `tests/text/tokens` with `o200k_base`, `cl100k_base` and the published vocabulary of Anthropic, and
prints our count relative to each, and to the largest. `--update` writes the counts that the test compares with. Further
files are cut into pieces of 4,000 characters and compared too.
"""

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from searchsocket.text.token_count import count_tokens

TEXTS = Path(__file__).parents[2] / "tests" / "text" / "tokens"
COUNTS = TEXTS / "counts.json"
_PIECE_CHARS = 4_000
_SCRIPT = """
import fs from "node:fs";
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base";
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens } from "@anthropic-ai/tokenizer";
const all = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
const texts = JSON.parse(fs.readFileSync(0, "utf8"));
const counts = texts.map((text) => [o200k(text, all).length, cl100k(text, all).length, countTokens(text)]);
console.log(JSON.stringify(counts));
"""


def real_counts(folder: Path, texts: Sequence[str]) -> list[list[int]]:
    """Of each text its tokens by each vocabulary."""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", _SCRIPT],
        cwd=folder,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    counts: list[list[int]] = json.loads(done.stdout)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    texts = {path.stem: path.read_text() for path in sorted(TEXTS.glob("*.txt"))}
    counts = dict(zip(texts, real_counts(options.folder, list(texts.values())), strict=True))
    if options.update:
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(count)}" for name, count in counts.items())
        COUNTS.write_text(f"{{\n{lines}\n}}\n")
    for path in options.files:
        text = path.read_text(errors="replace")
        pieces = [text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS)]
        of_pieces = real_counts(options.folder, pieces)
        texts |= {f"{path.name} {at}": piece for at, piece in enumerate(pieces)}
        counts |= {f"{path.name} {at}": count for at, count in enumerate(of_pieces)}
    print(f"{'text':24} o200k  cl100k Anthropic largest")
    for name, count in counts.items():
        ours = count_tokens(texts[name])
        print(f"{name:24} " + " ".join(f"{ours / one:7.2f}" for one in (*count, max(count))))


if __name__ == "__main__":
    main()
