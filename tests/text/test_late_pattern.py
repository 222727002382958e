"""Patterns that wait until they are used."""

import re
import subprocess
import sys

from searchsocket.text.late_pattern import LatePattern


def test_it_finds_what_the_compiled_one_finds() -> None:
    late, compiled = LatePattern("[b-d]+"), re.compile("[b-d]+")
    for text in ("abcde", "", "xyz", "b", "abab"):
        assert late.findall(text) == compiled.findall(text)
        for method in ("search", "match", "fullmatch"):
            result, expected = getattr(late, method)(text), getattr(compiled, method)(text)
            assert (result and result.span()) == (expected and expected.span())


def test_classes_of_whole_scripts_are_not_compiled_for_ascii() -> None:
    """Five of them took 10 of the 250 ms of a query of the shell."""
    program = (
        "import re\n"
        "from re import _compiler as compiler\n"
        "compiled, compile_ = [], compiler.compile\n"
        "compiler.compile = lambda pattern, flags=0: (compiled.append(pattern), compile_(pattern, flags))[1]\n"
        "import searchsocket.search.quoting.marks as marks, searchsocket.text.words as words\n"
        "from searchsocket.models.embedders.builtin import Tokens\n"
        "words.parse_query('mooring ropes'); words.index_words('Mooring useState'); Tokens(['rope']).ids('a rope')\n"
        "marks.QueryWords('mooring ropes').marks('Ropes of a mooring.')\n"
        "print(any('u4e00' in str(pattern) or '\\u4e00' in str(pattern) for pattern in compiled))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
