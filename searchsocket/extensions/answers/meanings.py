"""Words that mean the same, and words that mean the opposite."""

from collections.abc import Mapping
from functools import cache, lru_cache

from searchsocket.models.embedders.builtin import word_vector
from searchsocket.text.words import STOP_WORDS, index_words

_SAME_MEANING = 0.62  # cosine of two words
_OPPOSITES = (
    "enable disable, enabled disabled, on off, true false, before after, above below, more less, most least, "
    "maximum minimum, max min, larger smaller, increase decrease, increases decreases, required optional, always "
    "never, first last, start stop, starts stops, start end, starts ends, allow refuse, allows refuses, allow "
    "deny, allows denies, accept reject, accepts rejects, accepted rejected, include exclude, includes excludes, "
    "included excluded, add remove, adds removes, added removed, create delete, creates deletes, open close, "
    "opens closes, public private, local remote, read write, reads writes, faster slower, newer older, newest "
    "oldest, synchronous asynchronous, client server, input output, left right, top bottom, inside outside, with "
    "without, ascending descending, mutable immutable, safe unsafe, everyone nobody, all none, all some, every "
    "some, only also, old new, higher lower, highest lowest, longer shorter, longest shortest, up down, internal "
    "external, visible hidden, upload download, horizontal vertical, positive negative, push pull, install "
    "uninstall, load unload, lock unlock, mount unmount, valid invalid, known unknown, succeed fail, succeeds "
    "fails, show hide, shows hides, supported unsupported, recommended discouraged, absolute relative, global "
    "local"
)
_SAME_LISTS = (
    "show display print list", "delete remove", "return give", "need require", "check verify validate",
    "start begin launch", "read load parse", "store save write", "create make generate", "find locate",
    "change modify edit update", "stop end finish", "configure set", "get obtain receive", "contain include",
    "folder directory", "run execute", "every each all", "maximum max most", "minimum min least", "large big",
    "fast quick", "error failure", "allow permit", "website site", "request ask", "keep retain", "respond answer",
    "pick choose select", "also too", "build compile", "join merge combine", "skip ignore", "send transmit",
    "per each", "otherwise else", "sent send", "kept keep", "written write", "built build", "found find", "made make",
    "chosen choose", "shown show", "given give", "taken take", "held hold", "left leave", "lost lose", "begun begin",
    "known know", "done do", "gone go", "bought buy", "brought bring", "caught catch", "drawn draw", "driven drive",
    "broken break", "hidden hide", "paid pay", "said say", "sold sell", "spoken speak", "split splitting", "told tell",
    "understood understand", "won win", "ran run", "set setting", "cut cutting", "met meet", "read reading",
    "use take employ utilize apply", "about approximately", "kind type", "newer later", "older earlier",
    "wrong incorrect",
)  # fmt: skip


@lru_cache(maxsize=100_000)  # models choose the words
def is_similar(word: str, other: str) -> bool:
    """Return True if two words mean about the same."""
    if _same_words().get(forms_of(word), set()) & _same_words().get(forms_of(other), set()):
        return True
    if not (other.isascii() and other.isalpha() and len(other) > 2) or other in STOP_WORDS:
        return False
    if other in opposites().get(word, ()):
        return False
    return float(word_vector(word)[0] @ word_vector(other)[0]) >= _SAME_MEANING


@lru_cache(maxsize=20_000)
def forms_of(word: str) -> frozenset[str]:
    """Return the forms of a word that are indexed."""
    return frozenset(index_words(word))


@cache
def _same_words() -> Mapping[frozenset[str], set[int]]:
    """Numbers of the lists that have a word, by its stem."""
    numbers: dict[frozenset[str], set[int]] = {}
    for number, words in enumerate(_SAME_LISTS):
        for word in words.split():
            numbers.setdefault(forms_of(word), set()).add(number)
    return numbers


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    """Return the opposites of each word that has one."""
    pairs = [tuple(pair.split()) for pair in _OPPOSITES.split(", ")]
    both = [*pairs, *((b, a) for a, b in pairs)]
    return {word: frozenset(b for a, b in both if a == word) for word, _ in both}
