"""Facets from the page that states them to the answer of every surface."""

import json

from search_api.app import create_app
from tests.api_client import Api
from tests.pipeline.conftest import Site

HASH = '[embeddings]\nprovider = "hash"\n'
FACETS = 'facets = {version = "string", level = "number", topics = "strings"}\n'


def write_versions(site: Site) -> None:
    for version in ("3", "4"):
        site.write(
            f"docs/v{version}.html",
            f"Version {version}",
            f"<meta name=version content={version}><meta name=searchsocket-level content='{version}.0'>"
            "<meta name=topics content='ropes, oars'><p>How the winch of the boat is greased.</p>",
        )
    site.write("docs/odd.html", "Odd", "<meta name=level content=high><p>The winch of an odd boat.</p>")


def configure(site: Site, text: str) -> None:
    (site.root / "searchsocket.toml").write_text(text, encoding="utf-8")


def test_a_new_facet_is_read_again_and_embeds_nothing(site: Site) -> None:
    write_versions(site)
    configure(site, HASH)
    site.index()
    configure(site, FACETS + HASH)
    summary = site.index()
    assert summary.embeddings["created"] == 0
    assert summary.records["upserted"] > 0
    stated = {record.page.url: record.page.facets for record in site.records()}
    assert stated["/docs/v3"] == ("level=3", "topics=ropes", "topics=oars", "version=3")
    assert stated["/docs/odd"] == stated["/docs/install"] == ()
    assert '\nfacets: ["level=4", "topics=ropes", "topics=oars", "version=4"]\n' in site.mirror()["docs/v4.md"]
    assert any("/docs/odd: facet level (number): 'high' is not a number: ignored" in text for text in summary.warnings)
    again = site.index()
    assert again.records == {"upserted": 0, "deleted": 0}


def test_every_request_filters_and_counts_alike(site: Site) -> None:
    write_versions(site)
    configure(site, FACETS + HASH)
    site.index()
    api = Api(create_app(site.project, environ={}, host="127.0.0.1", dev=True), "127.0.0.1", "http://localhost:8181")
    body = {"q": "winch", "filters": {"version": ["3", 4], "language": "en", "level": 4, "topics": "oars"},
            "facets": ["version"]}  # fmt: skip
    query = "filter=version:3&filter=version:4&filter=language:en&filter=level:4.00&filter=topics:oars&facet=version"
    posted, got = api.post(body), api.get(f"/api/search?q=winch&{query}")
    assert posted.status_code == got.status_code == 200
    ages = {"ageSeconds": 0}  # a second may go by
    assert [item | ages for item in posted.json()["results"]] == [entry | ages for entry in got.json()["results"]]
    assert [result["url"] for result in posted.json()["results"]] == ["/docs/v4"]
    assert posted.json()["facets"] == got.json()["facets"] == {"version": {"4": 1}}
    counted = api.post({"q": "winch", "facets": ["version", "topics"]}).json()["facets"]
    assert counted == {"version": {"3": 1, "4": 1}, "topics": {"oars": 2, "ropes": 2}}


def test_requests_that_name_no_facet_are_refused_with_the_nearest(site: Site) -> None:
    configure(site, FACETS + HASH)
    site.index()
    api = Api(create_app(site.project, environ={}, host="127.0.0.1", dev=True), "127.0.0.1", "http://localhost:8181")
    for answer in (
        api.post({"q": "boat", "filters": {"versions": "3"}}),
        api.get("/api/search?q=boat&filter=versions:3"),
        api.post({"q": "boat", "facets": ["versions"]}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "UNKNOWN_FACET")
        assert "'version'" in answer.json()["error"]["message"]
    for filters in ({"version": []}, {"version": {}}, {"version": None}, {"level": "x"}, [], {"version": [["3"]]}):
        refused = api.post({"q": "boat", "filters": filters})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_REQUEST"), json.dumps(filters)
    assert api.get("/api/search?q=boat&filter=version").status_code == 400
