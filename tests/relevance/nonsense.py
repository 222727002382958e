"""Queries that no documentation site answers, of several kinds, from a seed."""

import random
import string
from collections.abc import Callable

_KEYS = ("asdfghjkl", "qwertyuiop", "zxcvbnm", "sdfjkl")
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"
_SALAD_WORDS = (
    "avocado banana bathtub bicycle blanket cactus camel carpet cowboy daffodil dinosaur dolphin earring eyebrow "
    "garlic gorilla grandmother gravy hammock harmonica haystack iceberg jellyfish kangaroo kettle lemonade "
    "lobster marmalade meadow moustache mustard necklace oyster pancake parrot penguin pickle pillow piano "
    "porridge saxophone snowman spaghetti squirrel teapot toothbrush trombone umbrella unicorn violin volcano "
    "walnut waterfall whiskey wizard"
)
_FOREIGN = (
    "le chat dort sur le canapé rouge",
    "nous avons mangé du fromage avec du pain",
    "ma grand-mère prépare une soupe aux légumes",
    "kissa nukkuu sohvalla koko päivän",
    "huomenna sataa lunta ja tuulee kovasti",
    "järven rannalla on vanha sauna",
    "el perro corre por la playa",
    "mañana comemos tortilla de patatas en casa",
    "il gatto beve il latte freddo",
    "sneeuw valt zachtjes op het oude dak",
    "min syster plockar blåbär i skogen",
    "jutro pojedziemy nad morze pociągiem",
)


def nonsense(seed: int, of_each: int) -> list[str]:
    """`of_each` queries of each kind that is made up, and all sentences of other languages."""
    source = random.Random(seed)

    def letters(alphabet: str, low: int, high: int) -> str:
        return "".join(source.choices(alphabet, k=source.randint(low, high)))

    def syllables() -> str:
        return "".join(letters(_CONSONANTS, 1, 1) + letters(_VOWELS, 1, 1) for _ in range(source.randint(2, 4)))

    def several(word: Callable[[], str], most: int) -> str:
        return " ".join(word() for _ in range(source.randint(2, most)))

    kinds: list[Callable[[], str]] = [
        lambda: several(lambda: letters(string.ascii_lowercase, 5, 9), 4),
        lambda: letters(source.choice(_KEYS), 6, 12),
        lambda: several(syllables, 4),
        lambda: letters("0123456789abcdef", 8, 32),
        lambda: letters(string.ascii_letters + string.digits, 16, 30) + "==",
        lambda: " ".join(source.sample(_SALAD_WORDS.split(), source.randint(2, 5))),
    ]
    return [*(kind() for kind in kinds for _ in range(of_each)), *_FOREIGN]
