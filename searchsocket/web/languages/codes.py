"""Languages: names of folders that may be one, the label of translations, and the script of a text."""

import re
from collections.abc import Iterable

from searchsocket.text.late_pattern import LatePattern

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
