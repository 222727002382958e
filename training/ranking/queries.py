"""Mine queries with the pages that answer them, by one rule per kind (README.md shows samples of each)."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.relevance.collection import Collection, Document, Query
from searchsocket.text.words import STOP_WORDS
from training.ranking.documents import Site

SEED = 11
_PER_PAGE = 3  # queries of one kind with the same answer
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,4})\s+(.+?)(?:\s*\{#[^}]*\})?\s*#*$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]{3,80})`")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>\n]*>|[`*]|\\(?=[_<>*\[\]])|\{[^}\n]*\}")
_WORD = re.compile(r"[A-Za-z][\w-]*")
_CALL = re.compile(r"^[\w$.]*[A-Za-z_]\w*\([^()]{1,40}\)$")
_TO = re.compile(r"(?:^|[.\n] |\n)(?:To|If you (?:want|need) to) ([a-z]+ [^,.\n]{8,70}),", re.MULTILINE)
_GERUND = re.compile(r"^([A-Z][a-z]+?)(?:([bdgmnprt])\2)?ing ([\w` .-]{3,60})$")
_ERROR = re.compile(
    r"^.{0,40}?((?:[A-Z]\w*(?:Error|Exception)\b|[Ee]rror\b|ERROR\b|[Cc]annot |[Cc]ould not |[Ff]ailed to |"
    r"[Uu]nable to |[Uu]nexpected |must (?:not )?be |is not (?:a |defined|allowed|found)).{12,110})$",
    re.MULTILINE,
)
_GENERIC = frozenset(
    ("parameters", "returns", "example", "examples", "see also", "usage", "overview", "introduction", "notes", "note",
     "installation", "license", "options", "contributing", "changelog", "references", "syntax", "remarks", "links",
     "resources", "summary", "details", "description", "here", "this", "docs", "documentation", "link", "guide",
     "read more", "learn more", "more", "see", "below", "above", "next", "previous", "this page", "this guide",
     "this section", "more information", "more details", "api reference", "default", "type", "next steps", "learn",
     "further reading", "edit", "home", "source", "try it", "view source", "up", "prev", "getting started")
)  # fmt: skip
# Other words for the same, as people use them; one of a query is replaced.
_OTHER = {
    "delete": "remove", "remove": "delete", "create": "make", "add": "insert", "start": "launch", "run": "execute",
    "stop": "kill", "change": "modify", "update": "change", "show": "display", "hide": "conceal", "get": "fetch",
    "use": "utilize", "configure": "set up", "install": "set up", "enable": "turn on", "disable": "turn off",
    "error": "problem", "errors": "problems", "function": "method", "method": "function", "folder": "directory",
    "directory": "folder", "list": "enumerate", "test": "check", "testing": "checking", "check": "verify",
    "build": "compile", "publish": "release", "deploy": "ship", "write": "author", "customize": "personalize",
    "custom": "own", "handle": "deal with", "handling": "dealing with", "skip": "ignore", "find": "locate",
    "multiple": "several", "performance": "speed", "convert": "transform", "option": "setting", "options": "settings",
    "settings": "options", "configuration": "settings", "table": "relation", "limit": "restrict", "secure": "protect",
}  # fmt: skip
# How many queries of a kind a site gives at most: in the shares in which such things are asked, not found.
MOST = {
    "anchor": 110, "sentence": 40, "description": 30, "title": 15, "heading": 40, "task": 50, "error": 15,
    "one word": 25, "two words": 30, "versus": 10, "in": 15, "call": 15, "other word": 20,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mined:
    """A query with the pages that answer it."""

    text: str
    targets: tuple[str, ...]
    sources: tuple[str, ...] = ()  # pages that say the query themselves: they are left out of its ranking


def mined(site: Site) -> Collection:
    """The site as a collection, with queries of every kind."""
    queries: list[Query] = []
    grades: dict[str, dict[str, int]] = {}
    seen: set[str] = set()
    for kind, rule in RULES.items():
        lot = random.Random(f"{SEED} {site.name} {kind}")
        unique = {one.text.casefold(): one for one in rule(site, lot)}
        per_page: Counter[str] = Counter()
        chosen = sorted(unique.values(), key=lambda one: one.text)
        lot.shuffle(chosen)
        for one in chosen:
            text = " ".join(one.text.split())
            if text.casefold() in seen or not text.isascii() or per_page[one.targets[0]] >= _PER_PAGE:
                continue
            seen.add(text.casefold())
            per_page[one.targets[0]] += 1
            id_ = f"{kind}-{len(queries)}"
            queries.append(Query(id_, text, kind, frozenset(one.sources).difference(one.targets)))
            grades[id_] = dict.fromkeys(one.targets, 1)
            if per_page.total() >= MOST[kind]:
                break
    return Collection(site.name, site.documents, tuple(queries), grades)


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(lambda found: found[1] or "", text).split()).strip(" :.")


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.lower() not in STOP_WORDS and len(word) > 1]


def _headings(document: Document) -> list[str]:
    masked = _FENCED.sub("", document.text)
    names = (_plain(found[2]) for found in _HEADING.finditer(masked))
    return [name for name in names if name and name.lower() not in _GENERIC and len(name) < 80]


def _named(site: Site) -> dict[str, set[str]]:
    """The pages of each title or heading."""
    pages: dict[str, set[str]] = defaultdict(set)
    for document in site.documents:
        for name in {document.title, *_headings(document)}:
            pages[name.casefold()].add(document.id)
    return pages


def _anchors(site: Site, _: random.Random) -> Iterator[Mined]:
    """The text of a link to the page: of one to ten words."""
    by_text: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for link in site.links:
        text = _plain(link.text)
        if text.lower() not in _GENERIC and 1 <= len(text.split()) <= 10 and _content(text) and "/" not in text:
            by_text[text].add((link.target, link.source))
    for text, pairs in by_text.items():
        targets = {target for target, _ in pairs}
        sources = {source for _, source in pairs}
        # What half of the site links to with this text is its navigation.
        if len(targets) == 1 and len(sources) <= 8:
            yield Mined(text, tuple(targets), tuple(sorted(sources)))


def _sentences(site: Site, _: random.Random) -> Iterator[Mined]:
    """The sentence around a link, without the link's text."""
    for link in site.links:
        before, _, rest = link.sentence.partition("¦")
        text = _plain(f"{before} {rest.partition('¦')[2]}")
        text = re.sub(r"(?i)\b(please|see( also)?|refer to|read|check out|for (more|further) \w+|the)\b", " ", text)
        text = " ".join(re.sub(r"[^\w\s.'$-]", " ", text).strip(" -.*").split())
        if 4 <= len(_content(text)) <= 12 and len(text) < 110:
            yield Mined(text, (link.target,), (link.source,))


def _descriptions(site: Site, _: random.Random) -> Iterator[Mined]:
    """The description that a page states outside its text."""
    for id_, text in site.descriptions.items():
        if 3 <= len(_content(text)) <= 14:
            yield Mined(text.strip("."), (id_,))


def _titles(site: Site, _: random.Random) -> Iterator[Mined]:
    """The title of one page, half of them in lower case."""
    counts = Counter(document.title.casefold() for document in site.documents)
    for number, document in enumerate(site.documents):
        title = _plain(document.title)
        if counts[document.title.casefold()] == 1 and _content(title):
            yield Mined(title.lower() if number % 2 else title, (document.id,))


def _section_names(site: Site, _: random.Random) -> Iterator[Mined]:
    """A heading of one page."""
    for name, pages in sorted(_named(site).items()):
        if len(pages) == 1 and 1 <= len(name.split()) <= 8 and _content(name):
            yield Mined(name, tuple(pages))


def _tasks(site: Site, lot: random.Random) -> Iterator[Mined]:
    """What to do: "To do X, ..." in a text, or a heading "Doing X"."""
    found: dict[str, set[str]] = defaultdict(set)
    words = Counter(word.lower() for document in site.documents for word in _WORD.findall(document.text))
    for document in site.documents:
        prose = _plain_lines(document.text)
        for match in _TO.finditer(prose):
            found[_plain(match[1])].add(document.id)
        for name in _headings(document):
            gerund = _GERUND.match(name)
            if gerund:
                found[f"{_verb(gerund[1].lower(), gerund[2] or '', words)} {gerund[3]}"].add(document.id)
    for text, pages in sorted(found.items()):
        if len(pages) == 1 and 2 <= len(_content(text)) <= 9:
            yield Mined(lot.choice(("{}", "how to {}", "how do I {}", "{}")).format(text), tuple(pages))


def _verb(stem: str, doubled: str, words: Counter[str]) -> str:
    """The verb of a gerund, as the site says it: `use` of `using`, `run` of `running`."""
    return max((stem, f"{stem}e", f"{stem}{doubled}"), key=lambda verb: words[verb])


def _plain_lines(text: str) -> str:
    return "\n".join(_plain_line(line) for line in _FENCED.sub("", text).split("\n"))


def _plain_line(line: str) -> str:
    return _MARKUP.sub(lambda found: found[1] or "", line).strip(" -*>")


def _errors(site: Site, _: random.Random) -> Iterator[Mined]:
    """A message of an error, as it is pasted: from code, or between backticks."""
    found: dict[str, set[str]] = defaultdict(set)
    for document in site.documents:
        codes = [match[0] for match in _FENCED.finditer(document.text)] + _CODE.findall(document.text)
        for code in codes:
            for match in _ERROR.finditer(code):
                line = match[1].strip()
                if not re.search(r"[{};]|=>|\(\"|[\"')]$|\bif\b|\bthrow\b|\bnew\b|//|\breturn\b|console|\(\s*$", line):
                    found[line].add(document.id)
    for text, pages in found.items():
        if len(pages) <= 2 and len(_content(text)) >= 3:
            yield Mined(text, tuple(sorted(pages)))


def _single_words(site: Site, _: random.Random) -> Iterator[Mined]:
    """A word or identifier that one page has in its names, and says most often of at least three."""
    named: dict[str, set[str]] = defaultdict(set)
    for document in site.documents:
        for name in (document.title, *_headings(document)):
            for word in set(_content(name)):
                named[word.lower()].add(document.id)
    texts = {document.id: Counter(map(str.lower, _WORD.findall(document.text))) for document in site.documents}
    pages_with = Counter(word for words in texts.values() for word in words)
    most: dict[str, int] = {}
    for words in texts.values():
        for word, count in words.items():
            most[word] = max(most.get(word, 0), count)
    for word, pages in sorted(named.items()):
        if len(pages) == 1 and len(word) > 2 and pages_with[word] >= 3:
            [page] = pages
            if texts[page][word] == most[word]:
                yield Mined(word, (page,))


def _two_words(site: Site, lot: random.Random) -> Iterator[Mined]:
    """The rarest word of a title and the rarest of a heading below it, in any order."""
    counts = Counter(word for document in site.documents for word in set(map(str.lower, _content(document.text))))
    for document in site.documents:
        title = {word.lower() for word in _content(document.title) if len(word) > 2}
        for heading in _headings(document):
            below = {word.lower() for word in _content(heading) if len(word) > 2} - title
            if title and below:
                pair = [min(sorted(words), key=lambda word: counts[word]) for words in (title, below)]
                if max(counts[word] for word in pair) < max(len(site.documents) / 2, 5):
                    lot.shuffle(pair)
                    yield Mined(" ".join(pair), (document.id,))


def _versus(site: Site, lot: random.Random) -> Iterator[Mined]:
    """Two pages of one folder."""
    folders: dict[str, list[Document]] = defaultdict(list)
    for document in site.documents:
        if len(document.title.split()) <= 2 and _content(document.title):
            folders[document.id.rpartition("/")[0]].append(document)
    for pages in folders.values():
        for _ in range(min(len(pages) - 1, 6)):
            one, other = lot.sample(pages, 2)
            form = lot.choice(("{} vs {}", "{} versus {}", "difference between {} and {}", "{} or {}"))
            yield Mined(form.format(_plain(one.title), _plain(other.title)), (one.id, other.id))


def _inside(site: Site, lot: random.Random) -> Iterator[Mined]:
    """A heading in its page: "X in Y"."""
    for document in site.documents:
        for heading in _headings(document):
            if heading.casefold() != document.title.casefold() and len(heading.split()) <= 4 and _content(heading):
                form = lot.choice(("{} in {}", "{} {}", "{1} {0}"))
                yield Mined(form.format(heading, _plain(document.title)), (document.id,))


def _calls(site: Site, _: random.Random) -> Iterator[Mined]:
    """A call with its arguments, of what one page has in its names."""
    named = _named(site)
    for document in site.documents:
        for call in _CODE.findall(document.text):
            name = call.partition("(")[0]
            pages = named.get(f"{name}()".casefold(), set()) | named.get(name.casefold(), set())
            if _CALL.match(call) and len(pages) == 1 and len(name) > 2:
                yield Mined(call, tuple(pages), (document.id,))


def _other_words(site: Site, lot: random.Random) -> Iterator[Mined]:
    """A link's text, a task or a heading with another word for one of its words."""
    for rule in (_anchors, _tasks, _section_names):
        for one in rule(site, lot):
            words = one.text.split()
            places = [at for at, word in enumerate(words) if word.lower() in _OTHER]
            if places and len(words) >= 3:
                at = lot.choice(places)
                words[at] = _OTHER[words[at].lower()]
                yield Mined(" ".join(words), one.targets, one.sources)


RULES: dict[str, Callable[[Site, random.Random], Iterator[Mined]]] = {
    "anchor": _anchors,
    "sentence": _sentences,
    "description": _descriptions,
    "title": _titles,
    "heading": _section_names,
    "task": _tasks,
    "error": _errors,
    "one word": _single_words,
    "two words": _two_words,
    "versus": _versus,
    "in": _inside,
    "call": _calls,
    "other word": _other_words,
}
