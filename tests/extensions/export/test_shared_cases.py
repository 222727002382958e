"""Words and rules are the same in Python and in the browser: `clients/js/test/static.test.js` runs these cases."""

import json
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import FILE_NAME, is_current, plain_query
from searchsocket.extensions.export.head import exported_rule
from searchsocket.search.curation import pinned_pages
from searchsocket.text import words
from searchsocket.text.typos import nearest
from searchsocket.text.variants import variants_of
from searchsocket.text.versions import version_match, versions_of_page, versions_of_query

CASES = Path(__file__).parents[3] / "clients" / "js" / "test" / "static-cases.json"

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
    "key=value", "x" * 70, "=>", "a `=>` b ?? c", "--- ## ** | -- ||",
    "使用Docker容器", "中", "می‌توانید", "क़ानून", "O’Leary",
    "۱۲۳۴۵ ٦٧٨", "१२ व्", "ราคา๑๒บาท", "col·lecció", "🔽 ⚓️ 👩‍🚀 ✓",
]  # fmt: skip
QUERIES = [
    "how to use slots", "Guide - List Rendering", "createRoot()", "in Vue", "what is", "config.errorHandler options",
    "e-mail address?", "how do I (really) install it", "C# and C++", "Quick_Start", "quickStart",
    "quick.start", "quick/start", "--dry-run", "HTTPServer", "größeÄndern", "useState", "日本語・入門", " 1.2.3 ",
    "=> ??", "中", "日本 語", "“failed job” worker", "«a b» ‚c’ ‘d e’ „f“ don’t", '"open', "client -python",
    "-x", "go --race -p", "🔽", "۱۲۳۴۵", "col·lecció",
    "v5.3.1", "node 18", "8443", "8,443", "8.443.000", "12 500", "python3.11", "10mb", "10 MB",
    "0x80070005", "80070005", "groesse steuerloeschen", "toe", "slots v3.1", "9.0.0-rc.1 release", "8 slots",
]  # fmt: skip
VOCABULARY = [
    "install",
    "instance",
    "constant",
    "callback",
    "usecallback",
    "watcher",
    "watchers",
    "property",
    "2015",
    "einstellung",
]
TYPOS = [
    "instal",
    "isntall",
    "inztance",
    "usecallbaack",
    "watchrs",
    "xyz",
    "proprety",
    "21015",
    "einstellungen",
    "constanti",
]
RULES = """
[[pin]]
query = ["Install", "how to install*", "größe"]
pages = ["/b", "/gone", "/a", "/hidden"]
until = 2026-05-01
[[pin]]
query = "*install*"
pages = ["/c", "/a"]
[[hide]]
query = "*"
pages = ["/hid*", "/x/*/z"]
[[hide]]
query = "sail*ship"
pages = "/a"
[[boost]]
path = ["/docs", "/docs/deep"]
factor = 2.0
[[boost]]
path = "/docs/deep"
factor = 1.5
until = 2026-04-30
[[boost]]
query = "c++"
path = "/"
factor = 0.5
"""
PAGES = ["/", "/a", "/b", "/c", "/hidden", "/x/y/z", "/x/z", "/docs", "/docs-old", "/docs/deep", "/docs/deep/a"]
QUESTIONS = [
    " INSTALL?!", "how to install it", "reinstall", "grosse", "größe", "sail a ship", "sailship", "sail the ships",
    "c++", "C++ ?", "nothing",
]  # fmt: skip
VERSIONS = [
    ("v8", "Version 8.0.0 released", "/a"), ("v13 release", "New", "/blog/hull-13-0"), ("8 slots", "Hull 8.0", "/a"),
    ("v9.0.0-rc.1", "Hull v9.0.0-rc-1", "/a"), ("v9", "Hull v9.0.0-rc.1", "/2021-05-25-9.0.0"), ("v3", "Part 3", "/a"),
    ("v7.22.5", "Hull 7.22", "/7"), ("v7.22", "Hull 7.21", "/a"), ("v2 to v3", "From 2.x to 3.0", "/from-2-to-3"),
    ("127.0.0.1 v8", "UTF8 and base64", "/utf16-h1"), ("v1.02", "Größe1.2", "/größe-1-2"),
]  # fmt: skip
DAYS = ["2026-04-30", "2026-05-01", "2026-05-02"]


def expected() -> dict[str, Any]:
    """Return the results of Python for every case."""

    def query(text: str) -> dict[str, Any]:
        parsed = words.parse_query(text)
        plain = [
            {"exact": word.exact, "stem": word.stem, "parts": list(word.parts), "isStop": word.is_stop}
            for word in parsed.words
        ]
        names: dict[str, Any] = {
            "names": list(words.names_of(text)),
            "possible": list(words.possible_names(text)),
            "spelled": words.spelled_name(text),
        }
        conditions: dict[str, Any] = {
            "phrases": list(map(list, parsed.phrases)),
            "excluded": words.excluded_words(text),
            "variants": {word: list(map(list, forms)) for word, forms in variants_of(text).items()},
        }
        return {"words": plain, "isOpen": parsed.open_ended, **names, **conditions}

    return {
        "stopWords": sorted(words.STOP_WORDS),
        "beforeNames": sorted(words.BEFORE_NAMES),
        "stems": {word: words.stem(word) for word in STEMS},
        "forms": {text: " ".join(words.index_words(text)) for text in TEXTS},
        "queries": {text: query(text) for text in QUERIES},
        "vocabulary": VOCABULARY,
        "versions": [
            [*case, version_match(versions_of_query(case[0]), versions_of_page(*case[1:]))] for case in VERSIONS
        ],
        "curation": _curation(),
        "typos": {word: nearest(word, [item for item in VOCABULARY if item[0] == word[0]]) for word in TYPOS},
    }


def _curation() -> dict[str, Any]:
    """Rules as an export has them, and their effects by day and query."""
    with TemporaryDirectory() as folder:
        (Path(folder) / FILE_NAME).write_text(RULES, encoding="utf-8")
        curation = Curation(Path(folder))
        rules = curation.rules().pages

    def effects(day: str, q: str) -> dict[str, Any]:
        plain, today = plain_query(q), date.fromisoformat(day)
        own = [rule for rule in rules if is_current(rule, today) and rule.is_about(plain)]
        boosts = [(rule, url) for rule in own if rule.effect == "boost" for url in PAGES if rule.names(url)]
        factors = dict.fromkeys(PAGES, 1.0)
        for rule, url in boosts:
            factors[url] *= rule.factor
        hides = [rule for rule in own if rule.effect == "hide"]
        hidden = [url for url in PAGES if any(rule.names(url) for rule in hides)]
        return {"pins": list(pinned_pages(own, {})), "hidden": hidden, "factors": factors}

    return {
        "rules": [exported_rule(rule, {}) for rule in rules],
        "pages": PAGES,
        "effects": {day: {q: effects(day, q) for q in QUESTIONS} for day in DAYS},
    }


def test_the_cases_are_what_python_does(request: Any) -> None:
    """One definition of words: a change of Python's fails here, then `--update-golden` fails the browser's test."""
    if request.config.getoption("--update-golden"):
        CASES.write_text(json.dumps(expected(), ensure_ascii=False).replace("}, ", "},\n") + "\n", encoding="utf-8")
    assert json.loads(CASES.read_text(encoding="utf-8")) == json.loads(json.dumps(expected()))
