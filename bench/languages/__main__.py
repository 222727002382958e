"""Questions in six languages on real sites, compared with Pagefind.

    python -m bench.languages NAME=BUILD ... --pagefind PATH

`questions.tsv` has twenty questions per language as readers type them: compounds, words without diacritics, half-width
and full-width letters, no spaces. In English it has fifteen to twenty per site. The pages that answer were chosen
before any result was seen. NAME is a site of that file, BUILD its built HTML:

- `httpd`: the manual of the Apache HTTP Server 2.4 in eleven languages, each in its folder (Apache-2.0)
- `fastapi`: the documentation of FastAPI by MkDocs, English at the root, others in their folders (MIT)
- `vue`: the Arabic translation of the Vue documentation (vuejs-translations/docs-ar, CC BY 4.0) by MkDocs
- `redux-saga`, `rust-book`, `hatch`: what their repositories publish in the branch `gh-pages` (MIT; MIT or Apache-2.0;
  MIT), by Docusaurus, mdBook and, in 18 versions of which the newest answers, MkDocs
- `npm`, `borg`, `gnucash`: exact titles, own words, "how do I", typos and half-typed words, twelve per site. They are
  `docs/output` of the package npm 10 (Artistic-2.0), `html` of Debian's borgbackup-doc 1.2 (Sphinx, BSD-3-Clause) and
  `gnucash-guide-en` of gnucash-docs 4.13 (DocBook, GFDL)

All search the whole site as a visitor of a page in the language of the question: ours with `preferLanguage`, Pagefind
with the index of that language. The export of ours is asked as a browser asks it. PATH is the Pagefind program from
npm; without it, only ours runs.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from click.testing import CliRunner

from bench.beside_pagefind.tree import commit
from bench.relevance.intervals import interval
from bench.static_export.ranker import ask
from searchsocket.cli.main import cli
from searchsocket.project.project import open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from searchsocket.types import Scores

HERE = Path(__file__).parent
DEPTH = 10
FIGURES = "mean reciprocal rank, first, in the first four, not in ten"


class Question(NamedTuple):
    """A question, and the pages that answer it."""

    language: str
    site: str
    text: str
    pages: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="+", metavar="NAME=BUILD")
    parser.add_argument("--pagefind", default="", metavar="PATH")
    parser.add_argument("--failures", action="store_true", help="Print each question that has no right first result.")
    options = parser.parse_args()
    questions = read_questions()
    print(f"commit {commit()}\n\n| language | site | questions | ours | export | Pagefind: {FIGURES} |")
    print("|---|---|---|---|---|---|")
    differences: list[Scores] = []
    for name, _, build in (site.partition("=") for site in options.sites):
        of_site = [each for each in questions if each.site == name]
        with tempfile.TemporaryDirectory(prefix="searchsocket-bench-") as folder:
            ours, export = ask_ours(Path(folder), Path(build).resolve(), of_site)
            theirs = ask_pagefind(Path(folder), Path(build).resolve(), of_site, options.pagefind)
        for language in dict.fromkeys(each.language for each in of_site):
            of_language = [each for each in of_site if each.language == language]
            columns = (figures([ranks[each] for each in of_language if ranks]) for ranks in (ours, export, theirs))
            print(f"| {language} | {name} | {len(of_language)} | {' | '.join(columns)} |", flush=True)
            if theirs:
                gains = [reciprocal(ours[each]) - reciprocal(theirs[each]) for each in of_language]
                differences.append(np.array(gains))
            for each in of_language:
                ranks = (ours[each], export[each], theirs.get(each))
                if options.failures and not ranks[0] == ranks[1] == 1:
                    print(f"  {each.text}: {', '.join(str(rank or '-') for rank in ranks)}")
    if differences:
        mean, low, high = interval([np.concatenate(differences)])
        print(f"\nMRR of ours - Pagefind's, all questions: {mean:+.3f} [{low:+.3f}, {high:+.3f}]")


def reciprocal(rank: int) -> float:
    """1 / rank; 0 where there is none."""
    return 1 / rank if rank else 0.0


def read_questions() -> list[Question]:
    """All questions of the file."""
    with (HERE / "questions.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [
            Question(row["language"], row["site"], row["question"], frozenset(row["pages"].split())) for row in rows
        ]


def ask_ours(
    folder: Path, build: Path, questions: Sequence[Question]
) -> tuple[dict[Question, int], dict[Question, int]]:
    """The rank of the first page that answers each question; 0 = none of the first ten. The second: of an export."""
    (folder / "build").symlink_to(build)
    (folder / "searchsocket.toml").write_text('[project]\nid = "bench"\n[embeddings]\nprovider = "builtin"\n')
    indexed = CliRunner().invoke(cli, ["index", "--project", str(folder)])
    assert indexed.exit_code == 0, indexed.output
    project = open_project(folder, os.environ)
    service, scope = open_service(project, os.environ), project.scope(os.environ)
    ranks = {}
    for question in questions:
        query = SearchQuery(question.text, DEPTH, prefer_language=question.language)
        ranks[question] = rank(question, [result.url for result in service.search(query, scope).results])
    exported = CliRunner().invoke(cli, ["export", str(folder / "export"), "--project", str(folder)])
    assert exported.exit_code == 0, exported.output
    requests = {each.text: {"q": each.text, "topK": DEPTH, "preferLanguage": each.language} for each in questions}
    answers = ask(folder / "export", requests)
    pages = {each: [result["url"] for result in answers[each.text]["results"]] for each in questions}
    return ranks, {each: rank(each, urls) for each, urls in pages.items()}


def ask_pagefind(folder: Path, build: Path, questions: Sequence[Question], program: str) -> dict[Question, int]:
    """The same of Pagefind; empty without its program."""
    if not program:
        return {}
    bundle = folder / "bundle"
    subprocess.run([program, "--site", build, "--output-path", bundle], check=True, capture_output=True)
    ranks = {}
    for language in dict.fromkeys(each.language for each in questions):
        of_language = [each for each in questions if each.language == language]
        script = ["node", HERE / "ask_pagefind.mjs", bundle, language]
        texts = json.dumps([each.text for each in of_language])
        done = subprocess.run(script, input=texts, check=True, capture_output=True, text=True)
        for each, ranking in zip(of_language, json.loads(done.stdout), strict=True):
            ranks[each] = rank(each, ranking)
    return ranks


def rank(question: Question, urls: Sequence[str]) -> int:
    """The rank of the first page that answers; 0 = there is none."""
    pages = [url.removesuffix(".html").removesuffix("/index").rstrip("/") or "/" for url in urls]
    return next((place for place, page in enumerate(pages, 1) if page in question.pages), 0)


def figures(ranks: Sequence[int]) -> str:
    """See `FIGURES`."""
    if not ranks:
        return ""
    four = sum(1 <= rank <= 4 for rank in ranks)
    return f"{sum(map(reciprocal, ranks)) / len(ranks):.3f}, {ranks.count(1)}, {four}, {ranks.count(0)}"


if __name__ == "__main__":
    main()
