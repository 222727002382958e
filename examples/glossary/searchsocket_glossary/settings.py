"""The section `[glossary]`."""

from searchsocket.project.settings.section import SettingsSection


class GlossarySettings(SettingsSection):
    enable: bool = False
    file: str = "glossary.toml"  # relative to the project
