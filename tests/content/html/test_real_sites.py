"""Extraction of sites that nobody here wrote: no exception, text on nearly every page, the same answer twice."""

import os
import random
import shutil
from pathlib import Path

import pytest

from searchsocket.content.html.converters import FAST, Converter, make_converter
from searchsocket.content.html.extract import extract_html
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings

SITES = Path(os.environ.get("SEARCHSOCKET_SITES", Path(__file__).parents[4] / "shared" / "sites"))
SAMPLE = 25  # pages a site
# Site -> the share of its HTML files that hold text and are no redirect.
NON_EMPTY = {
    "bits-ui-docs": 0.95,
    "django-3.2-docs": 1.0,
    "httpd-2.4-manual": 1.0,
    "networking-toolbox": 0.95,
    "postgresql-15-manual": 1.0,
    "smui-ghpages": 1.0,
    "sqlite-3.40-docs": 1.0,
    "stias-workshop": 0.95,
    "svelte-multiselect": 0.9,
    "sveltepress-docs": 0.9,
    "vue-docs": 0.9,
}
IN_CI = ("postgresql-15-manual", "vue-docs", "sveltepress-docs", "svelte-multiselect")  # one of each kind of page
EXTRACT, TRANSFORM = ExtractSettings(), TransformSettings()

pytestmark = [
    pytest.mark.sites,
    pytest.mark.skipif(not SITES.is_dir(), reason=f"no real sites at {SITES}; set SEARCHSOCKET_SITES"),
]


def extract(root: Path, file: Path, converter: Converter = FAST) -> ExtractedPage:
    name = file.relative_to(root).as_posix()
    url = "/" + name.removesuffix(".html").removesuffix("index").rstrip("/")
    return extract_html(file.read_bytes(), RawPage(url, f"/{name}", name, ""), EXTRACT, TRANSFORM, converter=converter)


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in IN_CI else pytest.mark.long) for name in sorted(NON_EMPTY)],
)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, list[Path]]:
    """Name, build folder, and some of its pages, always the same ones."""
    archive = SITES / f"{request.param}.tar.xz"
    if not archive.exists():
        pytest.skip(f"no {archive}")
    folder = tmp_path_factory.mktemp("site")
    shutil.unpack_archive(archive, folder)
    root = next(folder.rglob("build"))
    files = sorted(file for file in root.rglob("*.html") if file.is_file() and not file.is_symlink())
    return request.param, root, random.Random(7).sample(files, min(SAMPLE, len(files)))


def test_real_pages_come_out_the_same_from_both_converters(site: tuple[str, Path, list[Path]]) -> None:
    """The walk of the parser's own tree, and markdownify on a second one."""
    _, root, files = site
    second = make_converter(root, ExtractSettings(converter="markdownify"))
    assert [file for file in files if extract(root, file) != extract(root, file, second)] == []


def test_real_pages_have_text_titles_and_sound_markdown(site: tuple[str, Path, list[Path]]) -> None:
    """Each site has a trait that broke an extractor once (no main, unclosed tags, EUC-KR, popups in code)."""
    name, root, files = site
    pages = [extract(root, file) for file in files]
    assert sum(page.skip == "" for page in pages) >= (NON_EMPTY[name] - 0.05) * len(pages)
    assert pages == [extract(root, file) for file in files]
    for page in pages:
        assert page.title.strip() == page.title != ""
        assert "\ufffd" not in page.title
        prose = [block.text for block in parse_blocks(page.body) if block.kind in {"paragraph", "heading"}]
        assert not any("<!--" in text.replace("\\<", "") and "`" not in text for text in prose)
