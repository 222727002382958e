"""Licences of what comes along, and exceptions of the audit that end."""

import re
from datetime import date

import pytest

from release.audit import EXCEPTIONS, current_exceptions, npm_advisories
from release.licences import DOCUMENT, licence, users

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "PSF-2.0",
    "Zlib",
}
LISTED = '[[exception]]\nid = "GHSA-1"\npackage = "a"\nuntil = 2027-01-31\nreason = "not called"\n'
REPORT = {
    "vulnerabilities": {
        "a": {"via": [{"url": "https://github.com/advisories/GHSA-1"}, "b"]},
        "b": {"via": [{"url": "https://github.com/advisories/GHSA-2"}]},
    }
}


def test_every_package_is_listed_with_its_licence() -> None:
    """`make licences` writes the list."""
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = {f"| {name} | {licence(name)} | {', '.join(extras)} |" for name, extras in users().items()}
    assert rows - set(text.splitlines()) == set()


def test_licences_ask_for_no_more_than_a_notice() -> None:
    """Weaker copyleft is fine where a package is used as it is; the LGPL comes with one extra only."""
    other = {name: set(re.findall(r"[\w.-]+", licence(name))) - ALLOWED - {"AND", "OR"} for name in users()}
    assert {name for name, names in other.items() if names} == {"psycopg", "psycopg-binary"}
    assert all(licence(name) for name in other)


def test_an_exception_counts_until_its_day() -> None:
    assert current_exceptions(LISTED, date(2027, 1, 31)) == ["GHSA-1"]
    with pytest.raises(SystemExit, match="until 2027-01-31"):
        current_exceptions(LISTED, date(2027, 2, 1))
    current_exceptions(EXCEPTIONS.read_text(encoding="utf-8"), date(2026, 1, 1))


def test_a_registry_that_does_not_answer_is_no_clean_report() -> None:
    assert npm_advisories(REPORT) == ["GHSA-1", "GHSA-2"]
    with pytest.raises(SystemExit, match="405"):
        npm_advisories({"message": "405 Method Not Allowed"})
