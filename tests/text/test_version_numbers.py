"""A version is the same in every spelling, and pages are compared with it by its numbers."""

import pytest

from searchsocket.text.versions import is_version, version_match, versions_of_page, versions_of_query


@pytest.mark.parametrize(
    ("q", "title", "url", "expected"),
    [
        ("v8", "Version 8.0.0 released", "/blog/a", 1.0),
        ("v8.0", "Upgrade to v8", "/upgrade", 1.0),
        ("v13", "What is new", "/blog/hull-13-0", 1.0),
        ("v13", "What is new", "/blog/2021-05-25-13.0.0", 1.0),
        ("v4.9", "Hull 4.9", "/hull-4-9", 1.0),
        ("v9.0.0-rc.1", "Hull v9.0.0-rc-1 released", "/a", 1.0),
        ("v9", "Hull v9.0.0-rc.1 released", "/a", 0.4),  # a preview is not the release
        ("v3", "Part 3 of the tour", "/tour/last", 0.6),  # may be no version
        ("v7.22.5", "Hull 7.22", "/a", 0.4 * (1 + 2 / 3)),
        ("v7.22.5", "Hull v7", "/a", 0.4 * (1 + 1 / 3)),
        ("v8", "Hull 8.5", "/a", 0.4),
        ("v8", "Hull 7.0", "/a", -0.3),
        ("v7.22", "Hull 7.21", "/a", -0.3),
        ("v2 to v3", "From 2.x to 3.0", "/from-2-to-3", 0.8),
        ("v8", "Slots", "/slots", 0.0),
        ("8 slots", "Hull 8.0", "/a", 0.0),  # a number alone may count something
        ("v8", "Base64 and h1", "/utf16-h8", -0.3),
    ],
)
def test_pages_match_a_version_by_its_numbers(q: str, title: str, url: str, expected: float) -> None:
    assert version_match(versions_of_query(q), versions_of_page(title, url)) == pytest.approx(expected)


@pytest.mark.parametrize("word", ["v8", "V8", "8.0", "v7.22.5", "9.0.0-rc.1"])
def test_a_number_with_a_sign_or_a_dot_is_a_version(word: str) -> None:
    assert is_version(word)


@pytest.mark.parametrize("word", ["8", "2024", "", "v", "valve", "127.0.0.1", "x86", "h1", "1,5", "10mb"])
def test_other_words_with_digits_are_no_versions(word: str) -> None:
    assert not is_version(word)
