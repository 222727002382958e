"""Files for agents: `llms.txt`, `llms-full.txt`, and each page as Markdown next to it.

`index.py` makes the texts, and `folder.py` writes them into a folder of the site, for `stage.py`. `api.py` makes them
for the service, and adds its endpoints.
"""

from searchsocket.extensions.base import Extension

EXTENSION = Extension(
    name="llms",
    settings=f"{__name__}.settings:LlmsSettings",
    example="# enable = true # write llms.txt and one Markdown file per page, for agents",
    site_title="title",
    endpoints=f"{__name__}.api:add_endpoints",
    stages=f"{__name__}.stage:STAGES",
    output_dir="dir",
    when_off=f"{__name__}.stage:remove_all",
)
