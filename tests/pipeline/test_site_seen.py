"""Report of the source: complete or not, and other scopes that read the same source."""

import pytest

from searchsocket.pipeline.run.checks import CHECKS
from tests.pipeline.conftest import Site


def same_bytes(site: Site, scope: str) -> list[str]:
    return [warning for warning in site.index(scope).warnings if "has the same pages" in warning]


def test_two_scopes_that_read_the_same_bytes_are_a_warning(site: Site) -> None:
    """A backfill over four scopes indexed one folder four times, without a word."""
    assert same_bytes(site, "main") == []
    (note,) = same_bytes(site, "preview")
    assert "'main'" in note
    assert "use {scope} in source.static_output_dir" in note
    site.write("docs/usage.html", "Usage", "<p>Another branch says something else.</p>")
    assert same_bytes(site, "preview") == []
    assert len(same_bytes(site, "main")) == 1  # nobody built it anew


def test_a_folder_for_each_scope_is_no_mistake(site: Site) -> None:
    (site.root / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "build-{scope}"\n')
    (site.root / "build").rename(site.root / "build-main")
    (site.root / "build-preview").symlink_to("build-main")
    assert same_bytes(site, "main") == same_bytes(site, "preview") == []


@pytest.mark.parametrize(
    ("options", "deleted", "passed", "words"),
    [
        ({}, 0, True, "6 pages, all read; 6 in the previous run"),
        ({}, 1, True, "5 pages, all read; 6 in the previous run"),
        ({}, 2, False, "4 pages, far fewer than 6 in the previous run"),
        ({"max_pages": 5}, 0, False, "5 pages, but some could not be read: the run is limited"),
    ],
)
def test_a_source_that_shrank_or_was_not_seen_whole_is_seen_in_the_check(
    site: Site, options: dict[str, int], deleted: int, passed: bool, words: str
) -> None:
    site.index()
    for file in ("docs/faq.html", "docs/usage.html")[:deleted]:
        site.delete(file)
    site.index(**options)
    outcome = CHECKS["pages_complete"].run(site.run())
    assert (outcome.passed, outcome.severity) == (passed, "error" if passed else "warn")
    assert outcome.message.startswith(words)


def test_a_first_run_has_nothing_to_compare_with(site: Site) -> None:
    site.index()
    assert CHECKS["pages_complete"].run(site.run()).message == "6 pages, all read"
