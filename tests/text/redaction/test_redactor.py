"""Secrets in a text: what is taken for one, what is not, always alike, and in time that grows with the text alone."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchsocket.text import redaction
from searchsocket.text.redaction import (
    MARK,
    NAMES,
    VERSION,
    Redacted,
    Redactor,
    bounded,
    named,
    rules_version,
    shapes,
)
from tests.text.redaction.counted_steps import CountedPattern, TooManySteps, words_of

TOKEN = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRETS = [
    "API_KEY=9f86d081884c7d659a2f",
    "export GITHUB_TOKEN='hunter2hunter'",
    "MY_SECRET_VALUE: correct-horse",
    "DB_PASSWORD := s3cr3tword",
    '{"apiKey": "9f86d081884c7d65"}',
    'client_secret = "9f86d081884c7d65"',
    "password: hunter22hunter",
    "Authorization: Bearer abcdefghijklmnop1234",
    "AKIAIOSFODNN7EXAMPLE",
    f"ghp_{TOKEN}",
    f"a token of npm: //registry.example/:_authToken=npm_{TOKEN}",
    "postgres://user:pa55w0rd@host/db",
    f"sk-proj-{TOKEN[:20]}T3BlbkFJ{TOKEN[:20]}",
    f"SG.{TOKEN[:22]}.{TOKEN}{TOKEN[:7]}",
    "xoxb-123456789012-abcdefABCDEF",
    "sk_live_" + TOKEN[:24],
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLWl0",
    "API_KEY=my-9f86d081884c7d659a2f",
    "API_KEY=test_9f86d081884c7d659a2f",
    "API_KEY=$9f86d081884c7d659a2f",
    "API_KEY=%9f86d081884c7d659a2f",
    "API_KEY=#9f86d081884c7d659a2fg",
    "API_KEY=-9f86d081884c7d659a2f",
    "API_KEY=.9f86d081884c7d659a2f",
    "mysqldump --password hunter22hunter db",
    "<password>hunter22hunter</password>",
    "| password | hunter22hunter |",
    "password:\n  hunter22hunter",
    "password \uff1d hunter22hunter",
    "pass\u200bword=hunter22hunter",
    "p\u0430ssword=hunter22hunter",
    "DB_PASS=9f86d081884c7d65",
    "pwd: 9f86d081884c7d65",
    "dbPass: '9f86d081884c7d65'",
    "private_key: 9f86d081884c7d65",
    "access_key = 9f86d081884c7d65",
    "passphrase: hunter22hunter",
    "credential: hunter22hunter",
    "Authorization: Basic abcdefghijklmnop1234==",
    "curl -su -u admin:hunter22hunter https://api.example",
    "curl -s --user 'admin:hunter22hunter' https://api.example",
    f"AIza{TOKEN[:35]}",
    f"github_pat_11ABCDEFG0123456789_{TOKEN}{TOKEN[:23]}",
    f"sk-ant-api03-{TOKEN}{TOKEN}",
    f"hf_{TOKEN[:34]}",
    f"pcsk_{TOKEN}_{TOKEN}",
    f"dop_v1_{'0a' * 32}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{TOKEN}\n{TOKEN}\n-----END RSA PRIVATE KEY-----",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{TOKEN}\ncut off here",
]
HARMLESS = [
    "The token: a word of the text.",
    "Set API_KEY to your key.",
    "API_KEY=<your key>",
    "API_KEY=$KEY",
    "API_KEY=${{ secrets.API_KEY }}",
    "API_KEY=your-key-here",
    "SECRET=xxxxxxxx",
    "token = process.env.TOKEN",
    "secret: string",
    "password: required",
    "const token = getToken()",
    "tokens: 1024",
    "tokenize=unicode61",
    "GETTOKENIZER = unicode61",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "-----BEGIN CERTIFICATE-----",
    "key: value",
    "a compass = 12ab34cd56",
    "PWD=/home/ada/site2",
    "private_key: /etc/ssl/server1.key",
    "--token-colour: #ff5500",
    "| password | required |",
    "--password PASSWORD",
    "curl -u user:password https://api.example",
    "docker run -u 1000:1000 alpine",
    "Basic authentication, and Authorization: Basic access",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_replaced_and_its_surroundings_stay(text: str) -> None:
    redacted = Redactor().redact(f"Before it.\n{text}\nAfter it.")
    assert redacted.count == 1
    assert MARK in redacted.text
    assert redacted.text.startswith("Before it.\n")
    for value in ("9f86d081", "hunter", "horse", "s3cr3t", "abcdefghijklm", "AKIA", TOKEN[:20], "pa55", "eyJ", "c2lnb"):
        assert value not in redacted.text


@pytest.mark.parametrize("text", HARMLESS)
def test_text_without_secrets_stays(text: str) -> None:
    assert Redactor().redact(text) == Redacted(text, 0)


def test_names_and_what_is_kept_can_be_set() -> None:
    text = "LICENCE=9f86d081884c API_KEY=abc123def456 AKIAIOSFODNN7EXAMPLE"
    redactor = Redactor(names=["licence"], keep=["AKIAIOSFODNN7EXAMPLE"])
    assert redactor(text) == f"LICENCE={MARK} API_KEY=abc123def456 AKIAIOSFODNN7EXAMPLE"
    assert redactor.version != Redactor().version
    assert Redactor(names=[], keep=["AKIAIOSFODNN7EXAMPLE"])(text) == text


PIECES = st.sampled_from(
    [*SECRETS, *HARMLESS, "word ", "\n", "=", ": ", '"', MARK, "é", "\ud800", "api_key", "Bearer "]
)


@given(st.lists(PIECES | st.text(max_size=20), max_size=20).map("".join))
@example(f"API_KEY={MARK}abc1234")
def test_a_text_is_always_redacted_alike_and_never_twice(text: str) -> None:
    """Its hash is its name in the cache, so another run, or machine, must come to the same."""
    once = Redactor().redact(text)
    assert once == Redactor().redact(text)
    assert (once.count == 0) is (once.text == text)
    assert once.text.count(MARK) >= once.count


BAD = [
    "password" * 8_000, "eyJ" * 20_000, "://a:" * 12_000, "//" * 30_000, "token= " * 9_000, "-----BEGIN " * 6_000,
    "-----BEGIN PRIVATE KEY-----" * 2_000, "sk-" * 20_000, "aws key " * 8_000, "xoxb-" + "1-" * 30_000,
    "secret" + " " * 60_000, "clkey" * 12_000, "_" * 60_000, "eyJa." + "a" * 60_000, f"{TOKEN}:" * 1_500,
]  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:10])
def test_the_worst_text_ends(text: str) -> None:
    """Some of these patterns take the square of such a text, or its cube: minutes and years."""
    Redactor().redact(text)


def patterns() -> list[re.Pattern[str]]:
    """Every pattern that a text meets."""
    own = [value for value in vars(redaction).values() if isinstance(value, re.Pattern)]
    own.remove(redaction._UNBOUNDED)  # meets patterns only
    return [*shapes(), *named(NAMES), *own]


each_pattern = pytest.mark.parametrize("pattern", patterns(), ids=lambda pattern: pattern.pattern[:40])


@each_pattern
def test_the_step_counter_finds_what_the_pattern_finds(pattern: re.Pattern[str]) -> None:
    """Otherwise its counts would be those of another pattern."""
    for text in [*SECRETS, *HARMLESS]:
        spans = [match.span() for match in pattern.finditer(text) if match[0]]
        assert [span for span in CountedPattern(pattern).spans(text, 1_000_000) if span[0] < span[1]] == spans


MAX_STEPS = 300  # per character; the cube of 240 blanks takes 9,600
RUN = 240


@each_pattern
def test_steps_per_character_are_bounded(pattern: re.Pattern[str]) -> None:
    """Runs of blanks, of the separators of a pattern and of its own words, alone and after each other."""
    words = words_of(pattern)
    longest = sorted((word for word in words if len(word) > 1), key=len)[-8:]
    runs = [" ", "\t", "\n", "a", "1", "=", ":", *words, *(f"{word} " for word in longest)]
    texts = [(run * RUN)[:RUN] for run in runs] + [f"{word}{' ' * RUN}" for word in longest]
    for text in texts:
        CountedPattern(pattern).spans(text, MAX_STEPS * len(text))


def test_an_unbounded_pattern_is_over_the_bound() -> None:
    with pytest.raises(TooManySteps):
        CountedPattern(re.compile("password *(?:=| +) *x")).spans(f"password{' ' * RUN}", MAX_STEPS * RUN)


@pytest.mark.parametrize(
    ("pattern", "limited"),
    [("a+ *b", "a{1,400} {0,4}b"), (r"\+[+*]x{3,}", r"\+[+*]x{3,400}"), (".*?[]+]", ".{0,100}?[]+]")],
)
def test_a_repetition_gets_a_limit(pattern: str, limited: str) -> None:
    assert bounded(pattern) == limited


@given(st.integers(0, 3_000))
def test_a_key_is_found_wherever_it_stands(offset: int) -> None:
    """Also across the edge of a window."""
    text = " " * offset + f"ghp_{TOKEN}" + " " * 500
    assert Redactor().redact(text).count == 1


def test_the_rules_are_loaded_when_a_text_is_redacted() -> None:
    assert len(shapes()) > 30
    assert rules_version().startswith(f"{VERSION}-")
