"""A query finds what is written: numbers, quotes, excluded words, and letters as people type them."""

import shutil
from pathlib import Path

import pytest
from search_site import MAIN, Piece, Site, make_site

from bench.static_export.ranker import ask
from searchsocket.extensions.export.files import export_generation
from searchsocket.search.answer import Result
from searchsocket.search.query import SearchQuery

PIECES = [
    Piece("/releases", "Changes in 5.3.1 of the hull.", title="Releases"),
    Piece("/node", "Runs on Node v18 and later.", title="Runtimes"),
    Piece("/port", "The harbour listens on port 8,443. Code 0x80070005 means that it is full.", title="Ports"),
    Piece("/python", "We support Python 3.11 at the quay.", title="Support"),
    Piece("/worker", "The worker retries a failed job three times.", title="Queue worker"),
    Piece("/job", "The job description is brief. Three workers retry.", title="Job failed"),
    Piece("/client/python", "Install the client for Python.", title="Python client"),
    Piece("/client/java", "Install the client for Java. Pass -race to it.", title="Java client"),
    Piece("/size", "Die Größe der Straße.", title="Maße", language="de"),
    Piece("/zh", "请先下载安装包，然后运行数据库。支持Kubernetes集群。", title="安装", language="zh"),
    Piece("/fa", "می‌توانید کتاب‌ها را دانلود کنید.", title="راهنما", language="fa"),
    Piece("/hi", "यह क़ानून है।", title="नियम", language="hi"),
    Piece("/names", "O’Leary wrote it. Don’t sink the doctor’s boat.", title="Names"),
    Piece("/arrow", "## `=>`\n\nMakes a function.", title="Operators", section="Operators"),
    Piece("/sails", "Sails are cut from canvas. A sail lasts ten years.", title="Sail making"),
    Piece("/train", "The night train leaves at dawn.", title="Night train"),
    Piece("/club", "Lookouts are posted from dusk.\n\nCan I sail at night? Only with lanterns.", title="Club handbook"),
    Piece("/rebase", "Rebase a branch onto another one.", title="Rebase a branch"),
    Piece("/", "All about the Capstan.", title="Capstan"),
    Piece("/news/capstan-7-0", "Capstan 7.0.0 winds faster. See Capstan 8.0.0 for more.", title="Capstan 7.0.0"),
    Piece("/news/8.0.0", "Ropes of nylon.", title="Capstan 8.0.0 winds further"),
    Piece("/news/8.1.0", "In short: the release 8.1.0, after 8.0.0.", title="Capstan 8.1: fewer knots"),
    Piece("/account", "The checkin is kept for an hour.", title="Accounts"),
    Piece("/start", "How to set up a windlass.", title="Beginners"),
    Piece("/guide/step", "Wind the rope.", title="Step 8 of the Capstan tour"),
    *(Piece(f"/log/{number}", f"Entry {number} of the log.", title=f"Entry {number}") for number in range(12)),
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"), PIECES)


def search(site: Site, q: str) -> tuple[Result, ...]:
    return site.engine.search(SearchQuery(q), MAIN).results


def urls(site: Site, q: str) -> list[str]:
    return [result.url for result in search(site, q)]


FIRST = [
    ("check in", "/account"),
    ("check-in", "/account"),
    ("set-up", "/start"),
    ("v5.3.1", "/releases"),
    ("node 18", "/node"),
    ("node 21", "/node"),  # a known word finds its page, although no page has the number
    ("capstan 8", "/news/8.0.0"),
    ("capstanjs v8.0 release", "/news/8.0.0"),
    ("Capstan@8.1.3", "/news/8.1.0"),
    ("v8.1", "/news/8.1.0"),
    ("faster than capstan7", "/news/capstan-7-0"),
    ("Capstan 8 runtimes", "/node"),  # the name of a page without this version
    ("capstan.js ports", "/port"),
    ("8443", "/port"),
    ("8.443", "/port"),
    ("80070005", "/port"),
    ("python3.11", "/python"),
    ("groesse", "/size"),
    ("strasse", "/size"),
    ("库", "/zh"),
    ("先", "/zh"),
    ("میتوانید", "/fa"),
    ("می‌توانید", "/fa"),
    ("कानून", "/hi"),
    ("=>", "/arrow"),
    ("can I sail at night", "/club"),
    ("rebse", "/rebase"),
    ("brnch", "/rebase"),
]


@pytest.mark.parametrize(("query", "url"), FIRST)
def test_the_page_is_first(site: Site, query: str, url: str) -> None:
    assert urls(site, query)[:1] == [url]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine: apt-get install nodejs")
def test_the_page_is_first_in_an_export(site: Site, tmp_path: Path) -> None:
    export_generation(site.store.reader(MAIN), site.settings, tmp_path)
    answers = ask(tmp_path, {query: {"q": query, "topK": 5} for query, _ in FIRST})
    first = [(query, *(result["url"] for result in answers[query]["results"][:1])) for query, _ in FIRST]
    assert first == FIRST


@pytest.mark.parametrize("query", ['"failed job"', "“failed job”", "„failed job“", "«failed job»", "‘failed job’"])
def test_a_quoted_phrase_is_a_condition(site: Site, query: str) -> None:
    """A page without the phrase is no result, even if its title has the words."""
    assert urls(site, query) == ["/worker"]


def test_a_phrase_of_no_page_has_no_result(site: Site) -> None:
    assert urls(site, '"job failed three"') == []


def test_a_word_after_a_minus_is_excluded(site: Site) -> None:
    assert urls(site, "client -python")[0] == "/client/java"
    assert "/client/python" not in urls(site, "client -python")
    assert "/client/java" not in urls(site, "client -java")


def test_a_flag_that_the_site_writes_is_not_excluded(site: Site) -> None:
    assert "/client/java" in urls(site, "client -race")


def test_a_minus_before_the_only_word_excludes_nothing(site: Site) -> None:
    assert urls(site, "-python") != []


@pytest.mark.parametrize(
    ("query", "url", "marks"),
    [
        ("oleary", "/names", ["O’Leary"]),
        ("dont sink", "/names", ["Don’t", "sink"]),
        ("doctor", "/names", ["doctor"]),
        ("kubernetes集群", "/zh", ["Kubernetes集群"]),
        ("库", "/zh", ["库"]),
    ],
)
def test_the_whole_word_is_marked(site: Site, query: str, url: str, marks: list[str]) -> None:
    result = next(result for result in search(site, query) if result.url == url)
    marked = [result.snippet[start:end] for start, end in result.marks]
    assert "".join(marked) == "".join(marks)


def test_a_half_typed_title_never_vanishes(tmp_path: Path) -> None:
    """From the letter at which a title is first among five results, it stays there."""
    titles = [
        "Basic Auth Middleware",
        "Bearer Auth",
        "Body Limit",
        "Cache",
        "Compress",
        "CORS",
        "JSX Renderer",
        "Streaming",
    ]
    pieces = [Piece(f"/{at}", f"About {title.lower()} of {at} ships.", title=title) for at, title in enumerate(titles)]
    site = make_site(tmp_path, pieces)
    for at, title in enumerate(titles):
        was_there = False
        for end in range(2, len(title) + 1):
            is_there = f"/{at}" in urls(site, title[:end])[:5]
            assert is_there or not was_there, title[:end]
            was_there = is_there
        assert was_there
