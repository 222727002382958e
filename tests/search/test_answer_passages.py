"""What is cited of a section: whole sentences with what they were about to say."""

from dataclasses import replace

import pytest
from search_site import Piece, record_of

from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.search.answering.sentences import Passage, best_passage, is_bare
from searchsocket.search.answering.terms import terms_of, text_words
from searchsocket.types import Chunk, Code, Lines

KNOT = "A bowline is tied in three steps.\n\n```sh\nrope tie --bowline\n```\n\nPull both ends."


def passage(text: str, question: str) -> Passage:
    record = record_of(Piece("/knots", text, section="Knots"))
    return best_passage(record, chunk_text(record.page, record.chunk), terms_of(question, {}))


def test_a_short_passage_goes_on_with_what_follows_it() -> None:
    """The sentence that says most of a question is often the one before the example that answers it."""
    assert passage(KNOT, "How is a bowline tied?").text == (
        "A bowline is tied in three steps.\nrope tie --bowline\nPull both ends."
    )


def test_a_passage_ends_before_the_next_heading_and_stays_short() -> None:
    text = passage(f"{KNOT}\n\n### Hitches\n\nA clove hitch holds a post.", "How is a bowline tied?").text
    assert text.endswith("Pull both ends.")
    long = passage(f"A bowline is tied in three steps.\n\n{'Another sentence tells of ropes. ' * 60}", "bowline tied")
    assert 450 <= len(long.text) <= 600


@pytest.mark.parametrize(
    ("text", "doc", "bare"),
    [
        ("@overload\ndef tie(rope: str) -> Knot: ...\n", "", True),
        ("@overload\ndef tie(rope: str) -> Knot: ...\n", "Ties a knot.", False),
        ("def tie(rope: str) -> Knot:\n    return Knot(rope)\n", "", False),
    ],
)
def test_an_overload_answers_nothing(text: str, doc: str, bare: bool) -> None:
    record = record_of(Piece("/knots.py", text))
    chunk = Chunk(0, "definition", Code(text, "python"), Lines("tie", 1, 2, doc=doc))
    assert is_bare(replace(record, chunk=chunk)) is bare


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("How often are ropes checked?", "Ropes are checked every thirty days.", 1.0),
        ("How often are ropes checked?", "Ropes are checked by the crew.", 0.8),
        ("how many ropes?", "At most 12 ropes.", 1.0),
        ("How long is it?", "A rope.", 0.0),
    ],
)
def test_a_number_is_what_answers_how_many(question: str, text: str, held: float) -> None:
    """No answer repeats `often` or `many`, so a question would be refused for want of them."""
    assert terms_of(question, {}).share_of(text_words(text)) == pytest.approx(held)
