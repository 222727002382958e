"""The addresses that generators give to content files, without running them.

A rule is what a generator does by default, and by the settings that its configuration states plainly.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from posixpath import dirname, join, normpath

from searchsocket.errors import InvalidRequest
from searchsocket.sources.generators import ReadText, UsedGenerator, stated_value, used_generators
from searchsocket.web.routes.script import Script
from searchsocket.web.urls.paths import canonical_path

FrontMatter = Mapping[str, object]

# Of Docusaurus: `01-intro` and `1. intro`, but neither a date nor a version.
_ORDER = re.compile(r"^(?!\d{2,4}[-_.]\d{2}|\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])")
_DATE = re.compile(r"^(\d{4})-(\d{1,2})-(\d{1,2})-(?=.)")
_PRIVATE = re.compile(r"(?:^|/)_(?!posts/)")  # partials and drafts
_NO_POST = re.compile(r"(?:^|/)_posts/(?:.*/)?(?!\d{4}-\d{1,2}-\d{1,2}-.)[^/]*$|" + _PRIVATE.pattern)
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\b")
_PLACEHOLDER = re.compile(r":(categories|year|month|day|title|slug)\b")
_POSTS = {"none": "/:categories/:title"}  # of `permalink`; the other names mean the default
_POST = "/:categories/:year/:month/:day/:title"
_OF_ELEVENTY = re.compile(r"(?:^|/)_(?:includes|data)/")
# Lists of pages, and parts of all pages, of generators without a configuration: GitBook and Docsify.
_LISTS = re.compile(r"(?:^|/)(?:SUMMARY|_(?:sidebar|navbar|coverpage|footer))\.md$")
_NUMBER_OF_NUXT = re.compile(r"^\d+\.(?=[^.])")
_NO_LETTER = re.compile(r"[^\w -]")
_REMOVED_BY_HUGO = re.compile(r"[^\w .+~@#-]")


@dataclass(frozen=True, slots=True)
class ContentFolder:
    """Content files, and the address of their folder."""

    glob: str
    url: str = "/"  # of the fixed part of the glob
    name: Callable[[str], str] = str  # makes a part of an address from the name of a file or folder
    # Returns the address that front matter states, or "": of the front matter, and of the address by the path.
    stated: Callable[[FrontMatter, str], str] | None = None


@dataclass(frozen=True, slots=True)
class ContentRules:
    """The content files of a project, and their addresses."""

    folders: Sequence[ContentFolder]  # the first one that matches a file decides
    generator: str = ""
    folder_pages: Sequence[str] = ("index", "readme")  # names, in this order if several exist
    has_twins: bool = False  # `guide/guide.md` is a page of its folder too
    skips: re.Pattern[str] | None = None  # in paths of files that are no pages


def content_rules(read: ReadText, globs: Sequence[str], *, are_chosen: bool) -> ContentRules:
    """Return the rules of the first generator that a project is configured for and whose rules are known.

    With SvelteKit, the globs contain its routes, so they stay.

    Args:
        read: Reads a file relative to the folder of the globs.
        globs: The files, unless the generator has its own folders.
        are_chosen: The globs stay, and only names and front matter follow the generator.
    """
    for used in used_generators(read):
        if used.name == "SvelteKit":
            break
        if (rules := _rules_of(read, used)) is not None:
            first = rules.folders[0]
            chosen = [ContentFolder(glob, "/", first.name, first.stated) for glob in globs]
            return replace(rules, generator=used.name, folders=chosen if are_chosen else rules.folders)
    return ContentRules([ContentFolder(glob) for glob in globs], skips=_LISTS)


def _rules_of(read: ReadText, used: UsedGenerator) -> ContentRules | None:
    home, text = dirname(used.config), read(used.config) or ""

    def folder(key: str, default: str) -> str:
        return _below(home, stated_value(text, used.config, key) or default)

    match used.name:
        case "VitePress":
            home = used.config.partition(".vitepress/")[0].rstrip("/")
            return ContentRules(_markdown(folder("srcDir", ".")), folder_pages=("index",))
        case "Docusaurus":
            return _docusaurus(home, text)
        case "Astro":
            return _astro(home, text)
        case "Nuxt":
            folders = _markdown(_below(home, "content"), name=lambda name: _NUMBER_OF_NUXT.sub("", name))
            return ContentRules(folders, folder_pages=("index",))
        case "MkDocs":
            return ContentRules(_markdown(folder("docs_dir", "docs")))
        case "Zensical":
            return ContentRules(_markdown(folder("project.docs_dir", "docs")))
        case "mdBook":
            return ContentRules(_markdown(folder("book.src", "src")), skips=re.compile(r"(?:^|/)SUMMARY\.md$"))
        case "Hugo":
            home = home.removesuffix("config/_default").rstrip("/")
            folders = _markdown(folder("contentDir", "content"), name=_hugo_name, stated=_stated_by_hugo)
            return ContentRules(folders, folder_pages=("_index", "index"))
        case "Jekyll":
            site = folder("source", ".")
            stated = stated_value(text, used.config, "permalink") or ""
            template = stated if stated.startswith("/") else _POSTS.get(stated, _POST)
            posts = ContentFolder(_glob(site, "**/_posts/**/*.md"), "/", _dated, partial(_stated_by_post, template))
            return ContentRules([posts, *_markdown(site, stated=_permalink)], skips=_NO_POST)
        case "Eleventy":
            folders = _markdown(folder("dir.input", "."), stated=_permalink)
            return ContentRules(folders, folder_pages=("index",), has_twins=True, skips=_OF_ELEVENTY)
    return None


def _docusaurus(home: str, text: str) -> ContentRules:
    def route(plugin: str) -> str:
        pattern = rf"\b{plugin}\s*:\s*\{{[^{{}}]*?\brouteBasePath\s*:\s*(['\"])(.*?)\1"
        stated = re.search(pattern, text)
        with suppress(InvalidRequest):
            return canonical_path(stated[2] if stated else plugin)
        return f"/{plugin}"

    docs, blog = route("docs"), route("blog")

    def stated_by_doc(front: FrontMatter, url: str) -> str:
        slug = _text(front, "slug") or _text(front, "id")
        return join(docs, slug[1:]) if slug.startswith("/") else join(dirname(url), slug) if slug else ""

    def stated_by_post(front: FrontMatter, url: str) -> str:
        slug = _text(front, "slug").lstrip("/")
        return join(blog, slug) if slug else ""

    folders = [
        *_markdown(_below(home, "docs"), docs, _unnumbered, stated_by_doc),
        *_markdown(_below(home, "blog"), blog, _dated, stated_by_post),
        *_markdown(_below(home, "src/pages")),
    ]
    return ContentRules(folders, has_twins=True, skips=_PRIVATE)


def _astro(home: str, text: str) -> ContentRules:
    content = "src/content/docs" if Script(text).names("@astrojs/starlight") else "src/content"
    folders = [*_markdown(_below(home, content), name=_slug, stated=_slug_of), *_markdown(_below(home, "src/pages"))]
    return ContentRules(folders, folder_pages=("index",), skips=_PRIVATE)


def _markdown(
    folder: str,
    url: str = "/",
    name: Callable[[str], str] = str,
    stated: Callable[[FrontMatter, str], str] | None = None,
) -> list[ContentFolder]:
    return [ContentFolder(_glob(folder, f"**/*.{suffix}"), url, name, stated) for suffix in ("md", "mdx", "markdown")]


def _glob(folder: str, pattern: str) -> str:
    return join(re.sub(r"([*?\[\\!])", r"\\\1", folder), pattern) if folder else pattern


def _below(home: str, folder: str) -> str:
    """A folder of the project; "" is the project, and whatever lies outside."""
    path = normpath(join(home, folder.lstrip("/")))
    return "" if path == "." or path.split("/")[0] == ".." else path


def _unnumbered(name: str) -> str:
    return _ORDER.sub("", name, count=1)


def _dated(name: str) -> str:
    """A name with a date in front becomes folders: `2024-01-02-start` is `2024/01/02/start`."""
    return _DATE.sub(lambda date: f"{date[1]}/{date[2]:0>2}/{date[3]:0>2}/", name, count=1)


def _hugo_name(name: str) -> str:
    return _REMOVED_BY_HUGO.sub("", name.lower()).replace(" ", "-")


def _slug(name: str) -> str:
    return _NO_LETTER.sub("", name.lower()).replace(" ", "-")


def _slug_of(front: FrontMatter, url: str) -> str:
    return _text(front, "slug")


def _stated_by_hugo(front: FrontMatter, url: str) -> str:
    slug = _text(front, "slug")
    return _text(front, "url") or (join(dirname(url), _hugo_name(slug)) if slug else "")


def _permalink(front: FrontMatter, url: str) -> str:
    """The address in `permalink`, unless it is a template.

    Raises:
        InvalidRequest: It says that there is no page.
    """
    address = _text(front, "permalink")
    if address == "false":
        raise InvalidRequest("its front matter has `permalink: false`")
    return "" if ":" in address or "{" in address else address


def _stated_by_post(template: str, front: FrontMatter, url: str) -> str:
    """The address of a post of Jekyll, whose folders above `_posts` are categories.

    Args:
        template: The setting `permalink`.
        url: By the path, with the date as folders.
    """
    above, _, below = url.rpartition("/_posts/")
    *date, name = below.split("/")[-4:]
    if day := _DAY.match(str(front.get("date", ""))):
        date = [part.zfill(2) for part in day.groups()]
    categories = front.get("categories", "")
    names = [*above.split("/"), _text(front, "category")]
    names += map(str, categories) if isinstance(categories, list) else str(categories).split()
    title = _text(front, "slug") or name
    values = dict(zip(("year", "month", "day"), date, strict=True)) | {"title": title, "slug": title}
    values["categories"] = "/".join(filter(None, names)).lower()
    for stated in (_text(front, "permalink"), template, _POST):
        address = _PLACEHOLDER.sub(lambda match: values[match[1]], stated)
        if address and ":" not in address:
            break
    return address


def _text(front: FrontMatter, key: str) -> str:
    value = front.get(key, "")
    return value.strip() if isinstance(value, str) else ""
