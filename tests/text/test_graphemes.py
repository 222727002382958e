"""Text is cut between what readers see as characters."""

import pytest

from searchsocket.text.graphemes import safe_cut

DE, FR, D = "\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1e9"


@pytest.mark.parametrize(
    ("text", "at", "cut"),
    [
        (DE + FR, 1, 1),  # nothing before it: the place itself
        (DE + FR, 2, 2),
        (DE + FR, 3, 2),
        ("a" + DE + FR, 1, 1),
        ("a" + DE + FR, 2, 1),
        ("a" + DE + FR, 3, 3),
        ("a" + DE + FR, 4, 3),
        ("a" + D, 1, 1),
        (DE + FR + D, 4, 4),
        (DE * 20 + "a", 40, 40),
        (DE * 20 + "a", 39, 38),
    ],
)
def test_a_flag_is_two_letters_and_never_cut(text: str, at: int, cut: int) -> None:
    """Flags that follow each other are counted in pairs from where their letters begin."""
    assert safe_cut(text, at) == cut
