"""Search without a server: the live index as files next to the pages of the site."""

from searchsocket.extensions.base import Extension

EXTENSION = Extension(
    name="export",
    settings=f"{__name__}.settings:ExportSettings",
    switch="static",
    example="# static = true # write the files of search without a server in each run",
    stages=f"{__name__}.stage:STAGES",
    output_dir="dir",
)
