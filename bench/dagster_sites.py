"""Many sites in one Dagster deployment: `python -m bench.dagster_sites [10 100 1000]`.

For each number of sites: CPU seconds to load the definitions, beyond `import dagster`, as a code server does, and the
CPU seconds of one tick of each sensor, of a site that was never indexed. Each site has four sensors. All times are of
one process.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SITES = (10, 100, 1_000)
_CHILD = """
import sys, time
from pathlib import Path
import dagster as dg
imported = time.process_time()
from searchsocket_assets import site_definitions
folder = Path(sys.argv[1])
roots = sorted(path for path in folder.iterdir() if path.name.startswith("site"))
definitions = dg.Definitions.merge(*(site_definitions(root, root.name) for root in roots))
repository = definitions.get_repository_def()
loaded = time.process_time()
sensors = list(repository.sensor_defs)
kinds = {}
with dg.DagsterInstance.ephemeral() as instance:
    for sensor in sensors:
        began = time.process_time()
        with dg.build_sensor_context(instance=instance, repository_def=repository) as context:
            result = sensor(context)
            list(result) if hasattr(result, "__next__") else result
        kind = "_".join(sensor.name.split("_")[1:])
        kinds[kind] = kinds.get(kind, 0.0) + time.process_time() - began
print(loaded - imported, len(sensors), *(f"{name}={seconds:.2f}" for name, seconds in sorted(kinds.items())))
"""


def main() -> None:
    """Print a line for each number of sites."""
    for count in map(int, sys.argv[1:]) if len(sys.argv) > 1 else SITES:
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                page = Path(folder) / f"site{number:04}" / "content" / "index.md"
                page.parent.mkdir(parents=True)
                page.write_text("# Home\n\nA page.\n")
                (page.parents[1] / "searchsocket.toml").write_text(
                    f'[project]\nid = "site{number:04}"\n[source]\nmode = "content-files"\n'
                    '[source.content_files]\nglobs = ["content/*.md"]\n[scope]\nmode = "fixed"\nfixed = "main"\n'
                )
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", _CHILD, folder], capture_output=True, text=True, check=False
            )
        if done.returncode:
            sys.exit(done.stderr[-2_000:])
        seconds, sensors, *kinds = done.stdout.split()
        peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_000
        print(
            f"{count:,} sites: load {float(seconds):.2f} CPU s, {peak_mb:.0f} MB, {sensors} sensors; {' '.join(kinds)}"
        )


if __name__ == "__main__":
    main()
