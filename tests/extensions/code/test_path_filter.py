"""Paths and globs that select files of an answer."""

from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchsocket.extensions.code.parsing.paths import PathFilter

PARTS = st.text(st.characters(exclude_characters="/*?\\\0", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda part: part.strip(". ") == part
)
ROUTES = ["app/[slug]/page.tsx", "app/(shop)/[...rest]/page.tsx", "app/s/page.tsx", "app/l/page.tsx"]


def selected_files(path: str, files: list[str]) -> list[str]:
    """The files that a path selects, by the whole filter and by its two halves as the stores use them."""
    files_by = PathFilter(path).checked()
    selected = [file for file in files if files_by.takes(file)]
    match, prefix = files_by.matcher(), files_by.prefix
    below = [file for file in files if f"/{file}" == prefix or f"/{file}".startswith(f"{prefix}/")]
    assert [file for file in below if match is None or match(file)] == selected
    return selected


@given(st.lists(PARTS, min_size=1, max_size=4))
@example(["\n\x80"])  # a name with a line break, which separates patterns
def test_a_path_selects_itself_and_what_is_below(parts: list[str]) -> None:
    """Whatever characters its name has, and however they are written."""
    path = "/".join(parts)
    for spelling in {path, f"./{path}", f"/{path}/", normalize("NFC", path), normalize("NFD", path)}:
        assert selected_files(spelling, [path, f"{path}/below.py", f"{path}-old/a.py", f"other/{path}"]) == [
            path,
            f"{path}/below.py",
        ]


@pytest.mark.parametrize(
    ("path", "selected"),
    [
        ("app/[slug]/page.tsx", ROUTES[:1]),
        ("app/[slug]", ROUTES[:1]),
        (r"app/\[slug\]", ROUTES[:1]),
        ("app/(shop)/[...rest]", ROUTES[1:2]),
        ("app/[slug]/*.tsx", ROUTES[:1]),
        ("**/[...rest]/**", ROUTES[1:2]),
        ("app/*/page.tsx", [ROUTES[0], *ROUTES[2:]]),
        ("app/?/page.tsx", ROUTES[2:]),
        ("page.tsx", []),
        ("*.tsx", ROUTES),
        ("", ROUTES),
    ],
)
def test_brackets_are_characters_and_stars_are_wildcards(path: str, selected: list[str]) -> None:
    """Next.js, SvelteKit and others have folders such as `[slug]`: as a set of letters they would be `s`."""
    assert selected_files(path, ROUTES) == selected


def test_a_glob_compares_letters_that_are_written_in_two_ways() -> None:
    """macOS writes an umlaut as two characters, a keyboard as one."""
    files = [normalize(form, "maße/größe.py") for form in ("NFC", "NFD")]
    for glob in ("ma*/größe.py", "*größe*"):
        assert selected_files(normalize("NFC", glob), files) == selected_files(normalize("NFD", glob), files) == files
