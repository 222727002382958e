"""Built sites as collections without queries: archives `NAME.tar.xz` with a folder `NAME/build`."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.relevance.collection import Collection, Document
from bench.relevance.example_site import page_document


def load_site(folder: Path, name: str) -> Collection:
    """The pages of a site of `folder` as Markdown."""
    with TemporaryDirectory() as unpacked:
        shutil.unpack_archive(folder / f"{name}.tar.xz", unpacked)
        build = Path(unpacked) / name / "build"
        documents: dict[str, Document] = {}
        for path in sorted(build.rglob("*.html")):
            if (document := page_document(path, build)) is not None:
                documents.setdefault(document.id, document)
    return Collection(name, tuple(documents.values()), (), {})
