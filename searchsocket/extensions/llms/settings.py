"""The section `[llms]`."""

from searchsocket.project.settings.section import Count, SettingsSection


class LlmsSettings(SettingsSection):
    """Files for agents: `llms.txt`, `llms-full.txt` and each page as Markdown, next to the pages of the site."""

    enable: bool = False  # write the files in each run; the service serves them in any case
    dir: str = ""  # relative to the project, `{scope}` in it is replaced; "" = the build folder
    title: str = ""  # of the site; "" = the title of its home page
    summary: str = ""  # one sentence about the site; "" = the description of its home page
    max_kb: Count = 1_000  # of the pages in one llms-full.txt; more are split by folder
