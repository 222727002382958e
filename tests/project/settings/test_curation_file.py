"""Rules of `curation.toml`: read with their lines, refused with the line and a fix, and read again when they change."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import FILE_NAME, PageRule, fits, plain_query, read_curation
from searchsocket.text.words import parse_query

RULES = """\
# The owner's rules.
[[pin]]
query = ["Install", "how do I install*"]
pages = "/docs/install/"
until = 2026-12-31

[[synonyms]]
words = ["k8s",
         "kubernetes"]

[[hide]]
query = "*"
pages = ["/blog/*", "/old.html"]

[[boost]]
path = "/docs"
factor = 1.5
"""


def written(folder: Path, text: str) -> Path:
    (folder / FILE_NAME).write_text(text, encoding="utf-8")
    return folder


def test_each_rule_has_its_line(tmp_path: Path) -> None:
    rules = read_curation(written(tmp_path, RULES) / FILE_NAME)
    assert rules.pages == (
        PageRule("pin", 2, ("install", "how do i install*"), ("/docs/install",), 1.0, date(2026, 12, 31)),
        PageRule("hide", 11, ("*",), ("/blog/*", "/old")),
        PageRule("boost", 15, ("*",), ("/docs",), 1.5),
    )
    assert [(rule.line, rule.words) for rule in rules.synonyms] == [(7, ("k8s", "kubernetes"))]


WRONG = {
    "[[pin]\n": "1: is not valid TOML",
    '[[pin]]\nquery = "a"\npages = "/a"\n\n[[pin]]\nquery = "b"\n': "5: pin.pages: is missing",
    '[[pin]]\nquery = "a"\npages = ["/a", "docs"]\n': "3: pin.pages: 'docs' is not a page of the site; write its path",
    '[[pin]]\nquery = "a"\npages = "/docs/*"\n': "3: pin.pages: '/docs/*' has a '*'; name each page",
    '[[pin]]\nquery = "?!"\npages = "/a"\n': "2: pin.query: '?!' has no word",
    '[[pin]]\nquery = "a"\npages = "/a"\nuntil = "soon"\n': "4: pin.until: must be a date",
    '[[pin]]\nquery = "a"\npages = "/a"\nuntill = 2026-01-01\n': "4: unknown key pin.untill; did you mean until?",
    '\n[[pins]]\nquery = "a"\n': "2: unknown key pins; did you mean pin?",
    '[pin]\nquery = "a"\n': "2: each rule is a table [[pin]], with two brackets",
    '[[boost]]\npath = "/a"\nfactor = 100\n': "3: boost.factor: must be 10 or less",
    '[[boost]]\npath = "/a"\nfactor = nan\n': "3: boost.factor: must be a finite number",
    '[[synonyms]]\nwords = ["a", "A"]\n': "2: synonyms.words: the group of 'a' needs at least two different",
    'hide = [{query = "a"}]\n': "1: hide.pages: is missing",
    "x = 1979-05-27T07:32:00Z\n": "1: unknown key x; did you mean",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_an_error_names_the_line(tmp_path: Path, text: str) -> None:
    rules = read_curation(written(tmp_path, text) / FILE_NAME)
    assert f"{FILE_NAME}:{WRONG[text]}" in rules.mistakes[0]
    assert rules.synonyms == ()


@pytest.mark.parametrize("text", WRONG)
def test_the_other_rules_count(tmp_path: Path, text: str) -> None:
    """Also after a rule that is not TOML: one mistake switches off one rule."""
    good = '[[pin]]\nquery = "tide"\npages = "/tides"\n\n[[synonyms]]\nwords = ["quay", "pier"]\n'
    if text.startswith("x = ") or text.startswith("hide = "):
        pytest.skip("a key before the first table")
    rules = read_curation(written(tmp_path, good + text) / FILE_NAME)
    assert (rules.pages[0].line, rules.pages[0].pages) == (1, ("/tides",))
    assert [rule.words for rule in rules.synonyms] == [("quay", "pier")]
    assert rules.mistakes


def test_invalid_or_long_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"# fine\n\xff\n")
    assert read_curation(path).mistakes == (f"{path}:2: is not UTF-8",)
    path.write_bytes(b"#" * 1_000_001)
    assert "too large" in read_curation(path).mistakes[0]


@given(st.text("[]pinhquerspag=\"'/*. \n#{},0-:", max_size=80))
def test_any_text_is_rules_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8")
    assert all(mistake.startswith(f"{path}:") for mistake in read_curation(path).mistakes)


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_a_star_is_any_characters(pattern: str, text: str) -> None:
    expression = "".join(".*" if char == "*" else char for char in pattern)
    assert fits(pattern, text) == bool(re.fullmatch(expression, text))


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    """No new index is needed, and each new mistake is reported once."""
    errors: list[BaseException] = []
    curation = Curation(tmp_path, on_error=errors.append)
    assert curation.matching("install") == ()
    written(tmp_path, RULES.replace("until = 2026-12-31\n", ""))
    assert [rule.line for rule in curation.matching("  INSTALL? ")] == [2, 10, 14]
    first = curation.version()
    written(tmp_path, '[[pin]]\nquery = 3\n[[hide]]\nquery = "install"\npages = "/old"\n')
    for _ in range(2):
        assert [rule.line for rule in curation.matching("install")] == [3]
    assert len(errors) == 1
    assert f"{FILE_NAME}:2: pin.query: must be a list" in str(errors[0])
    assert curation.version() != first
    (tmp_path / FILE_NAME).unlink()
    assert (curation.matching("install"), curation.version()) == ((), "")


def test_rules_and_synonyms_end_after_their_last_day(tmp_path: Path) -> None:
    text = RULES.replace('"kubernetes"]', '"kubernetes"]\nuntil = 2026-12-30')
    now = [datetime(2026, 12, 30, 23, 59, tzinfo=UTC)]
    curation = Curation(written(tmp_path, text), [["quay", "pier"]], lambda: now[0])
    words = parse_query("k8s quay").order
    assert curation.current() is curation.current()
    assert curation.current().of(words) == {"k8s": (("kubernet",),), "quay": (("pier",),)}
    assert curation.notices(lambda _: True) == []
    now[0] = datetime(2026, 12, 31, 0, 0, tzinfo=UTC)
    assert curation.current().of(words) == {"quay": (("pier",),)}
    assert [rule.effect for rule in curation.matching("install")] == ["pin", "hide", "boost"]
    now[0] = datetime(2027, 1, 1, 0, 0, tzinfo=UTC)
    assert [rule.effect for rule in curation.matching("install")] == ["hide", "boost"]
    assert curation.notices(lambda _: False) == [
        "curation.toml:2 expired on 2026-12-31; remove the rule or change its date",
        "curation.toml:7 expired on 2026-12-30; remove the rule or change its date",
    ]


def test_a_pin_of_no_page_is_named(tmp_path: Path) -> None:
    curation = Curation(written(tmp_path, '[[pin]]\nquery = "a"\npages = ["/a", "/gone"]\n'))
    assert curation.notices(lambda page: page == "/a") == ["curation.toml:1 pins /gone, which is not in the index"]


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        (" How  do I INSTALL it? ", "how do i install it"),
        ("Größe", "grosse"),
        ("c++", "c++"),
        ("?", ""),
        ("a.b", "a.b"),
    ],
)
def test_queries_are_compared_as_they_are_meant(query: str, plain: str) -> None:
    assert plain_query(query) == plain
