"""Effects of `metrics`: the file that runs write for Prometheus."""

from tests.project.settings.lab import Effect, Lab


def written(lab: Lab) -> list[str]:
    lab.index()
    return sorted(path.name for path in lab.root.glob("collector/*"))


EFFECTS = (
    Effect(
        "metrics.textfile_dir",
        "collector",
        written,
        [],
        ["searchsocket-site.prom"],
        prepare=lambda lab: (lab.root / "collector").mkdir(),
    ),
)
