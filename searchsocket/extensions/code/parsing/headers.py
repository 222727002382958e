"""The language of a header `.h`, from its text: C, C++ or Objective-C.

The text alone decides, not the files beside it, so that a header has one language however an index was updated.
"""

import re

_NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"|^[ \t]*\#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*)__cplusplus.{0,4000}?^[ \t]*\#[ \t]*(?:endif|else)",
    re.DOTALL | re.MULTILINE,
)
_OBJECTIVE_C = re.compile(r"^[ \t]*@(?:interface|protocol|class)\b|^[ \t]*\#[ \t]*import\b", re.MULTILINE)
_CPP = re.compile(
    r"""^[ \t]*(?:
        (?:class|friend|explicit|virtual|typename|consteval|constinit)[ \t]+[A-Za-z_]
        | template[ \t]*< | (?:inline[ \t]+)?namespace\b[^;=()]{0,200}\{ | using[ \t]+\w | enum[ \t]+(?:class|struct)\b
        | (?:public|private|protected)[ \t]*(?:slots|Q_SLOTS)?[ \t]*:
        | \#[ \t]*include[ \t]*<\w+>
    )
    | \w[ \t]*::[ \t]*[~\w] | \bstruct[ \t]+(?:\w+[ \t]+)?\w+[ \t]*(?:final[ \t]*)?:[ \t]*[A-Za-z_][^;]{0,500}\{
    | \b(?:static|dynamic|reinterpret|const)_cast[ \t]*< | \boperator[ \t]*(?:[-+*/%^&|~!=<>\[(,]|new\b|delete\b)
    | \)[ \t]*(?:const[ \t]*)?noexcept\b | =[ \t]*(?:default|delete)[ \t]*; | \bconst[ \t]+\w+[ \t]*&[ \t]*\w+[ \t]*[,)]
    """,
    re.MULTILINE | re.VERBOSE,
)
_MAX_CHARS = 500_000
LANGUAGES = ("c", "cpp", "objective-c")


def is_header(name: str) -> bool:
    """Return True if the name of a file does not tell in which of `LANGUAGES` it is."""
    return name.casefold().endswith(".h")


def header_language(text: str) -> str:
    """The language of a header."""
    code = _NO_CODE.sub(_lines, text[:_MAX_CHARS])
    if _OBJECTIVE_C.search(code):
        return "objective-c"
    return "cpp" if _CPP.search(code) else "c"


def _lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n") or " "
