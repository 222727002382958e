"""The converters, and elements that a site converts itself."""

from pathlib import Path

import pytest

from searchsocket.content.html.converters import FAST, Converter, make_converter
from searchsocket.errors import ConfigError
from searchsocket.project.settings.site import ExtractSettings
from tests.contract.converter import ConverterContract, extracted, page_of

NOTES = """
from markdownify import MarkdownConverter

class Notes(MarkdownConverter):
    def convert_my_note(self, el, text, parent_tags):
        kind = el.get("kind", "note")
        return f" {text} " if "_inline" in parent_tags else f"\\n\\n> **{kind.upper()}** {text.strip()}\\n\\n"

class Bare:
    def convert_x_y(self, el, text, parent_tags):
        return f"({len(el.find_all('b'))} in {sorted(parent_tags & {'section', '_noformat'})}: {text})"

class Empty:
    pass

class Plain:
    def convert_p(self, el, text, parent_tags):
        return text
"""
each_engine = pytest.mark.parametrize("engine", ["fast", "markdownify"])


class TestFast(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return FAST


class TestMarkdownify(ConverterContract):
    @pytest.fixture
    def converter(self, tmp_path: Path) -> Converter:
        return make_converter(tmp_path, ExtractSettings(converter="markdownify"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "site_notes.py").write_text(NOTES, encoding="utf-8")
    return tmp_path


def converting(project: Path, *classes: str, engine: str = "fast") -> Converter:
    names = tuple(f"site_notes:{name}" for name in classes)
    return make_converter(project, ExtractSettings(converter=engine, converters=names))  # type: ignore[arg-type]


@each_engine
def test_a_site_converts_its_own_elements(project: Path, engine: str) -> None:
    """The content arrives as Markdown; the element with its attributes and what is in it."""
    html = b"<main><section><p>a</p><my-note kind=tip><b>b</b> c_</my-note><p>d <x-y>e<b>f</b></x-y></section></main>"
    body = extracted(html, converting(project, "Notes", "Bare", engine=engine)).body
    assert body == "a\n\n> **TIP** **b** c\\_\n\nd (1 in ['section']: e**f**)"
    assert extracted(html, FAST).body == "a\n\n**b** c\\_\n\nd e**f**"


@each_engine
def test_a_site_hears_what_is_around_its_element(project: Path, engine: str) -> None:
    """markdownify's own words: `_inline` in headings and cells, `_noformat` in code."""
    html = b"<main><h2>a <my-note>b</my-note> c</h2><p><code><x-y>d</x-y></code></main>"
    body = extracted(html, converting(project, "Notes", "Bare", engine=engine)).body
    assert body == "## a b c\n\n`(0 in ['_noformat']: d)`"


def test_everything_else_comes_out_as_ever(project: Path) -> None:
    """Only the named elements are handed over."""
    converter = converting(project, "Notes")
    for seed in range(200):
        html = page_of(seed).replace(b"my-note", b"other-note")
        assert extracted(html, converter) == extracted(html, FAST)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("site_notes", "must be module:Class"),
        ("no_such_module:X", "cannot be loaded: ModuleNotFoundError"),
        ("site_notes:Nobody", "cannot be loaded: AttributeError"),
        ("site_notes:Empty", "has no method such as convert_my_note"),
        ("site_notes:Plain", "only custom elements"),
        ("os:system('x')", "must be module:Class"),
    ],
)
def test_a_class_that_cannot_be_used_is_named(project: Path, entry: str, words: str) -> None:
    with pytest.raises(ConfigError, match="extract.converters") as error:
        make_converter(project, ExtractSettings(converters=(entry,)))
    assert words in str(error.value)


def test_another_version_of_a_class_is_another_converter(tmp_path: Path) -> None:
    """Pages of the older version are outdated, so the key of their extraction changes."""
    versions = set()
    for name, words in (("one", "a"), ("two", "b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"notes_{name}.py").write_text(NOTES + f"# {words}\n", encoding="utf-8")
        versions.add(make_converter(tmp_path / name, ExtractSettings(converters=(f"notes_{name}:Notes",))).version)
    assert len(versions) == 2
