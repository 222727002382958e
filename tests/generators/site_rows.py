"""The table of docs/notes/generators.md, whose rows are checked."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILDS = Path(__file__).parent / "builds"
PAGE = ROOT / "docs" / "notes" / "generators.md"


@dataclass(frozen=True, slots=True)
class SiteRow:
    """Row of the table for one generator and theme."""

    generator: str  # as the library calls it, without its version and theme
    config: str  # project-relative
    folder: str  # project-relative
    address: str  # of the page `install`
    main: str  # how its content is found
    title: str
    language: str  # as pages state it; "" where they do not
    versions: tuple[str, ...]  # below which path one lies, and which meta names it
    noise: str
    left_out: tuple[str, ...]  # files that are no pages
    build: str  # its folder below `builds`, or what else it is checked on


def site_rows() -> list[SiteRow]:
    """Every row, in the order of the page."""
    table = PAGE.read_text(encoding="utf-8").partition("| generator |")[2].partition("\n\n")[0]
    return [_row(line) for line in table.splitlines()[2:]]


def _row(line: str) -> SiteRow:
    name, config, folder, address, main, title, language, versions, noise, left_out, build = (
        cell.strip() for cell in line.strip("| ").split(" | ")
    )
    config, folder, address, main, language, build = (
        cell.strip("`").replace("—", "") for cell in (config, folder, address, main, language, build)
    )
    generator = re.split(r" \d|,", name)[0]
    return SiteRow(
        generator, config, folder, address, main, title, language, _quoted(versions), noise, _quoted(left_out), build
    )


def _quoted(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))
