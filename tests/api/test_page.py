"""The search page at `/`, as a browser without scripts reads it."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from api_client import ENVIRON, KEY, Api, body_of, make_project
from bs4 import BeautifulSoup
from search_site import NOW, Piece, Site

from search_api.app import create_app
from searchsocket.project.project import open_project
from searchsocket.project.settings.model import RateLimitSettings
from searchsocket.stores.local.store import LocalStore
from searchsocket.web.languages import original_label

WITH_KEY = {"authorization": f"Bearer {KEY}"}
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&{{7*7}}"


def soup(api: Api, path: str, status: int = 200, **options: object) -> BeautifulSoup:
    answer = api.get(path, **options)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    return BeautifulSoup(answer.content, "lxml")


def status_line(page: BeautifulSoup) -> str:
    line = page.select_one("#status")
    assert line is not None
    return line.get_text(strip=True)


def test_the_page_says_what_can_be_searched(api: Api) -> None:
    page = soup(api, "/")
    assert page.title is not None
    assert page.title.text == "Search Garden robot"
    assert status_line(page) == "6 pages indexed."
    assert "main · generation" in page.select("footer p")[0].text
    assert page.select_one("form[role=search] input[name=q][autofocus]")


@pytest.mark.parametrize(
    ("home", "stated", "title"),
    [("Fjord boats - Rent one", "", "Fjord boats"), ("Fjord boats", "Boats", "Boats")],
)
def test_the_page_is_called_like_the_site(tmp_path: Path, home: str, stated: str, title: str) -> None:
    """By the home page; a package or folder is often called `website`."""
    project = make_project(tmp_path, f'[llms]\ntitle = "{stated}"\n' if stated else "")
    Site(LocalStore(project.state_dir / "index", "site")).publish([Piece("/", "Boats.", title=home)])
    page = soup(Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW)), "/")
    assert page.title is not None
    assert page.title.text == f"Search {title}"


def test_the_form_is_answered_as_the_api_answers(api: Api) -> None:
    """It works without a script: title, section, snippet with marks, further sections, generation."""
    answer = api.get("/api/search?q=charging the battery").json()
    page = soup(api, "/?q=charging+the+battery")
    results = page.select("#results > li")
    assert [result.select_one(".path").text for result in results] == [hit["url"] for hit in answer["results"]]  # type: ignore[union-attr]
    assert status_line(page) == f"{len(results)} pages"
    first, expected = results[0], answer["results"][0]
    assert first.select_one("h2 a").text == expected["title"] == "Battery"  # type: ignore[union-attr]
    assert first.select_one(".section").text == expected["sectionTitle"]  # type: ignore[union-attr]
    assert first.select_one(".snippet").decode_contents(formatter="minimal") == BeautifulSoup(  # type: ignore[union-attr]
        expected["snippetHtml"], "html.parser"
    ).decode(formatter="minimal")
    assert first.select("mark")
    assert answer["meta"]["generation"] in page.select("footer p")[0].text


def test_parameters_that_links_add_are_ignored(api: Api) -> None:
    """Newsletters and social networks add their own to every link."""
    results = soup(api, "/?q=battery&utm_source=letter&fbclid=1").select("#results > li h2 a")
    assert [result.text for result in results][:1] == ["Battery"]


def test_translations_are_shown_in_the_language_of_the_browser(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    facets = (original_label("/boats"),)
    pieces = [
        Piece("/boats", "Boats for rent, and boats for sale.", facets=facets),
        Piece("/de/boats", "Boats: Boote.", language="de", facets=facets),
    ]
    Site(LocalStore(project.state_dir / "index", "site")).publish(pieces)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))

    def page_texts(headers: dict[str, str], query: str = "") -> list[str]:
        page = soup(api, f"/?q=boats+rent{query}", headers=headers)
        return [element.text for element in page.select(".path") if element.text.endswith("/boats")]

    assert page_texts({"accept-language": "de-CH,de;q=0.9,en;q=0.8"}) == ["/de/boats"]
    assert page_texts({"accept-language": "en"}) == ["/boats"]
    assert page_texts({"accept-language": "de"}, "&preferLanguage=en") == ["/boats"]
    for hostile in ("*", "", "; DROP", "x" * 500, "de<script>"):
        assert page_texts({"accept-language": hostile}) == ["/boats"]


def test_filters_hold_and_stay_in_the_form(tmp_path: Path) -> None:
    project = make_project(tmp_path, '[facets]\nversion = "string"\n')
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))
    page = soup(api, "/?q=battery&pathPrefix=/docs&tag=power&filter=")
    assert [element.text for element in page.select(".path")] == ["/docs/battery"]
    assert page.select_one("details[open] input[name=pathPrefix]")["value"] == "/docs"  # type: ignore[index]
    assert page.select_one("input[name=tag]")["value"] == "power"  # type: ignore[index]
    page = soup(api, "/?q=battery&filter=version:3")
    assert page.select_one("select[data-facet=version] option[selected]")["value"] == "version:3"  # type: ignore[index]
    assert status_line(page) == "No results for “battery” with these filters. Try other words."


def test_further_results_are_a_link_away(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    Site(LocalStore(project.state_dir / "index", "site")).publish(
        [Piece(f"/zebra/{n:02}", f"Chapter {n} about the zebra.", title=f"Zebra {n}") for n in range(24)]
    )
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))
    urls, path = [], "/?q=zebra+chapter&tag="
    for line in ("1–10", "11–20", "21–30"):
        page = soup(api, path)
        assert status_line(page) == f"{line} of the 30 best pages"
        urls += [element.text for element in page.select("#results .path")]
        links = page.select("#more a[rel=next]")
        path = "/" + str(links[0]["href"]) if links else ""
    assert path == ""
    assert len(set(urls)) == 30


def test_pages_that_say_the_same_are_named_below_the_best(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    text = "Before the zebra is fed, close both gates, fill the trough, and write the hour into the book of the stable."
    Site(LocalStore(project.state_dir / "index", "site")).publish(
        [Piece(f"/notes/{number}", text, title="Feeding") for number in range(6)]
    )
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))
    [result] = [
        element for element in soup(api, "/?q=zebra+fed+stable").select("#results > li") if "/notes/" in element.text
    ]
    named = result.select("ul.sections li")
    assert named[0].text == "and 5 similar:"
    assert len({line.text for line in named[1:]} - {result.select_one(".path").text}) == 3  # type: ignore[union-attr]


def test_nothing_from_outside_becomes_markup(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    Site(LocalStore(project.state_dir / "index", "site")).publish(
        [Piece("/evil", f"Zebra {EVIL}", title=EVIL, section=EVIL)], bodies=[body_of("main", "/evil", EVIL)]
    )
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))
    for params in ({"q": "zebra"}, {"q": EVIL, "pathPrefix": EVIL, "tag": EVIL}, {"page": "/evil"}, {"page": EVIL}):
        answer = api.get("/", params=params)
        page = BeautifulSoup(answer.content, "lxml")
        assert len(page.select("script")) == ("page" not in params or answer.status_code == 404)
        assert not page.select("img")
        assert not [tag for tag in page.find_all(True) if any(name.startswith("on") for name in tag.attrs)]
        if answer.status_code != 200:  # the message quotes it in a way of its own
            continue
        assert html.escape(EVIL) in answer.text.replace("&#34;", "&quot;").replace("&#39;", "&#x27;")
        assert "{{7*7}}" in answer.text


def test_the_policy_lets_nothing_in_but_the_pages_own_files(api: Api) -> None:
    answer = api.get("/?q=battery")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy.pop("default-src") == policy.pop("base-uri") == policy.pop("frame-ancestors") == "'none'"
    assert set(policy.values()) == {"'self'"}
    page = BeautifulSoup(answer.content, "lxml")
    assert not page.select("style, [style], script:not([src])")
    assert answer.headers["cache-control"] == "no-store"
    for tag in page.select("link[href], script[src]"):
        asset = api.get("/" + str(tag.get("href") or tag.get("src")))
        assert asset.status_code == 200
        assert "immutable" in asset.headers["cache-control"]
    assert api.get("/api/page/search.html").status_code == 404
    assert api.get("/api/page/..%2fview.py").status_code == 404


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [("?q=a&scope=secret-branch", 403, "cannot be read without a key"), ("?q=%20%E2%80%8B", 400, "the query is empty"),
     ("?q=a&filter=nothing", 400, "filter"), ("?page=/nope", 404, "not found"), ("?q=" + "a" * 1001, 400, "characters"),
     ("?q=a&filter=other:1", 400, "unknown facet")],
)  # fmt: skip
def test_an_error_is_a_page_too(api: Api, query: str, status: int, message: str) -> None:
    page = soup(api, f"/{query}", status)
    assert message.lower() in status_line(page).lower()
    assert page.select_one("#results.failed")
    assert page.select_one("form input[name=q]")


def test_a_refusal_before_the_page_is_a_page_too(configured: Callable[..., Api]) -> None:
    api = configured(rate_limit=RateLimitSettings(max=1, window_ms=30_000))
    soup(api, "/")
    assert "try again in" in status_line(soup(api, "/?q=battery", 429))
    assert api.get("/", headers={"authorization": "Bearer x"}).status_code == 429
    for _ in range(3):  # its files are counted by themselves
        assert api.get("/api/page/search.css").status_code == 200


def test_head_of_an_error_has_no_body(api: Api) -> None:
    answer = api.request("HEAD", "/?page=/nope")
    assert (answer.status_code, answer.content) == (404, b"")
    assert answer.headers["content-length"] == str(len(api.get("/?page=/nope").content))


def test_only_the_trusted_read_where_pages_come_from(api: Api) -> None:
    """The tiers of the API hold for the page (spec 14.3)."""
    assert "src/routes" not in api.get("/?q=battery").text
    page = soup(api, "/?q=battery", headers=WITH_KEY)
    assert page.select_one(".file").text.startswith("src/routes/")  # type: ignore[union-attr]
    assert "src/routes" not in api.get("/?page=/docs/install").text
    assert soup(api, "/?q=battery&scope=secret-branch", headers=WITH_KEY)
    assert soup(api, "/?page=/docs/install&scope=secret-branch", 403)


def test_results_lead_to_the_site_or_to_the_text_where_nobody_knows_the_site(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    toml = (tmp_path / "searchsocket.toml").read_text()
    for address, link in (
        ("", "?page=/docs-old/battery"),
        ("https://user:secret@example.com/", "https://example.com/docs-old/battery#charging"),
    ):
        (tmp_path / "searchsocket.toml").write_text(toml.replace("[project]", f'[project]\nbase_url = "{address}"'))
        api = Api(create_app(open_project(project.root, {}), environ={}, host="0.0.0.0", clock=lambda: NOW))
        page = soup(api, "/?q=charging")
        assert page.select_one("#results h2 a")["href"] == link  # type: ignore[index]
    assert "# Installation" in soup(api, "/?page=/docs/install").select_one("pre").text  # type: ignore[union-attr]


def test_before_the_first_index_the_page_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text('[project]\nid = "new"\n[embeddings]\nprovider = "hash"\n')
    api = Api(create_app(open_project(tmp_path, {}), environ={}, host="0.0.0.0"))
    assert "searchsocket index" in status_line(soup(api, "/"))
    assert status_line(soup(api, "/?q=a", 404)) == "This scope has no index."


def test_the_page_can_be_switched_off(configured: Callable[..., Api]) -> None:
    api = configured(page=False)
    for path in ("/", "/?q=battery", "/api/page/search.js"):
        assert (api.get(path).status_code, api.get(path).json()["error"]["code"]) == (404, "NOT_FOUND")


def test_the_page_is_not_in_the_description(api: Api) -> None:
    assert not [path for path in api.get("/api/openapi.json").json()["paths"] if re.search(r"^/$|page/", path)]
