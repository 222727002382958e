"""Ask registries for known vulnerabilities of everything that is locked: `make audit`.

`exceptions.toml` lists those that are accepted until a day. The exit status is not 0 if there is another one, or if an
exception has ended.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = Path(__file__).with_name("exceptions.toml")
LOCKS = ("requirements.lock", "requirements-release.lock")
NPM_PROJECTS = ("clients/js", "examples/docs-site")


def main() -> None:
    accepted = current_exceptions(EXCEPTIONS.read_text(encoding="utf-8"), date.today())
    ignored = [word for name in accepted for word in ("--ignore-vuln", name)]
    audit = [
        str(Path(sys.executable).with_name("pip-audit")),
        "--strict",
        "--disable-pip",
        "--require-hashes",
        *ignored,
    ]
    failed = [lock for lock in LOCKS if subprocess.run([*audit, "-r", str(ROOT / lock)], check=False).returncode]
    for project in NPM_PROJECTS:
        command = ["npm", "audit", "--package-lock-only", "--json"]
        done = subprocess.run(command, cwd=ROOT / project, stdout=subprocess.PIPE, text=True, check=False)
        found = [name for name in npm_advisories(json.loads(done.stdout)) if name not in accepted]
        print(f"{project}: {', '.join(found) or 'no known vulnerabilities'}")
        failed += [project] if found else []
    if failed:
        raise SystemExit(f"known vulnerabilities in {', '.join(failed)}")


def current_exceptions(text: str, today: date) -> list[str]:
    """Return the ids that are accepted today.

    Raises:
        SystemExit: An exception has ended, or lacks its reason.
    """
    listed = tomllib.loads(text).get("exception", [])
    for each in listed:
        if not each.get("reason") or each["until"] < today:
            raise SystemExit(f"{each['id']} ({each['package']}) is accepted until {each['until']} only; look again")
    return [each["id"] for each in listed]


def npm_advisories(report: Mapping[str, Any]) -> list[str]:
    """Return the ids in a report of `npm audit --json`.

    Raises:
        SystemExit: The registry did not answer.
    """
    if "vulnerabilities" not in report:
        raise SystemExit(f"npm audit got no answer: {report.get('message') or report.get('error')}")
    urls = (via["url"] for each in report["vulnerabilities"].values() for via in each["via"] if isinstance(via, dict))
    return sorted({url.rpartition("/")[2] for url in urls})


if __name__ == "__main__":
    main()
