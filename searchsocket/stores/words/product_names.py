"""Remove the names of the product from a query: nearly every page contains them, so they do not distinguish pages."""

import re
from collections.abc import Callable, Sequence

from searchsocket.text.hidden import storable
from searchsocket.text.words import BEFORE_NAMES, STOP_WORDS, fold, parse_query, stem

# The share of pages that contain a word: on three sites the product's name is on 93 to 99 %, "use" and "rule" on 95 %.
COMMON, COMMON_NAME = 0.97, 0.8
# Of a word in front of the name of a page or section, or behind it: an abbreviation, or a family of products.
_COMMON_IN_FRONT = 0.5
_MAX_WORDS = 20  # a name has little effect in a longer text
_MAX_NAME_WORDS = 3
WHOLE = 0.9  # of a name, see `WordSnapshot.named`
_SUBTITLE = re.compile(r"\s+[|·•—–»:-]\s+|:\s")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LETTERS = re.compile(r"[^\W\d_]+")
_POSSESSIVE = re.compile(r"['’]s$")
_NUMBER = r"v?(\d{1,4}(?:\.\d{1,4}){0,2}(?:[-.][a-z]+[-.]?\d+)?)"
_VERSION, _NAME_AND_VERSION = (re.compile(front + _NUMBER, re.IGNORECASE) for front in ("()", r"(.*?[^\W\d_])[-@]?"))
_SCRIPT = "js"  # many products of JavaScript are also called so: `vuejs`, `Vue.js`


def spellings_of(site_title: str) -> frozenset[str]:
    """Spellings of the product's name in the home page's title, folded, without `js`.

    The words together and alone, and their initials.
    """
    words = _WORD.findall(_CAMEL.sub(" ", _SUBTITLE.split(site_title, maxsplit=1)[0]))
    names = {"".join(words), *words, "".join(word[0] for word in words)}
    return frozenset(fold(name).removesuffix(_SCRIPT) for name in names if len(name) > 1) - {""}


class ProductNames:
    """The names of one site's product; safe to share between threads."""

    def __init__(
        self,
        site_title: str,
        share_of_pages: Callable[[str], float],
        named: Callable[[str], float],
        is_version: Callable[[str], bool],
        is_in_names: Callable[[str], bool],
    ) -> None:
        """
        Args:
            site_title: Of the home page.
            share_of_pages: Returns the share of pages that contain a word.
            named: Returns the share of a page's or section's name that a text covers from its start.
            is_version: Returns True if the site has a version, or the one before it.
            is_in_names: Returns True if a title or heading contains a word.
        """
        self._share_of_pages, self._named = share_of_pages, named
        self._is_version, self._is_in_names = is_version, is_in_names
        self._title_stems = frozenset(map(stem, _LETTERS.findall(fold(site_title))))
        self._spelled = spellings_of(site_title)

    def removed(self, text: str) -> str:
        """The text without the names of the product; unchanged if it is a name, or begins one.

        A number behind them is a version, and gets a `v`.
        """
        pieces = storable(text).split()
        if len(pieces) > _MAX_WORDS or parse_query(text).phrases:
            return text
        marked = self._with_versions(pieces)
        if self._named(text) >= (WHOLE if marked == pieces else 1):
            return text
        if rest := self._rest_that_is_a_name(marked):
            return rest
        if marked == pieces and self._named(text):
            return text
        return self._without_product(marked) or (text if marked == pieces else " ".join(marked))

    def _with_versions(self, pieces: Sequence[str]) -> list[str]:
        """The pieces, with `v3` for `Vue 3`, `vue3` and `vue@3`."""
        marked: list[str] = []
        for piece in pieces:
            match = _VERSION.fullmatch(piece) or _NAME_AND_VERSION.fullmatch(piece)
            name, number = match.groups() if match else ("", "")
            before = [name] if name else marked[-1:]
            if number and self._spells_product(before) and self._is_version(number):
                marked = [*(marked if name else marked[:-1]), f"v{number}"]
            else:
                marked.append(piece)
        return marked

    def _rest_that_is_a_name(self, pieces: Sequence[str]) -> str:
        """The name of a page or section that remains without other names around it; "" if there is none."""
        size = len(pieces)
        ends = [
            (first, last)
            for first in range(min(_MAX_NAME_WORDS, size - 1) + 1)
            for last in range(size, max(first, size - _MAX_NAME_WORDS - 1), -1)
            if self._has_product(pieces[:first], pieces[last:])
            and self._are_in_front(pieces[:first])
            and self._are_names(pieces[last:], self._is_name)
        ]
        for first, last in sorted(ends, key=lambda ends: ends[0] - ends[1]):
            plain = list(pieces[first:last])
            while plain and last < size and fold(plain[-1]) in STOP_WORDS:  # "slots in Vue"
                plain.pop()
            while plain and first and fold(plain[0]) in STOP_WORDS:  # "Vue with slots"
                plain.pop(0)
            for rest, least in ((pieces[first:last], 1.0), (plain, WHOLE)):
                if rest and not self._are_names(rest, self._is_product) and self._named(" ".join(rest)) >= least:
                    return " ".join(rest)
        return ""

    def _has_product(self, *ends: Sequence[str]) -> bool:
        """Return True if one of the ends of a text has a spelling of the product's name."""
        return any(self._is_product(end) or any(self._is_product([piece]) for piece in end) for end in ends)

    def _are_in_front(self, pieces: Sequence[str]) -> bool:
        """Return True for names of the product, also behind that of its vendor, which names nothing on the site."""
        if self._are_names(pieces, self._is_name):
            return True
        is_vendor = len(pieces) > 1 and not self._is_in_names(fold(pieces[0])) and fold(pieces[0]) not in BEFORE_NAMES
        return is_vendor and self._are_names(pieces[1:], self._is_product)

    def _are_names(self, pieces: Sequence[str], is_name: Callable[[Sequence[str]], bool]) -> bool:
        return not pieces or is_name(pieces) or all(is_name([piece]) for piece in pieces)

    def _is_name(self, pieces: Sequence[str]) -> bool:
        """Return True if the pieces are a spelling of the product's name, or one word of most pages."""
        name = _name_of(pieces)
        is_word = len(pieces) == 1 and len(name) > 1 and name not in BEFORE_NAMES
        return self._is_product(pieces) or (is_word and self._share_of_pages(name) > _COMMON_IN_FRONT)

    def _is_product(self, pieces: Sequence[str]) -> bool:
        """Return True if the pieces are a spelling of the product's name, or a word of nearly all pages."""
        is_common = len(pieces) == 1 and self._names_product(_name_of(pieces).removesuffix(_SCRIPT))
        return is_common or self._spells_product(pieces)

    def _spells_product(self, pieces: Sequence[str]) -> bool:
        """Return True if the pieces are the name in the home page's title, or its initials."""
        return _name_of(pieces).removesuffix(_SCRIPT) in self._spelled

    def _without_product(self, pieces: Sequence[str]) -> str:
        """The text without the words of nearly all pages; "" if it has none, or nothing else."""
        owners = [_POSSESSIVE.sub("", fold(piece)) for piece in pieces]
        words = [[word for word in _LETTERS.findall(owner) if word not in STOP_WORDS] for owner in owners]
        versions = {at for at, owner in enumerate(owners) if owner[:1] == "v" and _VERSION.fullmatch(owner)}
        versions = {at for at in versions if self._is_version(owners[at])}
        products = {
            at for at, own in enumerate(words) if at not in versions and own and all(map(self._names_product, own))
        }
        products = {
            at for at in products if not any(map(self._is_pair, (pieces[at : at + 2], pieces[at - 1 : at + 1])))
        }
        content = [at for at, own in enumerate(words) if at not in products and any(len(word) > 1 for word in own)]
        content += versions  # one of them alone is content, too: `Vue 3`
        if not products or not content:
            return ""
        ends = sorted({*content, *(at for at, owner in enumerate(owners) if any(map(str.isdigit, owner)))})
        first = 0 if 0 not in products else ends[0]  # "in Vue" is removed as a whole
        last = len(pieces) - 1 if len(pieces) - 1 not in products else ends[-1]
        return " ".join(pieces[at] for at in range(first, last + 1) if at not in products)

    def _names_product(self, word: str) -> bool:
        share = self._share_of_pages(word) if word and word not in STOP_WORDS else 0.0
        return share > (COMMON_NAME if stem(word) in self._title_stems else COMMON)

    def _is_pair(self, pieces: Sequence[str]) -> bool:
        """Return True if two words together are the name of a page or section, such as a command."""
        return len(pieces) > 1 and self._named(" ".join(pieces)) >= 1


def _name_of(pieces: Sequence[str]) -> str:
    """The letters of a name, folded, without what separates them."""
    return "".join(_LETTERS.findall(fold("".join(pieces))))
