"""Pages that programs supply as records: JSON Lines in the project, or the output of a Python package."""

from searchsocket.extensions.base import Extension, PageSource

EXTENSION = Extension(
    name="records",
    source=PageSource(
        settings=f"{__name__}.settings:RecordSettings", open=f"{__name__}.source:open_records", formats=("json",)
    ),
    readers={"record": f"{__name__}.page:extract_record"},
)
