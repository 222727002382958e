"""Read plain values from a JavaScript or TypeScript configuration file without executing it."""

import re
from typing import TypeAlias

# None = only executing the program would give the value.
Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"
OPEN = "..."  # marks an object that may have more keys or other values than written

# Each alternative consumes what it matches, so the time is linear in the length of the text.
_WORD = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\.|[^`\\])*`?
    |[\w$]+|\.\.\.|=>|.""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]?|[^/\\\[\n])*/?")
_BEFORE_REGEX = frozenset("([{,;=:?!&|+-*%<>~^") | {"=>", "return"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ENDS = frozenset(",;)]}") | {"", "export", "const", "let", "var", "import", "function", "class", "if", "for", "type"}
_QUOTES = ("'", '"', "`")
_MAX_DEPTH = 30


class Script:
    """The tokens of a JavaScript or TypeScript module, and the literal values in it."""

    def __init__(self, text: str) -> None:
        self._words = _words(text)
        self._constants = self._find_constants()
        self._constants_read: dict[str, Value] = {}
        self._depth = 0

    def names(self, module: str) -> bool:
        """Return True if the module imports `module`."""
        return any(word[1:-1] == module for word in self._words if word[0] in _QUOTES)

    def argument(self, function: str) -> Value:
        """The first argument of the only call of a function; {} if it has none; None if it is unknown."""
        starts = [i + 2 for i, word in enumerate(self._words) if word == function and self._at(i + 1) == "("]
        if len(starts) != 1:
            return None
        return {} if self._at(starts[0]) == ")" else self._value(starts[0])[0]

    def count(self, name: str) -> int:
        """The number of uses of a name in code, outside strings and comments."""
        return self._words.count(name)

    def sets(self, key: str) -> bool:
        """Return True if any object of the module has this key."""
        return any(word == key and self._at(i + 1) == ":" for i, word in enumerate(self._words))

    def default_export(self) -> Value:
        """The `default` export of the module, or the exports of a CommonJS module."""
        for i in range(len(self._words) - 1):
            if self._words[i : i + 2] == ["export", "default"]:
                return self._value(i + 2)[0]
            if self._words[i : i + 4] == ["module", ".", "exports", "="]:
                return self._value(i + 4)[0]
        return None

    def _at(self, i: int) -> str:
        return self._words[i] if i < len(self._words) else ""

    def _find_constants(self) -> dict[str, int]:
        """The start position of each constant's value."""
        constants, depth = {}, 0
        for i, word in enumerate(self._words):
            depth += (word in _CLOSING) - (word in _CLOSING.values())
            if word == "const" and depth == 0:
                at = i + 2
                while self._at(at) not in ("=", ";", "const", ""):  # a type may be in between
                    at += 1
                constants[self._at(i + 1)] = at + 1
        return constants

    def _constant(self, name: str) -> Value:
        if name not in self._constants_read:
            self._constants_read[name] = None  # while it is read, so that a cycle ends
            value = self._value(self._constants[name])[0] if name in self._constants else None
            self._constants_read[name] = None if isinstance(value, dict | list) and self._may_change(name) else value
        return self._constants_read[name]

    def _may_change(self, name: str) -> bool:
        """Return True if an object may be modified: `config.kit = ...`, `assign(config, ...)`."""
        uses = [i for i, word in enumerate(self._words) if word == name]
        return any(self._at(i + 1) in (".", "[") or self._at(i - 2) in ("assign", "push") for i in uses)

    def _value(self, i: int) -> tuple[Value, int]:
        """The value of an expression and the position of its end."""
        if self._depth > _MAX_DEPTH:
            return None, self._end(i)
        self._depth += 1
        value, after = self._operand(i)
        self._depth -= 1
        if self._at(after) in ("as", "satisfies"):
            return value, self._end(after)
        return (value, after) if self._at(after) in _ENDS else (None, self._end(after))

    def _operand(self, i: int) -> tuple[Value, int]:
        word = self._at(i)
        if word == "{":
            return self._object(i + 1)
        if word == "[":
            return self._list(i + 1)
        if word in ("(", "defineConfig"):
            value, after = self._value(i + 1 if word == "(" else i + 2)
            return value, self._end(after, ")") + 1
        return (_text(word) if word[:1] in _QUOTES else self._constant(word)), i + 1

    def _object(self, i: int) -> tuple[Value, int]:
        values: dict[str, Value] = {}
        while self._at(i) not in ("}", ""):
            key = self._at(i)
            if key == "...":
                value, i = self._value(i + 1)
                inner: dict[str, Value] = value if isinstance(value, dict) else {OPEN: None}
                values = inner if OPEN in inner else values | inner  # it may override any key before it
            elif key == "[":  # a computed key may be any key
                values, i = {OPEN: None}, self._end(i)
            elif self._at(i + 1) == ":":
                name = _text(key) if key[0] in _QUOTES else key
                values[OPEN if name is None else name], i = self._value(i + 2)
            elif self._at(i + 1) in (",", "}"):
                values[key], i = self._constant(key), i + 1
            else:  # a method
                is_modifier = key in ("get", "set", "async") and self._at(i + 1) != "("
                values[self._at(i + 1) if is_modifier else key], i = None, max(self._end(i), i + 1)
            i += self._at(i) == ","
        return values, i + 1

    def _list(self, i: int) -> tuple[Value, int]:
        values: list[Value] = []
        while self._at(i) not in ("]", ""):
            is_spread = self._at(i) == "..."
            value, i = self._value(i + is_spread)
            values += value if is_spread and isinstance(value, list) else [None if is_spread else value]
            i += self._at(i) == ","
        return values, i + 1

    def _end(self, i: int, ends: str = ",;)]}") -> int:
        """The end of the expression at `i`."""
        depth = 0
        while word := self._at(i):
            if depth == 0 and word in ends:
                break
            depth += (word in _CLOSING) - (word in _CLOSING.values())
            i += 1
        return i


def setting(value: Value, *keys: str, default: Value) -> Value:
    """The value under nested keys; `default` if there is none, None if it cannot be determined."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        if key not in value:
            return None if OPEN in value else default
        value = value[key]
    return value


def _words(text: str) -> list[str]:
    words: list[str] = []
    at = 0
    while at < len(text):
        is_regex = text[at] == "/" and text[at + 1 : at + 2] not in ("/", "*") and words and words[-1] in _BEFORE_REGEX
        match = (_REGEX if is_regex else _WORD).match(text, at)
        assert match is not None
        if is_regex or match["space"] is None:
            words.append(match[0])
        at = match.end()
    return words


def _text(word: str) -> str | None:
    """A plain string literal: complete, on one line, without escapes and computed parts; otherwise None."""
    is_whole = len(word) > 1 and word[-1] == word[0]
    return None if not is_whole or "\\" in word or (word[0] == "`" and "${" in word) else word[1:-1]
