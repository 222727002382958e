"""Search without a server: the live index as files that browsers read next to the pages (docs/static.md).

`files.py` writes them: named by their hash, and last the entry with the newest generation. `head.py` makes the file
that every query reads. `built_pages.py` adds a script tag to built pages. `stage.py` is the stage `static_search`, and
`cli/` has the commands. `searchsocket init --static` has `after_build.py`: the step of `package.json` after each build,
and the lines for hosts of static files.
"""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="export",
    settings=f"{__name__}.settings:ExportSettings",
    switch="static",
    example="# static = true # write the files of search without a server in each run",
    stages=f"{__name__}.stage:STAGES",
    output_dir="dir",
    options={"init": f"{__name__}.cli.init:with_static"},
    commands={
        "static": Command(f"{__name__}.cli.static:static", "Add search to a built site, in one step.", "index"),
        "export": Command(
            f"{__name__}.cli.export:export", "Write the index as files for search without a server.", "mcp"
        ),
    },
)
