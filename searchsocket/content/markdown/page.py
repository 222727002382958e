"""Extract one Markdown or mdsvex content file, with its front matter (spec 8.1, mode content-files).

The file is rendered to HTML and read like any other page, so that tables, links, images and code have one form. Front
matter is YAML between `---`, TOML between `+++`, or a JSON object.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping

import yaml
from lxml import etree
from markdown_it import MarkdownIt

from searchsocket.content.html.body import read_body
from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.decode import decode_html
from searchsocket.content.html.links import ANCHOR, LinkResolver
from searchsocket.content.html.metadata import parse_language, parse_tags, parse_weight
from searchsocket.content.html.tree import HEADINGS, Element, one_line, parse_html, raw_text, text_of
from searchsocket.content.markdown.dialects import plain_markdown
from searchsocket.content.markdown.heading_ids import Slugger
from searchsocket.content.markdown.lines import source_lines
from searchsocket.content.page_fields import FIELDS
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.system.json_text import without_lone_surrogates
from searchsocket.text.facets import NO_FACETS, Facets, read_facets
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase

_OWN_ID = re.compile(r"\s*\{#([^\s{}]+)\}\s*$")
_CONTENT_FILE = re.compile(r"(?:(?<=/)(?:\+page|index)|/\+page)?\.(?:md|svx|mdx|markdown)(?=[?#]|$)", re.IGNORECASE)
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})
_FRONT_MATTER = re.compile(r"\s*?(---|\+\+\+)[ \t]*\n(.*?)(?:^|\n)\1[ \t]*(?:\n|$)", re.DOTALL)
_JSON_FRONT_MATTER = re.compile(r"\s*\{(?=\s*\")")
_MAX_FRONT_MATTER_CHARS = 65_536
_MAX_YAML_DEPTH = 20
_MAX_YAML_ALIASES = 50


def extract_markdown(
    data: bytes,
    page: RawPage,
    extract: ExtractSettings,
    transform: TransformSettings,
    *,
    site: SiteBase = AT_ROOT,
    charset: str = "",
    converter: Converter = FAST,
    facets: Facets = NO_FACETS,
) -> ExtractedPage:
    """Read one content file; broken input is read as well as possible.

    Args:
        data: The file's bytes.
        site: Where the site is served; links to it are internal.
        charset: The known encoding, or "".
        facets: Additional front matter fields to read.

    Returns:
        The page; `skip` is "noindex" if front matter or a tag asks for it, "empty" if there is no text.

    Raises:
        ConfigError: A configured selector is not CSS.
    """
    text, encoding_warning = decode_html(data, charset)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    values, source, front_matter_warning = split_front_matter(text)
    above = text.count("\n", 0, len(text) - len(source))
    text, tagged = plain_markdown(source, extract.noindex_attr, robots=extract.respect_robots_noindex)
    title = _text(values, "title")
    if tagged or _is_noindex(values, extract):
        return ExtractedPage(title=title or page.url, body="", skip="noindex")
    weight, no_weight = parse_weight(_text(_own(values), "weight") or _text(values, "searchsocket-weight"))
    root, depth_warning = parse_html(f"<main>{_render(text)}</main>")
    labels, untyped = read_facets(facets, lambda name: _facet_value(values, name))
    warnings = [note for note in (encoding_warning, front_matter_warning, no_weight, *untyped, depth_warning) if note]
    main = next(root.iter("main"), None) if root is not None else None
    main = etree.Element("main") if main is None else main
    _slug_headings(main, Slugger(converter.heading_ids))
    resolver = LinkResolver(page.served_url, site=site)
    for anchor in main.iter("a"):
        href = anchor.get("href") or ""
        if resolver.path(href) is not None:
            # A link to a content file means the page that is built from it.
            anchor.set("href", _CONTENT_FILE.sub("", href))
    body = read_body(main, "markdown", resolver, extract, transform, converter)
    description = _text(values, "description", "summary", "excerpt")
    markdown = body.markdown or description  # all text of the page may come from a template
    return ExtractedPage(
        title=title
        or body.h1
        or body.first_heading
        or one_line(page.url.rsplit("/", 1)[-1].replace("-", " "))
        or page.url,
        body=markdown,
        description=description,
        language=parse_language(_text(values, "lang", "language")),
        canonical=_text(values, "canonical"),
        tags=parse_tags(_texts(values.get("tags"))),
        facets=labels,
        weight=weight,
        **{field.name: field.parse(_text(values, *field.keys)) for field in FIELDS if field.parse},
        links=body.links,
        main="markdown",
        source_lines=source_lines(markdown, source, above),
        skip="" if markdown else "empty",
        warnings=(*warnings, *body.warnings),
    )


def _render(text: str) -> str:
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    return str(html)


def _slug_headings(main: Element, slugger: Slugger) -> None:
    """Give each heading the id that the site's build gives it: `{#id}`, its own id, or one from its text."""
    for heading in main.iter(*HEADINGS):
        last = heading[-1] if len(heading) else None
        end = (heading.text if last is None else last.tail) or ""
        own = _OWN_ID.search(end)
        if own:
            heading.set("id", own[1])
            if last is None:
                heading.text = end[: own.start()]
            else:
                last.tail = end[: own.start()]
        elif heading.get("id") is None and heading.get(ANCHOR) is None:
            slug = slugger.slug(raw_text(heading).strip())
            if slug and text_of(heading):
                heading.set("id", slug)


def _is_noindex(values: Mapping[str, object], extract: ExtractSettings) -> bool:
    own = _own(values)
    if _flag(own, "noindex") is True or _flag(own, "index") is False:
        return True
    if any(_flag(values, key) is False for key in ("searchsocket", "search", "published")):
        return True
    if any(_flag(values, key) is True for key in ("noindex", "draft")):
        return True
    robots = _text(values, "robots").lower()
    return extract.respect_robots_noindex and ("noindex" in robots or robots == "none")


def _own(values: Mapping[str, object]) -> Mapping[str, object]:
    own = values.get("searchsocket")
    return {str(key): value for key, value in own.items()} if isinstance(own, dict) else {}


def _facet_value(values: Mapping[str, object], name: str) -> object:
    """The front matter value of a facet: under `searchsocket`, as `searchsocket-NAME`, or under its name."""
    places = ((_own(values), name), (values, f"searchsocket-{name}"), (values, name))
    return next((values_by_key[key] for values_by_key, key in places if key in values_by_key), None)


def _flag(values: Mapping[str, object], key: str) -> bool | None:
    value = _scalar(values.get(key)).lower()
    return True if value in _TRUE else False if value in _FALSE else None


def _text(values: Mapping[str, object], *keys: str) -> str:
    return next(filter(None, (one_line(_scalar(values.get(key))) for key in keys)), "")


def _texts(value: object) -> list[str]:
    if isinstance(value, list):
        return [_scalar(item).replace(",", " ") for item in value[:200]]
    return [_scalar(value)]


def _scalar(value: object) -> str:
    """A scalar as text; "" for a list or mapping."""
    return "" if value is None or (isinstance(value, Iterable) and not isinstance(value, str)) else str(value)


class _RefusedYaml(yaml.YAMLError):
    """A document that is valid YAML but not accepted as front matter."""


class _FrontMatterLoader(yaml.BaseLoader):
    """Loader that builds only strings, lists and mappings, and refuses deep nesting and alias bombs."""

    depth = 0
    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
        self.depth += 1
        if self.depth > _MAX_YAML_DEPTH or self.aliases > _MAX_YAML_ALIASES:
            raise _RefusedYaml("nested too deeply" if self.depth > _MAX_YAML_DEPTH else "too many aliases")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        """Join the halves of a character that are escaped one by one; half a character becomes U+FFFD."""
        return str(super().construct_scalar(node)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def split_front_matter(text: str) -> tuple[Mapping[str, object], str, str]:
    """Split the front matter off a content file.

    Returns:
        Its values (scalars are strings as written), the text after it, and a warning ("" if there is nothing to
        report). Unreadable front matter is removed too, with a warning, since it is not text of the page.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return _split_json(text)
    body = text[match.end() :]
    if len(match[2]) > _MAX_FRONT_MATTER_CHARS:
        return {}, body, f"front matter of {len(match[2])} characters: ignored"
    try:
        values = tomllib.loads(match[2]) if match[1] == "+++" else _yaml(match[2])
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        return {}, body, f"front matter cannot be read: {' '.join(str(error).split())[:150]}"
    if not isinstance(values, dict):
        # A thematic break at the top of a page, closed by another one.
        return {}, text if match[1] == "---" else body, ""
    return {str(key): value for key, value in values.items()}, body, ""


def _split_json(text: str) -> tuple[Mapping[str, object], str, str]:
    """Split an object off the start of a content file, as Hugo does; see `split_front_matter`."""
    start = _JSON_FRONT_MATTER.match(text)
    if start is None:
        return {}, text, ""
    whole = without_lone_surrogates(text[:_MAX_FRONT_MATTER_CHARS].encode()).decode()  # of the same length
    try:
        values, end = json.JSONDecoder().raw_decode(whole, start.end() - 1)
    except (ValueError, RecursionError):
        return {}, text, ""  # a block of Svelte, or text
    return values, text[end:], ""


def _yaml(text: str) -> object:
    loader = _FrontMatterLoader(text)
    try:
        return loader.get_single_data() or {}
    finally:
        loader.dispose()
