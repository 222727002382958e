"""`llms.txt`, `llms-full.txt` and `/page.md` as the service answers them."""

from collections.abc import Callable

from api_client import ENVIRON, KEY, Api

from search_api.app import create_app
from searchsocket.project.project import Project
from searchsocket.project.settings.features import McpSettings
from tests.extensions.llms.llms_txt_parser import parse_llms_txt

TRUSTED = {"authorization": f"Bearer {KEY}"}


def test_the_list_leads_to_pages_that_are_answered_as_markdown(api: Api) -> None:
    answer = api.get("/llms.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    lists = parse_llms_txt(answer.text)
    assert lists.info[1] == "- Search the site with `GET /api/search?q=…`, which answers JSON."
    pages = [url for url in lists.urls if url.endswith(".md")]
    assert "/docs/install.md" in pages
    for url in pages:
        page = api.get(url)
        assert page.headers["content-type"] == "text/markdown; charset=utf-8"
        assert f'</{"llms.txt"}>; rel="describedby"' in page.headers["link"]
        assert page.text.strip() in api.get("/llms-full.txt").text


def test_a_cached_file_is_not_sent_again(api: Api) -> None:
    for path in ("/llms.txt", "/llms-full.txt", "/docs/install.md"):
        tag = api.get(path).headers["etag"]
        again = api.get(path, headers={"if-none-match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)


def test_a_page_names_its_address_and_never_its_source(api: Api) -> None:
    page = api.get("/docs/install.md", headers=TRUSTED)
    assert page.headers["link"].startswith('</docs/install>; rel="canonical"')
    assert "+page.svelte" not in page.text


def test_only_a_key_opens_what_is_not_public(api: Api) -> None:
    for path in ("/llms.txt", "/docs/install.md"):
        assert api.get(f"{path}?scope=secret-branch").status_code == 403
    answer = api.get("/docs/install.md?scope=secret-branch", headers=TRUSTED)
    assert "# Secret branch" in answer.text
    assert answer.headers["cache-control"].startswith("private")


def test_a_missing_file_is_an_error_with_a_code(api: Api) -> None:
    missing = api.get("/docs/nothing-at-all.md")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "PAGE_NOT_FOUND")
    for path in ("/nowhere/llms.txt", "/llms-full-9.txt", "/nowhere/llms-full.txt"):
        assert (api.get(path).status_code, api.get(path).json()["error"]["code"]) == (404, "NOT_FOUND")


def test_the_service_is_named_by_its_public_address(configured: Callable[..., Api]) -> None:
    text = configured(public_url="https://search.fjord.example/").get("/llms.txt").text
    assert "`GET https://search.fjord.example/api/search?q=…`" in text


def test_the_list_names_the_mcp_server_where_one_answers(project: Project) -> None:
    enabled = project.settings.model_copy(update={"mcp": McpSettings(enable=True)})
    for settings, named in ((project.settings, False), (enabled, True)):
        api = Api(create_app(Project(project.root, settings, project.id), environ=ENVIRON, host="0.0.0.0"))
        assert ("searches and reads it: /mcp" in api.get("/llms.txt").text) is named
