"""A preview's address is made of its branch as the host spells it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import ConfigMissing
from searchsocket.project.scopes import sanitise_scope
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.preview import branch_slug, with_preview
from searchsocket.types import Scope
from searchsocket.web.urls.site import site_origin
from tests.sources.git_repository import commit, git

BRANCH = "Feature/New_Nav"
SCOPE = Scope("shop", sanitise_scope(BRANCH), BRANCH)


def address(base_url: str, root: Path, scope: Scope = SCOPE) -> str:
    settings = Settings.model_validate({"source": {"mode": "crawl", "crawl": {"base_url": base_url}}})
    return with_preview(settings, root, scope).source.crawl.base_url


def test_the_placeholder_of_a_scope_is_replaced(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    sha = commit(tmp_path, {"a": "a"})
    git(tmp_path, "branch", BRANCH)
    assert (
        address("https://{branch_slug}.shop.pages.dev/docs", tmp_path) == "https://feature-new-nav.shop.pages.dev/docs"
    )
    assert address("https://{branch_slug:9}--shop.example", tmp_path) == "https://feature-n--shop.example"
    assert address("https://shop-{sha:7}.example/{scope}", tmp_path) == f"https://shop-{sha[:7]}.example/{SCOPE.name}"
    assert address("https://x.example/{branch}", tmp_path) == f"https://x.example/{BRANCH}"
    assert address("https://x.example/{other}", tmp_path) == "https://x.example/{other}"


def test_an_unknown_placeholder_is_an_error_before_any_request(tmp_path: Path) -> None:
    unknown = Scope("shop", SCOPE.name)
    for place in ("{sha}", "{branch_slug}", "{branch:9}"):
        settings = Settings.model_validate(
            {"source": {"mode": "crawl", "crawl": {"base_url": f"https://{place}.example"}}}
        )
        with pytest.raises(ConfigMissing, match=place.replace("{", r"\{")):
            make_source(tmp_path, with_preview(settings, tmp_path, unknown), scope=unknown.name)


@given(st.text(max_size=100), st.integers(1, 63))
def test_a_slug_is_a_part_of_a_host_name(branch: str, most: int) -> None:
    slug = branch_slug(branch, most)
    assert len(slug) <= most
    assert not slug or (slug[0].isalnum() and slug[-1].isalnum())
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_no_link_leads_to_an_address_that_is_not_whole() -> None:
    settings = Settings.model_validate(
        {"source": {"mode": "crawl", "crawl": {"base_url": "https://{branch_slug}.x.dev"}}}
    )
    assert site_origin(settings, "main") == ""
