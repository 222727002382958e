"""A build says by its own links, canonical tags and sitemap what opens its pages (spec 8.2)."""

import os
from pathlib import Path

import pytest

from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.web.urls.form import UrlForm, stated_form
from searchsocket.web.urls.resolve import SiteBase, site_base


def write(root: Path, **pages: str) -> StaticOutputSource:
    """Pages by name, `__` for a slash, with the body that they have."""
    for name, body in pages.items():
        path = root / f"{name.replace('__', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<title>{name}</title>{body}", encoding="utf-8")
    return StaticOutputSource(root)


def opened(source: StaticOutputSource) -> dict[str, str]:
    """Return the address of each page."""
    return {page.url: page.address or page.url for page in source.pages()}


def form(source: StaticOutputSource) -> UrlForm:
    opened(source)
    assert source.report.url_form is not None
    return source.report.url_form


def test_links_say_what_opens_the_pages(tmp_path: Path) -> None:
    """A plain host serves `wal.html` at no other address; the page itself stays the same one."""
    source = write(
        tmp_path,
        index="<a href='wal.html'>WAL</a> <a href=\"c3ref/intro.html#top\">C</a> <a class=x href=docs/>Docs</a>",
        wal="<a href='./c3ref/../index.html'>Home</a> <a href='https://a.test/wal'>Out</a> <a href='/gone'>-</a>",
        c3ref__intro="<A HREF=../wal.html?x=1#y>WAL</A><link rel=stylesheet href=/wal>",
        docs__index="<a data-href='/wal'>no link</a>",
    )
    assert opened(source) == {"/": "/", "/wal": "/wal.html", "/c3ref/intro": "/c3ref/intro.html", "/docs": "/docs/"}
    assert source.report.facts() == {"addresses": "/page.html and /folder/ (3 of 3 links)"}


def test_canonical_tags_and_the_sitemap_count_too(tmp_path: Path) -> None:
    """Pages whose links are made by scripts say it there; on whatever host they are published."""
    source = write(tmp_path, index="", a='<link rel="canonical" href="https://x.test/a.html">', b="")
    assert form(source).flat == "suffix"
    (tmp_path / "sitemap.xml").write_text("<urlset><url><loc>https://x.test/a</loc></url><url><loc> /b </loc></url>")
    assert (form(source).flat, form(source).links) == ("clean", 3)


def test_links_are_read_below_the_base_path_and_against_the_base(tmp_path: Path) -> None:
    """Of a site under a path, links carry the path and files do not; an address has it."""
    write(
        tmp_path,
        index="<a href='/m/a.html'>A</a><a href='https://x.test/m/b.html'>B</a><a href='/a'>elsewhere</a>",
        a="<base href='/m/c/'><a href='d.html'>D</a>",
        b="",
        c__d="",
    )
    source = StaticOutputSource(tmp_path, site=site_base(["https://x.test/m"], "/m"))
    assert opened(source) == {"/": "/m/", "/a": "/m/a.html", "/b": "/m/b.html", "/c/d": "/m/c/d.html"}
    assert form(source).links == 3


def test_a_build_that_holds_its_base_path_is_read_in_it(tmp_path: Path) -> None:
    write(tmp_path / "m", index="<a href='/m/a.html'>A</a>", a="")
    assert opened(StaticOutputSource(tmp_path, site=SiteBase("/m"))) == {"/": "/m/", "/a": "/m/a.html"}


def test_without_links_the_host_is_taken_to_be_a_usual_one(tmp_path: Path) -> None:
    """Most hosts open `/a`, and every one sends `/docs` on to `/docs/`."""
    source = write(tmp_path, index="", a="", docs__index="")
    assert opened(source) == {"/": "/", "/a": "/a", "/docs": "/docs/"}
    assert source.report.facts() == {"addresses": "/page and /folder/ (assumed; the pages link to nothing)"}


@pytest.mark.parametrize("base", ["/project", "/group/project"])
def test_links_below_a_base_path_that_nobody_stated_are_named(tmp_path: Path, base: str) -> None:
    """A generator puts the path of its host into links, not into files: each result would lead nowhere."""
    links = "".join(f"<a href='{base}/{page}'>x</a>" for page in ("", "a", "b.html", "docs/", "gone"))
    source = write(tmp_path, index=links, a="", b="", docs__index="<a href='/a'>A</a>")
    assert form(source).prefix == base
    assert [warning for warning in source.report.warnings if f'source.base_path = "{base}"' in warning]
    assert form(StaticOutputSource(tmp_path, site=SiteBase(base))).prefix == ""


def test_some_links_to_other_sites_of_the_host_are_no_base_path(tmp_path: Path) -> None:
    source = write(tmp_path, index="<a href='/v1/a'>1</a><a href='/v1/b'>2</a><a href='/a'>A</a>", a="", b="")
    assert form(source).prefix == ""


def test_a_stated_style_is_followed(tmp_path: Path) -> None:
    write(tmp_path, index="<a href='a.html'>A</a>", a="", docs__index="")
    source = StaticOutputSource(tmp_path, url_form=stated_form("clean"))
    assert opened(source) == {"/": "/", "/a": "/a", "/docs": "/docs"}
    assert source.report.facts() == {"addresses": "/page and /folder (urls.style)"}


def test_a_file_beside_a_folder_of_its_name_is_a_page_of_its_own(tmp_path: Path) -> None:
    """If the suffix is part of the address, both can be opened; else one cannot, and a warning names it."""
    source = write(
        tmp_path,
        index="<a href='wal.html'>WAL</a><a href='wal/'>more</a><a href='wal/x.html'>X</a>",
        wal="",
        wal__index="",
        wal__x="",
    )
    assert opened(source) == {"/": "/", "/wal": "/wal/", "/wal/x": "/wal/x.html", "/wal.html": "/wal.html"}
    assert source.report.warnings == []
    clean = StaticOutputSource(tmp_path, url_form=stated_form("clean"))
    assert opened(clean) == {"/": "/", "/wal": "/wal", "/wal/x": "/wal/x"}
    assert clean.report.warnings == ["wal.html and wal/index.html both have the URL /wal; wal/index.html is used"]


def test_link_forms_are_stored_until_a_page_changes(tmp_path: Path) -> None:
    """An unchanged site is not read again, and one that turns to another form is."""
    before = form(write(tmp_path, index="<a href='a.html'>A</a>", a=""))
    forged = UrlForm("slash", "bare", evidence=before.evidence)
    assert form(StaticOutputSource(tmp_path, previous_form=forged)) == forged
    write(tmp_path, index="<a href='a'>A</a>", a="")
    os.utime(tmp_path / "index.html", ns=(1, 1))
    assert form(StaticOutputSource(tmp_path, previous_form=forged)).flat == "clean"
    write(tmp_path, index="<a href='/m/a.html'>A</a>")
    at_root = form(StaticOutputSource(tmp_path))
    assert at_root.links == 0
    assert form(StaticOutputSource(tmp_path, site=SiteBase("/m"), previous_form=at_root)).links == 1


@pytest.mark.parametrize(
    "body",
    [
        "<a href='/..%2f..%2fsecret.html'>x</a>",
        "<a href='/%00.html'>x</a><a href='//[::1/a.html'>x</a><a href='http://:x/a'>x</a>",
        "<a " * 100_000,
        f"<a href='/{'a' * 100_000}.html'>x</a>",
        "<link rel=canonical href=>" + "<a href=" * 50_000,
    ],
    ids=["outside", "odd", "open-tags", "long", "half-links"],
)
def test_hostile_links_show_nothing(tmp_path: Path, body: str) -> None:
    """They are passed over, and take no time: a tag is looked at once."""
    (tmp_path / "secret.html").write_text("no")
    assert form(write(tmp_path / "site/build", index=body)).links == 0


def test_files_that_cannot_be_read_are_no_evidence(tmp_path: Path) -> None:
    """Whoever lists them says so."""
    source = write(tmp_path, index="<a href='a.html'>A</a>", a="")
    os.mkfifo(tmp_path / "sitemap.xml")
    (tmp_path / "b.html").symlink_to("nowhere")
    assert form(source).links == 1
