"""The settings of metrics."""

from searchsocket.project.settings.section import SettingsSection


class MetricsSettings(SettingsSection):
    textfile_dir: str = ""  # folder of node exporter's textfile collector; "" = runs write no metrics

    @property
    def enable(self) -> bool:
        """True if runs write metrics."""
        return bool(self.textfile_dir)
