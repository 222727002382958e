"""Languages: names of folders that may be one, the language of every page of a site, and its translations."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from searchsocket.errors import InvalidRequest
from searchsocket.text.late_pattern import LatePattern
from searchsocket.web.urls.paths import canonical_path, page_path

_REGION = re.compile(r"([a-z]{2})[-_]([a-z]{2}|hans|hant|latn|cyrl|419)")
_ISO_639_1 = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv "
    "ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne "
    "ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st "
    "su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
_CODES = frozenset(_ISO_639_1.split())
# Codes that mean nothing else in URLs of software documentation, unlike `it`, `id`, `cs` and `ts`.
_DISTINCT_NAMES = (
    "ar bg bn ca da de el en es et eu fa fi fr gl he hr hu hy ja ka kk ko lt lv mk mn nb nl nn pl pt ro ru sk sq sr sv "
    "th tr ur uz zh"
)
_DISTINCT = frozenset(_DISTINCT_NAMES.split())
ORIGINAL = "@original"
_PREFIX = f"{ORIGINAL}="
# The first matching script decides: Japanese has kana among its Han characters.
_SCRIPTS = tuple(
    (LatePattern(f"[{ranges}]"), frozenset(languages.split()))
    for ranges, languages in (
        ("\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f", "ja"),
        ("\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3", "ko"),
        ("\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f", "zh ja"),
        ("\u0400-\u052f", "be bg kk ky mk mn ru sr tg uk"),
        ("\u0600-\u06ff\u0750-\u077f", "ar fa ku ps ur"),
        ("\u0590-\u05ff", "he yi"),
        ("\u0370-\u03ff\u1f00-\u1fff", "el"),
        ("\u0e00-\u0e7f", "th"),
        ("\u0900-\u097f", "hi mr ne"),
        ("\u0980-\u09ff", "as bn"),
        ("\u0b80-\u0bff", "ta"),
        ("\u0a00-\u0a7f", "pa"),
        ("\u0a80-\u0aff", "gu"),
        ("\u0b00-\u0b7f", "or"),
        ("\u0c00-\u0c7f", "te"),
        ("\u0c80-\u0cff", "kn"),
        ("\u0d00-\u0d7f", "ml"),
        ("\u0d80-\u0dff", "si"),
        ("\u0e80-\u0eff", "lo"),
        ("\u0f00-\u0fff", "bo dz"),
        ("\u1000-\u109f", "my"),
        ("\u1200-\u139f", "am ti"),
        ("\u1780-\u17ff", "km"),
        ("\u0780-\u07bf", "dv"),
        ("\u10a0-\u10ff", "ka"),
        ("\u0530-\u058f", "hy"),
    )
)
_OTHER_SCRIPTS = frozenset().union(*(languages for _, languages in _SCRIPTS))

_SHARED = 0.5  # share of a folder's pages that must also exist in another language
_DEPTH = 2  # leading path segments that can be a language: `/de`, `/docs/de`
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}")
_DEFAULT = "x-default"
MAX_ALTERNATES = 300  # a page with more is treated as having none


def language_of_name(name: str) -> str:
    """The language tag of a folder name, such as `pt-BR` for `pt-br`; "" if the name is not a language."""
    name = name.lower()
    if name in _CODES:
        return name
    match = _REGION.fullmatch(name)
    if match is None or match[1] not in _CODES:
        return ""
    return f"{match[1]}-{match[2].title() if len(match[2]) == 4 else match[2].upper()}"


def is_distinct(language: str) -> bool:
    """Return True if a folder with this name is almost always a language."""
    return language in _DISTINCT or "-" in language


def is_same_language(first: str, second: str) -> bool:
    """Return True if two tags name first language, regardless of their regions."""
    return first.lower().replace("_", "-").partition("-")[0] == second.lower().replace("_", "-").partition("-")[0]


def original_label(url: str) -> str:
    """The label of a page and of its translations."""
    return f"{_PREFIX}{url}"


def original_of(labels: Iterable[str]) -> str:
    """The URL of the original that the labels of a page name; "" if the page has no translation."""
    return next((label.removeprefix(_PREFIX) for label in labels if label.startswith(_PREFIX)), "")


def can_be_in(text: str, language: str) -> bool:
    """Return True if a language is written in the script of a text. Unknown scripts count as Latin.

    Args:
        language: A tag, such as `pt-BR`; "" = no language.
    """
    code = language.lower().replace("_", "-").partition("-")[0]
    scripts = () if text.isascii() else _SCRIPTS
    languages = next((languages for script, languages in scripts if script.search(text)), None)
    return bool(code) and (code not in _OTHER_SCRIPTS if languages is None else code in languages)


class Alternates(NamedTuple):
    """The language of a page, and the group of its translations."""

    language: str = ""  # of the page
    group: str = ""  # equal for a page and its translations; "" if it has none
    is_default: bool = False  # the page is `x-default`, for visitors with other languages


NO_ALTERNATES = Alternates()


def read_alternates(links: Sequence[tuple[str, str]], url: str, served_url: str) -> Alternates:
    """Read the language of a page, and its translation group, from its `hreflang` links.

    Links are ignored unless one of them leads to the page itself: some sites link to all start pages everywhere.

    Args:
        links: `hreflang` and `href` of each link; a path may include the base path, which `url` does not.
    """
    if not links or len(links) > MAX_ALTERNATES:
        return NO_ALTERNATES
    distinct = {(language.strip().replace("_", "-"), _path(href, served_url)) for language, href in links}
    languages = {(language, path) for language, path in distinct if path and _LANGUAGE.fullmatch(language)}
    path = _own_path(url, languages)
    own = sorted((language for language, other in languages if other == path), key=lambda tag: (len(tag), tag))
    # `en` and `en-US` may lead to the same page. If `en` and `de` do, only their hosts differ, which is no help here.
    if not own or not all(is_same_language(own[0], other) for other in own):
        return NO_ALTERNATES
    paths = sorted({other for _, other in languages})
    group = hashlib.sha256("\n".join(paths).encode("utf-8", "replace")).hexdigest()[:16] if len(paths) > 1 else ""
    return Alternates(own[0], group, (_DEFAULT, path) in {(language.lower(), other) for language, other in distinct})


def _path(href: str, served_url: str) -> str:
    """The page path of a link; "" if it has none."""
    try:
        path = urlsplit(urljoin(served_url, href.strip())).path or "/"
        return page_path(canonical_path(path)) if path.startswith("/") else ""
    except (ValueError, InvalidRequest):
        return ""


def _own_path(url: str, languages: Iterable[tuple[str, str]]) -> str:
    """The path that leads to the page itself, with any base path; "" if there is none."""
    tail = url if url != "/" else ""
    paths = [path for language, path in languages if _is_own(path.rstrip("/"), tail, language)]
    return min(paths, key=lambda path: (len(path), path), default="")


def _is_own(path: str, tail: str, language: str) -> bool:
    if not path.endswith(tail):
        return False
    base = path[: len(path) - len(tail)]
    names = (language_of_name(part) for part in base.split("/"))
    return not any(name and is_same_language(name, language) for name in names)


class LanguagePage(NamedTuple):
    """Facts about one page that detection uses."""

    url: str
    stated: str = ""  # language that the page states itself
    alternates: Alternates = NO_ALTERNATES


class PageLanguage(NamedTuple):
    """Decision about one page."""

    language: str  # "" = unknown
    original: str = ""  # URL of the same page in the site's default language


@dataclass(slots=True)
class _Folder:
    """A folder with the name of a language: its pages by their path below it."""

    language: str
    pages: dict[str, str] = field(default_factory=dict)  # path below the folder -> URL
    stated: Counter[str] = field(default_factory=Counter)  # languages that its pages state

    def is_stated(self) -> bool:
        """Return True if most pages with a stated language state the one in the folder's name."""
        total = self.stated.total()
        same = sum(count for language, count in self.stated.items() if is_same_language(language, self.language))
        return total > 0 and same * 2 > total

    def is_contradicted(self) -> bool:
        """Return True if its pages state another language."""
        return self.stated.total() > 0 and not self.is_stated()

    def mirrors(self, paths: Mapping[str, str]) -> bool:
        """Return True if most of its pages also exist among `paths`; the start page alone is not enough."""
        shared = [path for path in self.pages if path in paths]
        return any(shared) and len(shared) >= _SHARED * len(self.pages)


@dataclass(slots=True)
class _Family:
    """The language folders of one parent."""

    parent: str
    folders: dict[str, _Folder] = field(default_factory=dict)  # by name
    root: dict[str, str] = field(default_factory=dict)  # pages beside them: path below the parent -> URL


def page_languages(pages: Sequence[LanguagePage]) -> dict[str, PageLanguage]:
    """The language and the original of each page, by URL.

    A page has the language that it states, else that of its `hreflang` links, otherwise that of its folder.
    """
    families = [family for family in _families(pages) if _keep_languages(family)]
    folder_of: dict[str, _Folder] = {}
    for folder in (folder for family in families for folder in family.folders.values()):
        for url in folder.pages.values():
            folder_of.setdefault(url, folder)
    languages = {}
    for page in pages:
        folder_language = folder_of[page.url].language if page.url in folder_of else ""
        languages[page.url] = page.stated or page.alternates.language or folder_language
    originals = _originals(pages, families, languages)
    return {url: PageLanguage(language, originals.get(url, "")) for url, language in languages.items()}


def _families(pages: Sequence[LanguagePage]) -> list[_Family]:
    """Candidates: all folders with the name of a language, grouped by their parents, outermost first."""
    families: dict[str, _Family] = {}
    for page in pages:
        for parent, name, path in _splits(page.url):
            if language := language_of_name(name):
                family = families.setdefault(parent, _Family(parent))
                folder = family.folders.setdefault(name, _Folder(language))
                folder.pages[path] = page.url
                if stated := page.stated or page.alternates.language:
                    folder.stated[stated] += 1
    for page in pages:
        first = next((f"{parent}/{name}" for parent, name, _ in _splits(page.url)), "")
        for parent in dict.fromkeys(("", first)):
            around, path = families.get(parent), page.url[len(parent) :]
            if around and path[1:].partition("/")[0] not in around.folders:
                around.root["" if path == "/" else path] = page.url
    return [families[parent] for parent in sorted(families)]


def _splits(url: str) -> Iterator[tuple[str, str, str]]:
    """Yield the possible splits of a URL into (parent, folder name, path below it)."""
    start = 0
    for _ in range(_DEPTH):
        if start >= len(url):
            return
        end = url.find("/", start + 1)
        end = len(url) if end < 0 else end
        yield url[:start], url[start + 1 : end], url[end:]
        start = end


def _keep_languages(family: _Family) -> bool:
    """Drop the folders that are not languages; return False if none is left."""
    folders = {name: folder for name, folder in family.folders.items() if not folder.is_contradicted()}
    stated = {name for name, folder in folders.items() if folder.is_stated()}
    distinct = {name for name, folder in folders.items() if is_distinct(folder.language)}
    is_certain = bool(stated) or len({folders[name].language for name in distinct}) > 1
    mirrored = {name for name in distinct if folders[name].mirrors(family.root)}
    languages = stated | (distinct if is_certain else mirrored)
    # `it` or `cs` is a language only next to other languages with the same pages.
    paths = {path: url for name in languages for path, url in folders[name].pages.items()} | family.root
    if languages:
        languages |= {name for name in folders.keys() - languages if folders[name].mirrors(paths)}
    for name in family.folders.keys() - languages:
        family.root |= {f"/{name}{path}": url for path, url in family.folders[name].pages.items()}
    family.folders = {name: family.folders[name] for name in sorted(languages)}
    return bool(languages)


def _originals(
    pages: Sequence[LanguagePage], families: Sequence[_Family], languages: Mapping[str, str]
) -> dict[str, str]:
    """The original of each page that has translations."""
    by_hreflang: dict[str, list[LanguagePage]] = {}
    for page in pages:
        if page.alternates.group:
            by_hreflang.setdefault(page.alternates.group, []).append(page)
    counts = Counter(languages.values())

    def rank(url: str) -> tuple[int, str]:
        return -counts[languages[url]], url

    originals: dict[str, str] = {}
    for group in by_hreflang.values():
        if len(group) > 1:
            first = min(group, key=lambda page: (not page.alternates.is_default, *rank(page.url))).url
            originals |= {page.url: first for page in group}
    for family in families:
        by_path: dict[str, list[str]] = {}
        for folder in family.folders.values():
            for path, url in folder.pages.items():
                by_path.setdefault(path, []).append(url)
        for path, urls in by_path.items():
            root = family.root.get(path)
            urls = [url for url in ([root] if root else []) + urls if url not in originals]
            if len(urls) > 1:
                first = root if root in urls else min(urls, key=rank)
                originals |= dict.fromkeys(urls, str(first))
    return originals
