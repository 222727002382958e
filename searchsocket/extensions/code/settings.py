"""The settings of source code."""

from searchsocket.project.settings.section import Count, SettingsSection


class CodeSettings(SettingsSection):
    enable: bool = False  # True: `searchsocket index` indexes the source files of the project too
    include: tuple[str, ...] = ()  # globs of a .gitignore over paths; () = every file of a known language
    exclude: tuple[str, ...] = ()  # e.g. "*.test.ts", "/legacy/"
    max_file_bytes: Count = 1_000_000  # a larger file is skipped and reported
