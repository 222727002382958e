"""Words are the same in Python and in the browser: `clients/js/test/static.test.js` runs the cases that this checks."""

import json
from pathlib import Path
from typing import Any

from searchsocket.text import words
from searchsocket.text.typos import nearest

CASES = Path(__file__).parents[2] / "clients" / "js" / "test" / "static-cases.json"

STEMS = """
    install installing installed skis skies gently early news atlas dying lying tying eed proceed exceeded succeeding
    hopping hoping adding egged luxuriate luxuriated tanned organization generalization sensational conditional
    happily probably ability relational operator geologist biologist anti-aging yes say buoyancy cries ties kiwis
    gas this caresses agreed feed outing inning evening past pasted university communication cease controlling roll
    knightly replacement adoption adjustable المكونات وبالمكونات مكتبه
""".split()  # noqa: SIM905
TEXTS = [
    "useState", "$state.raw", "std::vector", "--dry-run", "don't", "café’s", "Straße", "C++", "@app.get", "a_b",
    "HTTPServer2", "日本語テキスト", "안녕하세요", "мощность", "server-side", "x²", "ﬁle", "İstanbul", "v1.2.3",
    "key=value", "x" * 70,
]  # fmt: skip
QUERIES = [
    "how to use slots", "Guide - List Rendering", "createRoot()", "in Vue", "what is", "config.errorHandler options",
    "e-mail address?", "how do I (really) install it", "C# and C++",
]  # fmt: skip
VOCABULARY = ["install", "instance", "constant", "callback", "usecallback", "watcher", "watchers", "property"]
TYPOS = ["instal", "isntall", "inztance", "usecallbaack", "watchrs", "xyz", "proprety"]


def expected() -> dict[str, Any]:
    """What Python makes of every case."""

    def query(text: str) -> dict[str, Any]:
        parsed = words.parse_query(text)
        plain = [
            {"exact": word.exact, "stem": word.stem, "parts": list(word.parts), "isStop": word.is_stop}
            for word in parsed.words
        ]
        names = {"names": list(words.names_of(text)), "possible": list(words.possible_names(text))}
        return {"words": plain, "isOpen": parsed.open_ended, **names}

    return {
        "stopWords": sorted(words.STOP_WORDS),
        "beforeNames": sorted(words._BEFORE_NAMES),
        "stems": {word: words.stem(word) for word in STEMS},
        "forms": {text: words.index_text(text) for text in TEXTS},
        "queries": {text: query(text) for text in QUERIES},
        "vocabulary": VOCABULARY,
        "typos": {word: nearest(word, [one for one in VOCABULARY if one[0] == word[0]]) for word in TYPOS},
    }


def test_the_cases_are_what_python_does(request: Any) -> None:
    """One definition of words: a change of Python's fails here, then `--update-golden` fails the browser's test."""
    if request.config.getoption("--update-golden"):
        CASES.write_text(json.dumps(expected(), ensure_ascii=False).replace("}, ", "},\n") + "\n", encoding="utf-8")
    assert json.loads(CASES.read_text(encoding="utf-8")) == expected()
