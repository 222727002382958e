"""Names of folders that may be languages."""

import re

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
