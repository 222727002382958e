"""The pages of a site as Markdown with the links between them: of a built site, or of the Markdown in a repository."""

import csv
import posixpath
import re
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.relevance.collection import Document
from bench.relevance.example_site import page_document

HERE = Path(__file__).parent
MAX_PAGES = 1_500
_MAX_BYTES = 400_000
_SKIPPED = re.compile(
    r"(^|/)(_posts|blogs?|news|CHANGELOG|changelogs?|release-?notes?|releases|i18n|snippets|resources|node_modules|"
    r"da|de|es|fr|ja|ko|pt|pt-br|ru|tr|zh|zh-cn)(/|\.|$)|/SUMMARY\.",
    re.IGNORECASE,
)
_FRONT = re.compile(r"\A(?:---|\+\+\+)\s*\n(.*?)\n(?:---|\+\+\+)\s*\n", re.DOTALL)
_FIELD = re.compile(r"^(title|description)\s*[:=]\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_FIRST = re.compile(r"^#\s+(.+?)(?:\s*\{#[^}]*\})?\s*#*$|^(.+)\n=+$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_NAME = re.compile(r"(?:(?:^|/)(?:index|_index|README))?(?:\.(?:mdx?|html?|markdown))?/?$")
_PAGE = re.compile(r"\.(md|mdx|markdown)$")
_GROUP = re.compile(r"/\([^/()]*\)/?")
_NUMBER = re.compile(r"/\d+[-.](?=[a-z])")


@dataclass(frozen=True, slots=True)
class Link:
    """A link between two pages of the site."""

    source: str  # id of a document
    target: str  # likewise
    text: str
    sentence: str  # around it, with the link's text as ` ¦text¦ `


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of one site."""

    name: str
    documents: tuple[Document, ...]
    descriptions: dict[str, str]  # by id, of pages that state one outside their text
    links: tuple[Link, ...]


def site_names() -> list[str]:
    """The pinned list, in its order."""
    return [row["name"] for row in _rows()]


def load(name: str, repositories: Path, sites: Path) -> Site:
    """Read one site of the list.

    Args:
        repositories: Git directories, each `OWNER+NAME` or `OWNER+NAME/repo`.
        sites: Unpacked built sites, each `NAME/build`.
    """
    row = next(row for row in _rows() if row["name"] == name)
    if row["source"].startswith("site:"):
        folder = sites / row["source"].removeprefix("site:") / row["folders"]
        paths = (path for path in sorted(folder.rglob("*.html")) if not _SKIPPED.search(f"/{path.relative_to(folder)}"))
        pages = (page_document(path, folder) for path in paths)
        documents = [page for page in pages if page is not None][:MAX_PAGES]
        descriptions: dict[str, str] = {}
    else:
        documents, descriptions = [], {}
        for path, text in _markdown(repositories, row["source"], row["folders"].split()):
            front = _FRONT.match(text)
            fields = dict(_FIELD.findall(front[1])) if front else {}
            body = text[front.end() :] if front else text
            first = _FIRST.search(body)
            title = fields.get("title") or (first and (first[1] or first[2])) or path.rsplit("/", 1)[-1]
            documents.append(Document(path, title.replace("`", ""), body))
            if "description" in fields:
                descriptions[path] = fields["description"]
        documents = documents[:MAX_PAGES]
    unique = {document.id: document for document in documents}
    return Site(name, tuple(unique.values()), descriptions, tuple(_links(list(unique.values()))))


def _rows() -> list[dict[str, str]]:
    with (HERE / "sites.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _markdown(repositories: Path, source: str, folders: list[str]) -> Iterator[tuple[str, str]]:
    """The path, as of a page, and the text of each Markdown file below the folders."""
    repository, _, commit = source.partition("@")
    folder = repositories / repository.replace("/", "+")
    folder = folder / "repo" if (folder / "repo").exists() else folder
    listed = subprocess.run(
        ["git", "-C", str(folder), "ls-tree", "-r", "--name-only", commit], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    roots = [one for one in folders if one == "." or any(path.startswith(f"{one}/") for path in listed)]
    paths = [path for path in listed if _PAGE.search(path) and not _SKIPPED.search(path) and _below(path, roots)]
    command = ["git", "-C", str(folder), "archive", commit, "--", *paths]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                if not member.isfile() or member.size > _MAX_BYTES:
                    continue
                file = archive.extractfile(member)
                assert file is not None
                root = max((one for one in roots if member.name.startswith(f"{one}/")), key=len, default="")
                text = file.read().decode("utf-8", "replace").replace("\r\n", "\n")
                yield _page_path(member.name.removeprefix(root)), text


def _below(path: str, roots: list[str]) -> bool:
    return any(root == "." or path.startswith(f"{root}/") for root in roots)


def _page_path(name: str) -> str:
    plain = _NUMBER.sub("/", _GROUP.sub("/", "/" + name.lstrip("/")))
    return _NAME.sub("", plain) or "/"


def _links(documents: list[Document]) -> Iterator[Link]:
    ids = {document.id for document in documents}
    tails = Counter(tail for one in ids for tail in {one.rsplit("/", 1)[-1], "/".join(one.split("/")[-2:])})
    by_tail = {
        tail: one for one in sorted(ids) for tail in (one.rsplit("/", 1)[-1], "/".join(one.split("/")[-2:]))
        if tails[tail] == 1
    }  # fmt: skip
    for document in documents:
        for line in re.sub(r"^(```|~~~).*?^\1", "", document.text, flags=re.MULTILINE | re.DOTALL).split("\n"):
            for found in _LINK.finditer(line):
                target = _resolved(document.id, found[2], ids, by_tail)
                if target and target != document.id:
                    start = max(line.rfind(". ", 0, found.start()) + 2, 0) if ". " in line[: found.start()] else 0
                    end = line.find(". ", found.end())
                    before, after = line[start : found.start()], line[found.end() : end if end > 0 else len(line)]
                    before, after = (_LINK.sub(r"\1", part) for part in (before, after))
                    sentence = f"{before} ¦{found[1]}¦ {after}"
                    yield Link(document.id, target, found[1].replace("`", ""), sentence)


def _resolved(source: str, target: str, ids: set[str], by_tail: dict[str, str]) -> str | None:
    path = target.partition("#")[0].partition("?")[0]
    if not path or "://" in path or path.startswith("mailto:"):
        return None
    plain = _NAME.sub("", path) or "/"
    tries = [plain] if plain.startswith("/") else []
    tries += [posixpath.normpath(posixpath.join(base, plain)) for base in (posixpath.dirname(source), source)]
    for one in tries:
        if one in ids:
            return one
    parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
    return by_tail.get("/".join(parts[-2:])) or by_tail.get(parts[-1] if parts else "")
