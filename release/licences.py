"""Write `docs/licences.md`: the licences of all packages that an installation brings, and of the data: `make licences`.

Reads the packages of this environment, which has all extras.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import metadata, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/licences.md"
EVERY = "all"  # installations need it, also without extras
MAX_NAME_CHARS = 60  # longer texts in the field "License" are licences, not their names
SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
HEAD = """\
# Licences

searchsocket is under the MIT licence. `make licences` writes this file from the metadata of the installed packages.

## Packages

None is part of a package of searchsocket: the installer fetches them. "all" comes with every installation, the others
with an extra. psycopg, of the extra `pgvector`, is the only one under the LGPL. Packages that only other systems or
other versions of Python need are missing here; they are in `requirements.lock`.

| package | licence | extras |
|---|---|---|
"""
DATA = """
## Data in the packages

| file | content | licence |
|---|---|---|
| `searchsocket/models/embedders/data` | the built-in model | MIT; made from all-MiniLM-L6-v2 (Apache-2.0), texts [1] |
| `searchsocket/search/ranking` | weights, fitted to queries of the sites in `training/ranking/sites.tsv` | MIT |
| `searchsocket/client` | the browser's files, without any package of others | MIT |

[1] `training/sources.tsv` names the repositories and the licence of each: MIT, BSD, Apache-2.0 or CC-BY-4.0.
"""


def document() -> str:
    """Return the whole file."""
    rows = (f"| {name} | {licence(name)} | {', '.join(extras)} |\n" for name, extras in sorted(users().items()))
    return HEAD + "".join(rows) + DATA


def users() -> dict[str, list[str]]:
    """Return the packages that searchsocket needs on this platform, each with the extras that bring it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = closure([Requirement(text) for text in project["dependencies"]])
    found: dict[str, list[str]] = defaultdict(list, {name: [EVERY] for name in base})
    for extra, requirements in sorted(project["optional-dependencies"].items()):
        for name in closure([Requirement(text) for text in requirements]) - base:
            found[name].append(f"`{extra}`")
    return dict(found)


def closure(requirements: Iterable[Requirement]) -> set[str]:
    """Return the names of the packages that these requirements bring on this platform."""
    queue, brought = [each for each in requirements if not each.marker or each.marker.evaluate()], set()
    while queue:
        requirement = queue.pop()
        for extra in ("", *requirement.extras):
            if (name := canonicalize_name(requirement.name), extra) not in brought:
                brought.add((name, extra))
                needed = map(Requirement, requires(name) or ())
                queue += [each for each in needed if not each.marker or each.marker.evaluate({"extra": extra})]
    return {name for name, _ in brought}


def licence(name: str) -> str:
    """Return the licence that a package states, as an SPDX expression where it can be one; "" if it states none."""
    facts = metadata(name).json
    if expression := facts.get("license_expression"):
        return str(expression)
    stated = [text.rpartition(" :: ")[2] for text in facts.get("classifier", []) if text.startswith("License ::")]
    short = str(facts.get("license", "")).strip()
    names = [text for text in stated if text != "OSI Approved"] or ([short] if len(short) < MAX_NAME_CHARS else [])
    return " AND ".join(SPDX.get(text, text) for text in names)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
