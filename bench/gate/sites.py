"""Built sites as collections without queries: archives `NAME.tar.xz` that hold a folder `NAME/build`."""

import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.relevance.collection import Collection, Document
from bench.relevance.example_site import page_document


def load_site(folder: Path, name: str) -> Collection:
    """The pages of a site of `folder` as Markdown."""
    with TemporaryDirectory() as unpacked:
        with tarfile.open(folder / f"{name}.tar.xz") as archive:
            archive.extractall(unpacked, filter="data")
        build = Path(unpacked) / name / "build"
        found: dict[str, Document] = {}
        for path in sorted(build.rglob("*.html")):
            if (document := page_document(path, build)) is not None:
                found.setdefault(document.id, document)
    return Collection(name, tuple(found.values()), (), {})
