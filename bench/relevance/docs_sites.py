"""Documentation sites as collections without queries, from the Markdown of public repositories (`docs_sites.tsv`)."""

import csv
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

from bench.relevance.collection import Collection, Document

HERE = Path(__file__).parent
_FRONT = re.compile(r"\A---\s*\n(.*?)\n---\s*\n", re.DOTALL)
_FIELD = re.compile(r"^(title|permalink):\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_HEADING = re.compile(r"^#+\s+(.+?)(?:\s*\{#[^}]*\})?\s*#*$", re.MULTILINE)
_DATE = re.compile(r"/(\d{4})-(\d\d)-(\d\d)-")
_NUMBER = re.compile(r"/\d+-(?=[a-z$@])")
_ENDING = re.compile(r"(?:(?:^|/)(?:index|README))?(?:\.(?:mdx?|html?))?/?$")


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table of this folder."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def products() -> dict[str, str]:
    """The name of the product of each site."""
    return {row["name"]: row["product"] for row in rows("docs_sites.tsv")}


def load_site(name: str, repositories: Path) -> Collection:
    """Read the pages of a site.

    Args:
        repositories: Git directories, each `OWNER+NAME` or `OWNER+NAME/repo`.
    """
    row = next(row for row in rows("docs_sites.tsv") if row["name"] == name)
    repository, _, commit = row["source"].partition("@")
    folder = repositories / repository.replace("/", "+")
    folder = folder / "repo" if (folder / "repo").exists() else folder
    documents = [Document("/", row["product"], row["product"])]
    for root in row["folders"].split():
        inside, _, address = root.partition("=")
        documents += (
            _document(address + path.removeprefix(inside), text) for path, text in _files(folder, commit, inside)
        )
    unique = {document.id: document for document in reversed(documents)}
    return Collection(name, tuple(reversed(unique.values())), (), {})


def _files(folder: Path, commit: str, inside: str) -> Iterator[tuple[str, str]]:
    command = ["git", "-C", str(folder), "archive", commit, "--", inside]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                if member.isfile() and member.name.endswith((".md", ".mdx")) and (file := archive.extractfile(member)):
                    yield member.name, file.read().decode("utf-8", "replace").lstrip("\ufeff").replace("\r\n", "\n")


def _document(path: str, text: str) -> Document:
    front = _FRONT.match(text)
    fields = dict(_FIELD.findall(front[1])) if front else {}
    body = text[front.end() :] if front else text
    first = _HEADING.search(body)
    title = fields.get("title") or (first[1] if first else path.rpartition("/")[2].partition(".")[0])
    url = _NUMBER.sub("/", _DATE.sub(r"/\1/\2/\3/", fields.get("permalink", path)))
    return Document(_ENDING.sub("", url) or "/", title.replace("`", ""), body)
