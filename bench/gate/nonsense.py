"""Queries without an answer, of ten kinds, from a seed."""

import base64
import random
import string
from collections.abc import Callable
from pathlib import Path

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "sdfjkl", "poiuy", "lkjhg")
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"
_STARTS = (
    "b bl br c cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sk sl sm sn sp st str t th tr v w".split()  # noqa: SIM905
)
_MIDDLES = "a ai e ea ee i ie o oa oo ou u".split()  # noqa: SIM905
_ENDS = "b ck d ft g l ld ll lt m mp n nd ng nk nt p r rd rk rm rn rt s sh sk sp st t th x zz".split()  # noqa: SIM905
_ENDINGS = ["", "", "", "er", "ing", "ed", "ly", "ness", "ment", "ful"]
WORDS = Path(__file__).parent / "salad.txt"
SENTENCES = Path(__file__).parent / "foreign.txt"


def nonsense(seed: int, of_each: int) -> list[tuple[str, str]]:
    """`of_each` queries of each kind, as pairs of kind and query."""
    source = random.Random(seed)
    salad = WORDS.read_text(encoding="utf-8").split()
    sentences = SENTENCES.read_text(encoding="utf-8").splitlines()

    def letters(alphabet: str, low: int, high: int) -> str:
        return "".join(source.choices(alphabet, k=source.randint(low, high)))

    def made_up() -> str:
        return "".join(letters(_CONSONANTS, 1, 1) + letters(_VOWELS, 1, 1) for _ in range(source.randint(3, 4)))

    def looks_english() -> str:
        parts = [_STARTS, _MIDDLES, _ENDS]
        return "".join(source.choice(part) for part in parts * 2) + source.choice(_ENDINGS)

    def several(word: Callable[[], str], least: int, most: int) -> str:
        return " ".join(word() for _ in range(source.randint(least, most)))

    kinds: dict[str, Callable[[], str]] = {
        "letters": lambda: several(lambda: letters(string.ascii_lowercase, 4, 10), 1, 4),
        "keys": lambda: letters(source.choice(_KEYS), 5, 12),
        "made-up word": made_up,
        "made-up words": lambda: several(made_up, 2, 4),
        "English-like": lambda: several(looks_english, 1, 4),
        "foreign": lambda: source.choice(sentences),
        "salad": lambda: " ".join(source.sample(salad, source.randint(2, 5))),
        "hexadecimal": lambda: letters("0123456789abcdef", 8, 40),
        "base64": lambda: base64.b64encode(source.randbytes(source.randint(9, 30))).decode(),
        "digits": lambda: letters(string.digits, 5, 16),
    }
    return [(kind, query()) for kind, query in kinds.items() for _ in range(of_each)]
