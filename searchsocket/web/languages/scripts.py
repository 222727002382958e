"""Decide from the script of a text if it can be in a given language."""

from searchsocket.text.late_pattern import LatePattern

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


def can_be_in(text: str, language: str) -> bool:
    """Return True if a language is written in the script of a text. Unknown scripts count as Latin.

    Args:
        language: A tag, such as `pt-BR`; "" = no language.
    """
    code = language.lower().replace("_", "-").partition("-")[0]
    scripts = () if text.isascii() else _SCRIPTS
    languages = next((languages for script, languages in scripts if script.search(text)), None)
    return bool(code) and (code not in _OTHER_SCRIPTS if languages is None else code in languages)
