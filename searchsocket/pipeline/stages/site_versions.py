"""Find the versions of a site and place its pages in them (part of stage 2)."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from searchsocket.errors import ConfigError
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import Table, digest_of
from searchsocket.sources.static_output import listed_texts
from searchsocket.state import ScopeState
from searchsocket.types import VersionFamily
from searchsocket.web.versions.families import DETECTION_VERSION, VersionRules, find_families
from searchsocket.web.versions.listed import read_listed
from searchsocket.web.versions.names import matches
from searchsocket.web.versions.placing import UNMARKED, Placement, place
from searchsocket.web.versions.rows import VERSIONS, version_rows

ALL = "all"


def detect_versions(run: ScopeRun, state: ScopeState) -> list[str]:
    """Decide which pages belong to which version, are copies or lack a mark; does nothing if no page changed.

    Returns:
        Warnings.

    Raises:
        ConfigError: `versions.default` is not a version of the site.
    """
    settings = run.project.settings.versions
    rules = VersionRules(settings.detect, settings.pattern, settings.default, settings.exclude)
    texts = listed_texts(run.make_source()) if run.source_kind.is_build else {}
    inputs = digest_of([DETECTION_VERSION, settings.model_dump_json(), json.dumps(texts, sort_keys=True)])
    if state.versions.is_settled(inputs):
        return []
    # Like Pagefind: once a page marks its content, pages without the mark are left out.
    unmarked = dict.fromkeys(state.versions.unmarked(), Placement((), UNMARKED))
    pages = [page for page in state.versions.pages() if page.page.url not in unmarked]
    listed = {parent: read_listed(text) for parent, text in texts.items()}
    families = find_families([page for page, _ in pages], listed, rules)
    check_default(rules, families)
    placements = place(pages, families, rules.exclude) | unmarked
    state.versions.settle(inputs, tuple(_without_excluded(families, rules)), placements)
    return list(_warnings(rules, families))


def version_table(state: ScopeState) -> Mapping[str, Table]:
    """A table of the site's versions for people and `--json`; empty if there are none."""
    rows = version_rows(state.versions.families())
    return {VERSIONS: rows} if rows else {}


def check_default(rules: VersionRules, families: Sequence[VersionFamily]) -> None:
    """Check that `versions.default` names a version of the site.

    Raises:
        ConfigError: It names no version.
    """
    names = _names(families)
    if rules.default not in ("", ALL, *names):
        near = difflib.get_close_matches(rules.default, names, n=1, cutoff=0.0)
        hint = f"did you mean {near[0]}?" if near else "the site has no versions"
        raise ConfigError(f"versions.default = {json.dumps(rules.default)} is not a version of this site; {hint}")


def _without_excluded(families: Sequence[VersionFamily], rules: VersionRules) -> Iterator[VersionFamily]:
    """The families without their excluded versions."""
    for family in families:
        if versions := tuple(version for version in family.versions if not matches(version.name, rules.exclude)):
            default = "" if rules.default == ALL else family.default
            yield replace(family, versions=versions, default=default)


def _warnings(rules: VersionRules, families: Sequence[VersionFamily]) -> Iterator[str]:
    names = _names(families)
    if rules.pattern and not families:
        yield f"versions.pattern = {json.dumps(rules.pattern)} matches fewer than two folders of this site"
    for glob in rules.exclude:
        if not any(matches(name, [glob]) for name in names):
            near = difflib.get_close_matches(glob, names, n=1, cutoff=0.0)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield f"versions.exclude: {json.dumps(glob)} matches no version of this site{hint}"


def _names(families: Sequence[VersionFamily]) -> list[str]:
    return [name for family in families for version in family.versions for name in (version.name, *version.aliases)]
