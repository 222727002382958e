"""`versions.json` as the tools write it, and anything else under that name."""

import json

import pytest

from searchsocket.web.versions.names import ListedVersion, read_listed


def test_the_file_of_mike() -> None:
    newest = {"version": "1.1", "title": "1.1 (new)", "aliases": ["latest"]}
    text = json.dumps([newest, {"version": "1.0", "title": "1.0", "aliases": []}])
    assert read_listed(text) == (ListedVersion("1.1", "1.1 (new)", ("latest",)), ListedVersion("1.0"))


def test_the_file_of_docusaurus() -> None:
    assert read_listed('["2.0.0", "1.0.0"]') == (ListedVersion("2.0.0"), ListedVersion("1.0.0"))


def test_the_file_of_a_sphinx_theme() -> None:
    """The folder of its URL is the name, since that is what the pages lie in."""
    text = json.dumps(
        [
            {"version": "dev", "url": "https://a.test/en/latest/"},
            {"version": "v0.2.4", "name": "0.2.4 (stable)", "url": "https://a.test/en/v0.2.4/", "preferred": True},
        ]
    )
    assert read_listed(text) == (ListedVersion("latest"), ListedVersion("v0.2.4", "0.2.4 (stable)", (), True))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "null", "[", "[" * 100_000, "[1, null, [], {}]", '[{"version": "a/b"}, {"version": ".."}]',
     '[{"version": 3}]', '["' + "x" * 100 + '"]', '[{"url": "http://[", "version": ""}]'],
)  # fmt: skip
def test_another_file_lists_nothing(text: str) -> None:
    assert read_listed(text) == ()


def test_a_long_list_is_cut() -> None:
    assert len(read_listed(json.dumps([str(n) for n in range(5_000)]))) == 1_000
