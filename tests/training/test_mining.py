"""`python -m training.mine` makes training pairs of sources, of texts that may be used."""

import io
import json
import lzma
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from training.mining.brace_code import brace_pairs
from training.mining.markdown_text import markdown_pairs
from training.mining.python_code import python_pairs
from training.mining.sentences import first_sentence
from training.mining.wordnet import wordnet_pairs
from training.pairs import Pair, sample

PYTHON = '''
def read_lines(path):
    """Read all lines of a file. Blank ones too.

    More.
    """
    with open(path) as file:
        return file.readlines()
'''
JAVASCRIPT = """
/**
 * @description Adds days to a date and returns it.
 * @param {Date} date
 */
export function addDays(date, days) {
  if (!days) { return date; }
  return new Date(+date + days * 864e5);
}
"""
GO = """
// Close stops the server and waits for its workers.
func (s *Server) CloseAll() error {
	s.stop()
	return s.wait()
}
"""


def test_a_docstring_goes_to_its_code_without_it() -> None:
    """With the docstring in the passage, equal words would answer and nothing would be learned."""
    assert list(python_pairs(PYTHON)) == [
        (
            "docstring",
            "Read all lines of a file.",
            "def read_lines(path):\n    with open(path) as file:\n        return file.readlines()",
        ),
        ("name", "read lines", "Read all lines of a file. Blank ones too.\nMore."),
    ]
    assert not list(python_pairs("print 'of another age'"))


@pytest.mark.parametrize(
    ("source", "suffix", "query", "last"),
    [
        (JAVASCRIPT, ".js", "Adds days to a date and returns it.", "}"),
        (GO, ".go", "Close stops the server and waits for its workers.", "}"),
    ],
)
def test_a_comment_goes_to_the_whole_function_below_it(source: str, suffix: str, query: str, last: str) -> None:
    pairs = list(brace_pairs(source, suffix))
    assert pairs[0][:2] == ("docstring", query)
    assert pairs[0][2].count("\n") >= 3
    assert pairs[0][2].splitlines()[-1] == last
    assert "description" not in pairs[0][2]


def test_a_page_gives_its_title_its_sections_and_its_code() -> None:
    text = "how it is done and why it matters to those who read it first " * 3
    page = f"---\ntitle: Deploying\n---\n{text}\n\n## Undo a deployment\n{text}\n\nTake the last one back:\n\n```sh\n"
    page += "# no heading\nship rollback --to previous --now --quiet\n```\n"
    kinds = {(kind, query) for kind, query, _ in markdown_pairs(page)}
    assert kinds == {
        ("title", "Deploying"),
        ("heading", "Undo a deployment"),
        ("para-code", "Take the last one back"),
    }


@pytest.mark.parametrize("comment", ["Too short.", "Ünd nicht auf Englisch geschrieben.", "x" * 400, ""])
def test_a_comment_that_says_nothing_is_no_query(comment: str) -> None:
    assert first_sentence(comment) is None


def test_wordnet_gives_meanings_and_synonyms_without_names(tmp_path: Path) -> None:
    line = '00001 04 n 02 doctor 0 physician 0 000 | a licensed medical practitioner; "see a doctor"  \n'
    name = "00002 15 n 01 Paris 0 000 | the capital of France  \n"
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{part}").write_text("  1 licence\n" + (line + name if part == "noun" else ""))
    assert list(wordnet_pairs(tmp_path)) == [
        ("gloss", "doctor", "a licensed medical practitioner"),
        ("gloss", "physician", "a licensed medical practitioner"),
        ("synonym", "doctor", "physician"),
    ]


def package(folder: Path, name: str, licence: str) -> Path:
    path = folder / f"{name}.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for file, text in (("package.json", json.dumps({"name": name, "license": licence})), ("index.js", JAVASCRIPT)):
            member = tarfile.TarInfo(f"package/{file}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def test_only_permitted_sources_are_mined_and_nothing_that_is_judged(tmp_path: Path) -> None:
    """A copyleft licence, a site that the model is judged on, and a judged function each keep a pair out."""
    sources = [package(tmp_path, *item) for item in (("free", "MIT"), ("copyleft", "GPL-3.0"), ("vue-x", "MIT"))]
    out = tmp_path / "pairs.jsonl.xz"

    def mined(*more: str) -> list[dict[str, str]]:
        command = [sys.executable, "-m", "training.mine", str(out), *map(str, sources), *more]
        subprocess.run(command, check=True, capture_output=True)
        with lzma.open(out, "rt") as file:
            return [json.loads(line) for line in file]

    pairs = mined()
    assert {(pair["repo"], pair["licence"]) for pair in pairs} == {("npm:free", "MIT")}
    judged = next(pair["passage"] for pair in pairs if pair["kind"] == "docstring")
    (tmp_path / "judged").mkdir()
    row = json.dumps({"id": "1", "text": judged.upper().replace(" ", "  ")})
    (tmp_path / "judged" / "corpus.jsonl").write_text(row + "\n")
    assert [pair["kind"] for pair in mined("--evaluation", str(tmp_path))] == ["name"]


def test_a_sample_has_the_same_pairs_on_every_machine() -> None:
    """Two people who mine the same packages must train on the same pairs."""
    pairs = [
        Pair(kind, f"query {number}", "text", "pypi:rich", "MIT") for kind in ("name", "gloss") for number in range(20)
    ]
    chosen = sample(pairs, {"name": 0.1})
    assert [pair.query for pair in chosen if pair.kind == "name"] == ["query 4"]
    assert [pair for pair in chosen if pair.kind == "gloss"] == pairs[20:]
