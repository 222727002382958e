"""The section `[export]`."""

from searchsocket.project.settings.section import SettingsSection


class ExportSettings(SettingsSection):
    """Files that browsers search without a server."""

    static: bool = False  # write the files in each run
    dir: str = ""  # relative to the project, `{scope}` in it is replaced; "" = `searchsocket` in the build folder
