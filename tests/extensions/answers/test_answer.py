"""An answer over the wire: only what the cited pages support, with its passages."""

from collections.abc import Callable

import pytest
from api_client import ENVIRON, KEY, Api
from chat_server import ChatServer, usage

from search_api.app import create_app
from searchsocket.errors import ConfigError
from searchsocket.project.project import Project, open_project
from tests.extensions.answers.conftest import ANSWER, QUESTION, Reader

AUTHORIZATION = {"authorization": f"Bearer {KEY}"}


def test_sentences_come_with_the_passages_that_support_them(reader: Reader) -> None:
    events = reader.ask()
    assert [name for name, _ in events] == ["passages", "citation", "sentence", "sentence", "done"]
    (passages,) = events.of("passages")
    first = passages["passages"][0]
    assert (first["number"], first["title"], first["url"]) == (1, "Battery", "/docs/battery#charging")
    assert [sentence["text"] for sentence in events.of("sentence")] == [
        "The battery lasts nine hours.", "Charge it in the dock.",
    ]  # fmt: skip
    assert events.of("sentence")[0] | {"text": ""} == {
        "text": "", "citations": [1], "kind": "text", "quoted": True, "paragraph": 0,
        "quotes": ["The battery lasts nine hours."],
    }  # fmt: skip
    (citation,) = events.of("citation")
    assert citation["quote"] in first["text"]
    (end,) = events.of("done")
    assert (end["sentences"], end["dropped"], end["cached"]) == (2, 0, False)


def test_an_unsupported_sentence_is_left_out_and_counted(reader: Reader, server: ChatServer) -> None:
    server.says("The battery lasts ten hours [1]. The battery lasts nine hours [1]. It was made in Norway [1].")
    events = reader.ask()
    assert events.text == "The battery lasts nine hours."
    assert events.of("done")[0]["dropped"] == 2


def test_an_answer_with_too_little_support_is_refused_with_pages(reader: Reader, server: ChatServer) -> None:
    server.says("It lasts ten hours [1]. It flies to Norway [1].")
    events = reader.ask()
    assert events.last == ("refused", "unsupported")
    assert events.of("refused")[0]["results"][0] == {"title": "Battery", "url": "/docs/battery#charging"}
    assert events.of("refused")[0]["dropped"] == 2


def test_a_question_that_no_page_answers_calls_no_model(reader: Reader, server: ChatServer) -> None:
    events = reader.ask("Which taxes must a bakery in Lisbon pay?")
    assert [name for name, _ in events] == ["refused"]
    assert events.last == ("refused", "not_covered")
    assert events.of("refused")[0]["results"]
    assert not server.requests


def test_a_model_may_say_that_the_passages_do_not_answer(reader: Reader, server: ChatServer) -> None:
    server.says("NOT_COVERED")
    assert reader.ask().last == ("refused", "not_covered")


def test_a_wrong_citation_is_corrected_and_an_unknown_one_ignored(reader: Reader, server: ChatServer) -> None:
    server.says("The battery lasts nine hours [7]. Charge it in the dock.")
    events = reader.ask()
    assert [sentence["citations"] for sentence in events.of("sentence")] == [[1], [1]]


def test_items_and_code_have_their_kind(reader: Reader, server: ChatServer) -> None:
    server.says(
        "To install the controller:\n\n- Run `gr install --dry-run` first [1].\n- It paints walls [1].\n\n"
        "```sh\ngr install --fast\n```\n"
    )
    events = reader.ask("How is the controller installed?")
    kinds = [(each["kind"], each["quoted"], each["text"]) for each in events.of("sentence")]
    assert ("item", True, "Run `gr install --dry-run` first.") in kinds
    assert ("code", False, "gr install --fast") in kinds
    assert "walls" not in events.text
    code = next(each for each in events.of("sentence") if each["kind"] == "code")
    assert code["citations"] == []


def test_one_json_has_what_the_stream_has(reader: Reader) -> None:
    events = reader.ask()
    reply = reader.api.post({"q": QUESTION}, "/api/answer").json()
    assert reply["sentences"] == events.of("sentence")
    assert reply["citations"] == events.of("citation")
    assert reply["passages"] == events.of("passages")[0]["passages"]
    assert (reply["q"], reply["refused"], reply["cached"]) == (QUESTION, None, True)


def test_a_refusal_in_one_json_has_no_sentences(reader: Reader, server: ChatServer) -> None:
    server.says("The battery lasts nine hours [1]. It sings [1]. It flies [1]. It swims in Norway [1].")
    reply = reader.api.post({"q": QUESTION}, "/api/answer").json()
    assert (reply["refused"]["reason"], reply["sentences"], reply["dropped"]) == ("unsupported", [], 3)


def test_the_same_question_is_answered_once(reader: Reader, server: ChatServer) -> None:
    first, second = reader.ask(), reader.ask()
    assert len(server.requests) == 1
    assert second.of("done")[0]["cached"]
    assert first.text == second.text
    assert reader.ask("For how long does the battery last?").of("done")[0]["cached"] is False


def test_a_follow_up_reads_the_passages_of_the_question_before(reader: Reader, server: ChatServer) -> None:
    history = [{"question": "How is the controller installed?", "answer": "Run `gr install --dry-run` first."}]
    events = reader.ask("And how do I remove it?", history=history)
    texts = " ".join(passage["text"] for passage in events.of("passages")[0]["passages"])
    assert "gr uninstall" in texts
    roles = [message["role"] for message in server.requests[0]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_only_so_many_turns_are_sent_as_the_owner_allows(
    make_reader: Callable[..., Reader], server: ChatServer
) -> None:
    history = [{"question": f"Question {number}?", "answer": "An answer."} for number in range(4)]
    make_reader("history = 1").ask(history=history)
    make_reader("history = 0").ask(history=history)
    assert [len(request["messages"]) for request in server.requests] == [4, 2]


def test_a_caller_without_the_key_reads_public_scopes_only(reader: Reader) -> None:
    body = {"q": QUESTION, "scope": "secret-branch"}
    assert reader.api.post(body, "/api/answer").status_code == 403
    assert reader.api.post(body, "/api/answer", headers=AUTHORIZATION).status_code == 200


def test_answers_can_need_the_key(make_reader: Callable[..., Reader], server: ChatServer) -> None:
    reader = make_reader("public = false")
    assert reader.api.post({"q": QUESTION}, "/api/answer").status_code == 403
    assert not server.requests
    assert reader.api.post({"q": QUESTION}, "/api/answer", headers=AUTHORIZATION).status_code == 200


def test_a_directory_limits_the_passages(reader: Reader) -> None:
    events = reader.ask("How is the battery charged?", pathPrefix="/docs-old")
    assert {passage["url"] for passage in events.of("passages")[0]["passages"]} == {"/docs-old/battery#charging"}


def test_a_malformed_request_is_refused_before_the_stream(reader: Reader) -> None:
    for body in ({"q": ""}, {"q": "a", "history": [{}]}, {"q": "a", "n": 1}, {"q": "a", "history": [{}] * 5}):
        reply = reader.api.post({**body, "stream": True}, "/api/answer")
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, "INVALID_REQUEST")


def test_there_is_no_endpoint_unless_it_is_enabled(robot: Project) -> None:
    app = create_app(open_project(robot.root, {"SEARCHSOCKET__ANSWERS__ENABLE": "false"}), environ=ENVIRON)
    assert Api(app, base="http://localhost").post({"q": QUESTION}, "/api/answer").status_code == 404


def test_a_missing_address_is_reported_at_the_start(robot: Project) -> None:
    environ = {"SEARCHSOCKET__ANSWERS__ENABLE": "true", "SEARCHSOCKET__ANSWERS__BASE_URL": ""}
    with pytest.raises(ConfigError, match=r"set answers\.base_url"):
        create_app(open_project(robot.root, environ), environ=ENVIRON)


def test_the_owner_s_instructions_are_sent(make_reader: Callable[..., Reader], server: ChatServer) -> None:
    make_reader('instructions = "Call it the Robot."').ask()
    assert "Call it the Robot." in server.requests[0]["messages"][0]["content"]


def test_secrets_in_questions_do_not_leave(reader: Reader, server: ChatServer) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    reader.ask(f"{QUESTION} {secret}", history=[{"question": f"token {secret}", "answer": f"Your {secret}"}])
    assert server.requests
    assert secret not in str(server.requests)


def test_tokens_are_those_of_the_server(reader: Reader, server: ChatServer) -> None:
    server.says(ANSWER, "stop", usage(700, 14))
    assert reader.ask().of("done")[0]["tokens"] == {"prompt": 700, "completion": 14}


def test_the_document_of_the_api_describes_it(reader: Reader) -> None:
    document = reader.api.get("/api/openapi.json").json()
    operation = document["paths"]["/api/answer"]["post"]
    assert operation["operationId"] == "answer"
    assert set(operation["responses"]["200"]["content"]) == {"application/json", "text/event-stream"}
    assert "AnswerSentence" in document["components"]["schemas"]


def test_a_later_sentence_has_its_own_quote(reader: Reader, server: ChatServer) -> None:
    """The citation has the quote of the first sentence."""
    events = reader.ask()
    assert [sentence["quotes"] for sentence in events.of("sentence")] == [
        ["The battery lasts nine hours."], ["Charge it in the dock; batteryLevel tells how full it is."],
    ]  # fmt: skip
    assert events.of("citation")[0]["quote"] == "The battery lasts nine hours."
    server.says("```sh\ngr install --dry-run\n```")
    [code] = reader.ask("How is the controller installed?").of("sentence")
    assert code["quotes"] == ["gr install --dry-run"] * len(code["citations"])


def test_conditions_are_those_of_a_search(reader: Reader) -> None:
    """With the same errors."""
    question = "How is the battery charged?"
    assert reader.ask(question, filters={"language": "de"}).last == ("refused", "not_covered")
    assert reader.ask(question, filters={"language": ["de", "EN"]}).of("passages")
    for fields in ({"filters": {"colour": "red"}}, {"version": "9"}, {"tags": [" "]}, {"preferLanguage": "!"}):
        answer = reader.api.post({"q": question, **fields}, "/api/answer")
        search = reader.api.post({"q": question, **fields})
        assert (answer.status_code, answer.json()) == (search.status_code, search.json())
        assert answer.status_code in (400, 404)


def test_only_languages_that_the_owner_allows_are_read(make_reader: Callable[..., Reader]) -> None:
    reader = make_reader('languages = ["de", "EN"]')
    assert reader.ask().of("passages")
    assert reader.ask(filters={"language": "en"}).of("passages")
    assert reader.ask(filters={"language": "fr"}).last == ("refused", "not_covered")


def test_pages_that_the_owner_hides_are_neither_read_nor_near(
    make_reader: Callable[..., Reader], robot: Project
) -> None:
    strange = "Which taxes must a bakery in Lisbon pay?"
    shown = {page["url"].partition("#")[0] for page in make_reader().ask(strange).of("refused")[0]["results"]}
    rules = robot.root / "curation.toml"
    try:
        rules.write_text(
            f'[[hide]]\nquery = "*"\npages = ["/docs/battery", {", ".join(f"{url!r}" for url in shown)}]\n'
        )
        reader = make_reader()
        events = reader.ask()
        urls = {passage["url"] for each in events.of("passages") for passage in each["passages"]}
        assert not any(url.startswith("/docs/battery") for url in urls)
        near = {page["url"].partition("#")[0] for page in reader.ask(strange).of("refused")[0]["results"]}
        assert near
        assert not near & shown
    finally:
        rules.unlink()
