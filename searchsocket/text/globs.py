"""Patterns of `.gitignore` with git's exact meaning, compared in time linear in a path for each of their `*`.

Matching works on bytes, as in git: `?` is one byte. Wildcards become regular expressions with atomic groups: the first
position that fits the text between two `*` is as good as any later one, so no `*` is tried twice.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, hexdigits, punctuation

MAX_LINE_BYTES = 10_000
MAX_WILDCARDS = 5_000  # in one file, since each is compared with each path
_SPECIAL = re.compile(rb"[*?\[\\]")
_TOKEN = re.compile(rb"(?P<stars>\*+)|(?P<any>\?)|(?P<set>\[)|\\?(?P<plain>.)", re.DOTALL)
_AFTER_DEEP = re.compile(rb"\\?/|\Z")
# A member of `[...]`: a class such as [:digit:], or a character; and the end of a range after a character.
_MEMBER = re.compile(rb"\[:(?!\])(?P<name>[^\]]*):\]|(?!\[:[^\]]*\Z)\\?(?P<first>.)", re.DOTALL)
_RANGE = re.compile(rb"-(?!\])\\?(?P<last>.)", re.DOTALL)
_SLASH, _STAR = b"/", b"*"
_DEEP = {b"/": b"(?:.*?/)??", rb"\/": b".*?/", b"": b".*"}  # by what follows `**`
_LETTERS, _DIGITS, _PUNCTUATION = ascii_letters.encode(), digits.encode(), punctuation.encode()
_CLASSES = {
    b"alnum": _LETTERS + _DIGITS,
    b"alpha": _LETTERS,
    b"blank": b" \t",
    b"cntrl": bytes([*range(32), 127]),
    b"digit": _DIGITS,
    b"graph": _LETTERS + _DIGITS + _PUNCTUATION,
    b"lower": ascii_lowercase.encode(),
    b"print": _LETTERS + _DIGITS + _PUNCTUATION + b" ",
    b"punct": _PUNCTUATION,
    b"space": b" \t\n\r",
    b"upper": ascii_uppercase.encode(),
    b"xdigit": hexdigits.encode(),
}


@dataclass(slots=True)
class _Table:
    """Patterns by the way they are compared, each with its number."""

    names: dict[bytes, int] = field(default_factory=dict)  # last parts of paths
    paths: dict[bytes, int] = field(default_factory=dict)
    suffixes: dict[bytes, int] = field(default_factory=dict)  # of last parts: `*.py`
    lengths: set[int] = field(default_factory=set)  # of the suffixes
    wildcards: list[tuple[int, bool, re.Pattern[bytes]]] = field(default_factory=list)  # True: compared with the path

    def add(self, pattern: bytes, number: int, *, ignores_case: bool) -> None:
        """Add a pattern without `!` and without a slash at its end."""
        folded = pattern.lower() if ignores_case else pattern
        special = _SPECIAL.search(pattern)
        is_path = _SLASH in pattern
        if special is None:
            (self.paths if is_path else self.names)[folded.removeprefix(_SLASH)] = number
        elif not is_path and pattern.startswith(_STAR) and not _SPECIAL.search(pattern, 1):
            self.suffixes[folded[1:]] = number
            self.lengths.add(len(folded) - 1)
        else:
            # git compares the part of a path before the first wildcard separately: `a**/b` means `a`, then `**/b`.
            at = special.start() if is_path else 0
            if regex := _compiled(folded[:at].removeprefix(_SLASH), pattern[at:], ignores_case=ignores_case):
                self.wildcards.append((number, is_path, regex))

    def last(self, path: bytes) -> int:
        """The number of the last pattern that matches; -1 if none does."""
        name = path.rpartition(_SLASH)[2]
        best = max(self.names.get(name, -1), self.paths.get(path, -1))
        for length in self.lengths:
            if length <= len(name):
                best = max(best, self.suffixes.get(name[len(name) - length :], -1))
        for number, is_path, regex in reversed(self.wildcards):
            if number < best:
                break
            if regex.fullmatch(path if is_path else name):
                return number
        return best


class Patterns:
    """The patterns of an ignore file; the last one that matches decides."""

    def __init__(self, data: bytes, *, ignores_case: bool = False) -> None:
        """
        Args:
            data: The ignore file.
            ignores_case: Ignore the case of ASCII letters, as `core.ignoreCase` of git.

        Raises:
            ValueError: A line is too long, or there are too many patterns.
        """
        self.excludes: list[bool] = []  # of each pattern; False for one with `!`
        self._folders, self._files = _Table(), _Table()
        self._ignores_case = ignores_case
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if len(line) > MAX_LINE_BYTES:
                raise ValueError(f"line {number} has more than {MAX_LINE_BYTES:,} bytes")
            if line and not line.startswith(b"#"):
                self._add(_trimmed(line.removesuffix(b"\r").partition(b"\0")[0]))
        if len(self._folders.wildcards) > MAX_WILDCARDS:
            raise ValueError(f"it has more than {MAX_WILDCARDS:,} patterns with wildcards")

    def verdict(self, path: bytes) -> bool | None:
        """True if a path is ignored, False if `!` includes it again, None if no pattern matches.

        Args:
            path: Relative to the ignore file; the path of a folder ends with a slash. Folders above it do not count.
        """
        number = self._last(path)
        return self.excludes[number] if number >= 0 else None

    def selects(self, path: bytes) -> bool:
        """Return True if the last pattern that matches a file, or a folder above it, has no `!`."""
        ends = (match.end() for match in re.finditer(_SLASH, path))
        number = max(map(self._last, (*(path[:end] for end in ends), path)))
        return number >= 0 and self.excludes[number]

    def _last(self, path: bytes) -> int:
        path = path.lower() if self._ignores_case else path
        return self._folders.last(path[:-1]) if path.endswith(_SLASH) else self._files.last(path)

    def _add(self, pattern: bytes) -> None:
        is_excluding = not pattern.startswith(b"!")
        pattern = pattern if is_excluding else pattern[1:]
        tables = [self._folders] if pattern.endswith(_SLASH) else [self._folders, self._files]
        for table in tables:
            table.add(pattern.removesuffix(_SLASH), len(self.excludes), ignores_case=self._ignores_case)
        self.excludes.append(is_excluding)


def _trimmed(line: bytes) -> bytes:
    """Remove the blanks at the end, except an escaped one."""
    at = end = 0
    while at < len(line):
        is_escape = line[at : at + 1] == b"\\"
        at += 2 if is_escape else 1
        if is_escape or line[at - 1 : at] != b" ":
            end = at
    return line[:end]


@lru_cache(maxsize=10_000)
def _compiled(prefix: bytes, pattern: bytes, *, ignores_case: bool) -> re.Pattern[bytes] | None:
    """Return a regular expression for a path that starts with `prefix`; None if no path can match."""
    before, tokens = b"", list[bytes]()  # the last `**`, and the tokens after it
    regex, at = re.escape(prefix), 0
    while token := _TOKEN.match(pattern, at):
        start, at = at, token.end()
        if token["stars"]:
            after = _AFTER_DEEP.match(pattern, at)
            if after and at - start > 1 and (start == 0 or pattern[start - 1 : start] == _SLASH):
                regex += b"(?>%b)" % (before + _segments(tokens))
                before, tokens, at = _DEEP[after[0]], [], after.end()
            else:
                tokens.append(_STAR)
        elif token["set"]:
            bracket = _bracket(pattern, at, ignores_case=ignores_case)
            if bracket is None:
                return None
            characters, at = bracket
            tokens.append(characters)
        elif token[0] == b"\\":  # an escape of nothing
            return None
        elif token["any"]:
            tokens.append(b"[^/]")
        else:
            plain = token["plain"].lower() if ignores_case else token["plain"]
            tokens.append(_SLASH if plain == _SLASH else re.escape(plain))
    return re.compile(regex + before + _segments(tokens), re.DOTALL)


def _segments(tokens: list[bytes]) -> bytes:
    """Join tokens to a regular expression; `*` stays within one part of a path."""
    regex, texts = b"", [b""]  # texts: between the `*` of the current part
    for token in tokens:
        if token == _SLASH:
            regex += b"(?>%b/)" % _part(texts)
            texts = [b""]
        elif token == _STAR:
            texts.append(b"")
        else:
            texts[-1] += token
    return regex + _part(texts)


def _part(texts: list[bytes]) -> bytes:
    first, *others = texts
    *middle, last = others or [b""]
    return first + b"".join(b"(?>[^/]*?%b)" % text for text in middle) + (b"[^/]*" + last if others else b"")


def _bracket(pattern: bytes, at: int, *, ignores_case: bool) -> tuple[bytes, int] | None:
    """Return the bytes that `[...]` matches as a regular expression, and its end; None if it is not complete.

    Args:
        at: Position after the first bracket.
    """
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    at += is_negated
    members, first = set[int](), b""  # first: a character that may begin a range
    while not members or pattern[at : at + 1] != b"]":  # a bracket directly after the first one is a member
        item = (_RANGE if first else _MEMBER).match(pattern, at) or _MEMBER.match(pattern, at)
        if item is None or (item.lastgroup == "name" and item["name"] not in _CLASSES):
            return None
        at = item.end()
        if item.lastgroup == "name":
            members.update(_CLASSES[item["name"]])
            if ignores_case and item["name"] == b"upper":
                members.update(_CLASSES[b"lower"])
            first = b""
        elif item.lastgroup == "last":
            members.update(_range(first[0], item["last"][0], ignores_case=ignores_case))
            first = b""
        else:
            first = item["first"]
            members.add(first[0])
    if is_negated:
        members = set(range(256)) - members
    return _set_of(members - {_SLASH[0]}), at + 1


def _range(first: int, last: int, *, ignores_case: bool) -> set[int]:
    codes = set(range(first, last + 1))
    return codes | {code for code in _CLASSES[b"lower"] if code - 32 in codes} if ignores_case else codes


def _set_of(members: set[int]) -> bytes:
    outside = set(range(256)) - members
    if not members:
        return b"(?!)"
    is_short = len(members) <= len(outside)
    codes = b"".join(b"\\x%02x" % code for code in sorted(members if is_short else outside))
    return b"[%b]" % codes if is_short else b"[^%b]" % codes
