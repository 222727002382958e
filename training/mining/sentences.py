"""What of a comment is worth a query: its first sentence, where that is English and says something."""

import re
from collections.abc import Iterable
from zlib import crc32

MIN_WORDS, MAX_CHARS = 3, 300
MAX_PASSAGE_CHARS = 1400

_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*:@\[(])|\n\s*\n")
_MARKUP = re.compile(r":\w+:(?=`)|``?|\*\*|<[^>]{1,60}>|\{@\w+\s+([^}]*)\}")
_WORD = re.compile(r"[A-Za-z]{2,}")


def first_sentence(comment: str) -> str | None:
    """The first sentence of a comment on one line without markup; None where it is too short, long or foreign."""
    text = _MARKUP.sub(lambda found: found[1] or "", comment.strip())
    sentence = " ".join(_END.split(text, maxsplit=1)[0].split())
    if not sentence.isascii() or len(sentence) > MAX_CHARS or len(_WORD.findall(sentence)) < MIN_WORDS:
        return None
    return sentence


def asked(sentence: str, language: str) -> str:
    """Half of the sentences as people type them, with the language's name, which then is no reason for any answer."""
    bare = sentence.rstrip(".")
    forms = (f"{language} {bare}", f"how to {bare} in {language}", f"{bare} {language}")
    choice = crc32(sentence.encode()) % (2 * len(forms))
    return forms[choice] if choice < len(forms) else sentence


def spaced(name: str) -> str:
    """`readLines` and `read_lines` as words."""
    return " ".join(part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name))


def trimmed(lines: Iterable[str]) -> str:
    """Lines as one passage, without empty ones, at most `MAX_PASSAGE_CHARS` long."""
    return "\n".join(line.rstrip() for line in lines if line.strip())[:MAX_PASSAGE_CHARS]
