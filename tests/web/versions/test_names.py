"""Names of versions: which segments of a URL they are, their order, and which of them are releases."""

import pytest

from searchsocket.web.versions.names import bare, is_release, looks_like_version, order_of


@pytest.mark.parametrize(
    "segment",
    [
        "1.0",
        "v2",
        "2.x",
        "v1.2.3",
        "1.18",
        "version-1.0.0",
        "release-3.1",
        "2.0-rc.1",
        "2.0a1",
        "latest",
        "stable",
        "dev",
    ],
)
def test_a_version_is_recognized(segment: str) -> None:
    assert looks_like_version(segment)


@pytest.mark.parametrize(
    "segment", ["", "2024", "123456", "guide", "v", "1.0-guide", "en", "3d-models", "1" * 80, "..", "x.1"]
)
def test_other_segments_are_no_versions(segment: str) -> None:
    """A year or an id in a blog's address is no version."""
    assert not looks_like_version(segment)


def test_versions_are_ordered_as_semantic_versioning_says() -> None:
    names = [
        "main",
        "0.9",
        "1.0-alpha.2",
        "1.0-beta.1",
        "1.0-rc.1",
        "1.0-rc.10",
        "1.0",
        "1.0.1",
        "v1.9",
        "1.10",
        "1.x",
        "v2",
    ]
    assert sorted(sorted(names), key=order_of) == names
    assert order_of("1.0") == order_of("v1") == order_of("1.0.0")


def test_previews_and_branches_are_no_releases() -> None:
    assert all(map(is_release, ["1.0", "v2", "2.x", "1.0.post1", "stable", "latest", "jammy"]))
    assert not any(map(is_release, ["2.0-rc.1", "2.0b1", "1.0.dev3", "dev", "next", "main", "master", "nightly"]))


def test_a_name_is_the_same_with_and_without_its_prefix() -> None:
    assert {bare(name) for name in ("1.2", "v1.2", "version-1.2", "release-1.2")} == {"1.2"}
    assert bare("vivid") == "vivid"
