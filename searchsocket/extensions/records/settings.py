"""Settings of records."""

from collections.abc import Sequence

from searchsocket.project.settings.site import SourceSection


class RecordSettings(SourceSection):
    """Pages as records, for mode `records`: from files, or from a Python package."""

    files: tuple[str, ...] = ()  # globs of JSON Lines, relative to the project, e.g. "records/*.jsonl"
    reader: str = ""  # entry point `searchsocket.sources` of an installed package, instead of files

    def advice(self) -> str:
        if self.reader:
            return f"check what the entry point {self.reader!r} (source.records.reader) yields"
        return f"check source.records.files ({', '.join(self.files)})"

    def project_file(self, locator: str) -> str:
        return "" if self.reader else locator.rpartition("@")[0]

    def watched(self) -> Sequence[str]:
        return self.files
