"""Values of facets: typed, bounded, and in one spelling."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.text.facets import MAX_VALUES, facet_value, read_facets, split_label
from searchsocket.types import FacetKind

KINDS: dict[str, FacetKind] = {"version": "string", "level": "number", "stable": "boolean", "topics": "strings"}


def read(stated: dict[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return read_facets(KINDS, stated.get)


def test_each_type_has_one_spelling() -> None:
    labels, warnings = read(
        {"version": " 3.1 \n beta", "level": "2.50", "stable": "Yes", "topics": ["a, b", "c", "a, b"]}
    )
    assert labels == ("level=2.5", "stable=true", "topics=a, b", "topics=c", "version=3.1 beta")
    assert warnings == ()
    assert read({"topics": "b, a,, b ", "level": 3.0, "stable": False, "version": 3})[0] == (
        "level=3", "stable=false", "topics=b", "topics=a", "version=3",
    )  # fmt: skip


def test_nothing_said_is_nothing_stored() -> None:
    assert read({}) == read({"version": "", "level": None, "stable": " ", "topics": []}) == ((), ())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("level", "three", "facet level (number): 'three' is not a number: ignored"),
        ("level", "nan", "'nan' is not a number"),
        ("level", "1e999", "is not a number"),
        ("stable", "maybe", "'maybe' is neither true nor false"),
        ("version", ["3", "4"], "facet version (string): a list or table instead of one value: ignored"),
        ("version", {"major": "3"}, "a list or table"),
        ("version", "x" * 201, "201 characters; the limit is 200"),
        ("topics", [["a"]], "a list or table"),
        ("topics", [str(n) for n in range(MAX_VALUES + 1)], "51 values; the limit is 50"),
    ],
)
def test_a_value_of_another_type_is_named_and_left_out(name: str, value: object, words: str) -> None:
    labels, warnings = read({"version": "3", "level": "1"} | {name: value})
    assert not any(split_label(label)[0] == name for label in labels)
    assert len(labels) == 2 - (name in {"version", "level"})
    assert len(warnings) == 1
    assert words in warnings[0]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_equal_numbers_have_equal_spellings(number: float) -> None:
    text = facet_value("number", number)
    assert math.isclose(float(text), number, rel_tol=0)
    assert facet_value("number", text) == text == facet_value("number", f"+{text}" if number > 0 else text)


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=250))
def test_a_spelling_is_its_own(name: str, text: str) -> None:
    try:
        value = facet_value(KINDS[name], text)
    except ValueError:
        return
    assert facet_value(KINDS[name], value) == value
    assert split_label(f"{name}={value}") == (name, value)
