"""Passages cited from a section: whole sentences with their continuation."""

from dataclasses import replace

import pytest
from search_site import Piece, record_of

from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.search.answering.ask import Support, likelihood
from searchsocket.search.answering.sentences import Passage, best_passage, is_bare, terms_of, text_words
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
    assert 400 <= len(long.text) <= 600


def test_a_passage_begins_earlier_where_there_is_room() -> None:
    """The sentence before is often the one that a pronoun of this one means."""
    text = passage("A bowline holds a loop.\n\nIt is tied in three steps.", "In how many steps is it tied?").text
    assert text == "A bowline holds a loop.\nIt is tied in three steps."


def test_code_is_cited_from_its_first_line() -> None:
    """Half a block of code runs nowhere."""
    block = "\n".join(f"rope.step({number})  # an ordinary step of many" for number in range(40))
    text = passage(f"{KNOT}\n\n```py\n{block}\nrope.fasten()\n```", "How does a rope fasten?").text
    assert "rope.step(39)" not in text or "rope.step(0)" in text


def _definition(code: str, at: Lines, language: str, room: int) -> str:
    record = record_of(Piece("/knots.go", code))
    record = replace(record, chunk=Chunk(0, "definition", Code(code, language), at))
    return best_passage(record, chunk_text(record.page, record.chunk), terms_of("knot", {}), room).text


def test_a_definition_is_cited_with_its_comment_line_by_line() -> None:
    """A citation is a literal part of the file: no lines are joined, and none from above are added."""
    code = "var x = 1\n\n// Tie ties a knot.\n// It holds.\nfunc Tie(\n\trope string,\n) {\n\tpull()\n}\n"
    at = Lines("Tie", 1, 9, doc="Tie ties a knot.\nIt holds.", signature="func Tie( rope string, )", defines=("5:Tie",))
    assert _definition(code, at, "go", 600) == code.partition("\n\n")[2].rstrip()
    long = code + "\tpull()\n" * 100
    assert long.endswith("pull()\n")
    assert _definition(long, at, "go", 600).splitlines()[:3] == ["// Tie ties a knot.", "// It holds.", "func Tie("]
    assert len(_definition(long, at, "go", 600)) <= 600


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
    ("question", "text", "lack"),
    [
        ("How do I send a message to Kafka?", "Send a message to a queue.", 1.0),
        ("How do I send a message to Kafka?", "Kafka takes a message.", 0.0),
        ("How do I call send_message?", "Send a message.", 2 / 3),
        ("how do i send a message to kafka?", "Send a message to a queue.", 0.0),
        ("Wie sende ich eine Nachricht an die Warteschlange?", "Eine Meldung senden.", 0.0),
    ],
)
def test_a_name_that_is_missing_counts_against_an_answer(question: str, text: str, lack: float) -> None:
    """A page rarely explains a name that it lacks. Languages that capitalise nouns have no such names."""
    assert terms_of(question, {}).missing_name(text_words(text)) == pytest.approx(lack)


def test_similar_words_count_in_part() -> None:
    terms = terms_of("How do I overwrite a file?", {})
    texts = "Overwrite the file.", "Override the file.", "Open the file.", "A boat."
    shares = [terms.near_share_of(text, text_words(text)) for text in texts]
    assert shares == sorted(set(shares), reverse=True)
    assert shares[-1] < 0.2


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("How often are ropes checked?", "Ropes are checked every thirty days.", 1.0),
        ("How often are ropes checked?", "Ropes are checked by the crew.", 0.8),
        ("how many ropes?", "At most 12 ropes.", 1.0),
        ("How long is it?", "A rope.", 0.0),
    ],
)
def test_a_number_is_what_answers_how_many(question: str, text: str, share: float) -> None:
    """No answer repeats `often` or `many`, so a question would be refused for want of them."""
    assert terms_of(question, {}).share_of(text_words(text)) == pytest.approx(share)


def test_a_word_that_hardly_any_page_has_makes_an_answer_less_likely() -> None:
    """The same evidence for a subject that the index hardly speaks of is mostly chance."""
    rare, common = (terms_of("How is the lantern dimmed?", {"lantern": rarity, "dimmed": 1.0}) for rarity in (6.0, 1.0))
    evidence = Support(passage=0.8, chunk=0.8, nearness=2.0, missing_name=0.0, rarest=rare.rarest)
    assert (rare.rarest, common.rarest) == (6.0, 1.0)
    assert likelihood(evidence) < likelihood(evidence._replace(rarest=common.rarest))
