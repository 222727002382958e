"""The built-in model: what it promises, and that the shipped files are the ones that were trained."""

import hashlib
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest

from searchsocket.models.embedders import make_embedder
from searchsocket.models.embedders.builtin import ENTRIES, TABLE, BuiltinEmbedder, Tokens
from searchsocket.project.settings.model import EmbeddingSettings
from searchsocket.testing.embedder import EmbedderContract

_DIGEST = (
    "import hashlib; from searchsocket.models.embedders.builtin import BuiltinEmbedder; "
    "rows = BuiltinEmbedder().embed(['Install useState in snake_case 漢字', ''], 'query'); "
    "print(hashlib.sha256(rows.tobytes()).hexdigest())"
)
DATA = files("searchsocket.models.embedders") / "data"


class TestBuiltinEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> BuiltinEmbedder:
        return BuiltinEmbedder()

    def test_vectors_are_the_same_for_ever(self) -> None:
        """Sums of whole numbers: the same bits on every machine, whatever the hash seed."""
        for seed in ("0", "1"):
            run = subprocess.run(
                [sys.executable, "-c", _DIGEST],
                env={"PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            )
            assert run.stdout.strip() == "143939490bd33f6e4cf18f00517179b2166391c8fe5648f1761a7183a3b7c1f8"

    def test_queries_and_passages_are_embedded_alike(self, embedder: BuiltinEmbedder) -> None:
        assert np.array_equal(embedder.embed(["a text"], "query"), embedder.embed(["a text"], "passage"))

    @pytest.mark.parametrize(
        ("query", "right", "wrong"),
        [
            ("remove a file", "delete the document from disk", "colours of autumn leaves"),
            ("log in", "authentication with user name and password", "render a table of numbers"),
            ("speed up a slow page", "performance: how to make loading faster", "licence and copyright"),
            ("how do I deploy", "publish the site to production hosting", "sorting algorithms for lists"),
        ],
    )
    def test_other_words_of_the_same_meaning_are_near(
        self, embedder: BuiltinEmbedder, query: str, right: str, wrong: str
    ) -> None:
        """A model recognises meaning: no pair shares a word, so hashing scores both at about 0."""
        query_vector, near, far = embedder.embed([query, right, wrong], "query")
        assert query_vector @ near > query_vector @ far + 0.1

    def test_identifiers_are_near_their_words(self, embedder: BuiltinEmbedder) -> None:
        code, words, other = embedder.embed(["useBeforeUnload", "before unload", "static adapter"], "query")
        assert code @ words > 0.5 > code @ other

    def test_another_script_is_like_itself_only(self, embedder: BuiltinEmbedder) -> None:
        cat, cats, roof = embedder.embed(["кошка", "рыжая кошка", "крыша дома"], "query")
        assert cat @ cats > 0.5
        assert abs(cat @ roof) < 0.3

    def test_the_model_id_tells_the_weights(self, embedder: BuiltinEmbedder) -> None:
        parts = [hashlib.sha256((DATA / name).read_bytes()).digest() for name in (TABLE, ENTRIES)]
        assert embedder.model_id == f"builtin-{embedder.dimensions}-{hashlib.sha256(b''.join(parts)).hexdigest()[:12]}"

    def test_it_is_small(self) -> None:
        """The package carries it, so it may weigh 16 MB at most."""
        assert sum(len((DATA / name).read_bytes()) for name in (TABLE, ENTRIES)) <= 16_000_000

    def test_it_is_made_by_name(self) -> None:
        assert isinstance(make_embedder(EmbeddingSettings(provider="builtin"), {}), BuiltinEmbedder)

    def test_a_word_without_end_is_embedded(self, embedder: BuiltinEmbedder) -> None:
        """Hours, where each part of it is compared with each entry."""
        vectors = embedder.embed(["x" * 2_000_000, "Ab" * 1_000_000, "é" * 1_000_000], "passage")
        assert len(vectors) == 3


ENTRIES_OF_TEST = ["use", "##r", "state", "usestate", "install", "##ing", "c", "##a", "[0]", "[1]", "[2]", "[3]"]


def spelled(text: str) -> list[str]:
    return [ENTRIES_OF_TEST[number] for number in Tokens(ENTRIES_OF_TEST).ids(text)]


class TestTokens:
    @pytest.mark.parametrize(
        ("text", "entries"),
        [
            ("Install", ["install"]),
            ("installing, user!", ["install", "##ing", "use", "##r"]),
            ("useState", ["usestate", "use", "state"]),
            ("use_state", ["use", "state"]),
            ("INSTALL_USE", ["install", "use"]),
            ("", []),
            ("--- !?", []),
        ],
    )
    def test_words_are_cut_into_entries(self, text: str, entries: list[str]) -> None:
        assert spelled(text) == entries

    @pytest.mark.parametrize("word", ["zzz", "caca", "猫", "кошка", "𝒳"])
    def test_unknown_characters_share_one_bucket(self, word: str) -> None:
        """`caca` has pieces, but crumbs of one letter say nothing."""
        buckets = spelled(word)
        assert len(buckets) == 1
        assert buckets[0].startswith("[")
        assert spelled(f"{word} {word}") == buckets * 2

    def test_accents_make_no_difference(self) -> None:
        assert spelled("ìnstàll") == ["install"]

    def test_scripts_without_spaces_go_by_character(self) -> None:
        assert spelled("漢字") == spelled("漢") + spelled("字")

    def test_a_flood_of_new_words_does_not_fill_the_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("searchsocket.models.embedders.builtin.MAX_CACHED_WORDS", 100)
        tokens = Tokens(ENTRIES_OF_TEST)
        for n in range(1_000):
            tokens.ids(f"word{n} install")
        assert len(tokens._words) <= 103
        assert tokens.ids("install") == [4]
