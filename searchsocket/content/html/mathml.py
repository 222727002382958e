"""Write MathML as a line of text that keeps the structure of the formula: `x^2 + y_1`, `(a+b)/2`, `sqrt(z)`."""

import re
from collections.abc import Callable

from searchsocket.content.html.tree import Element, clean_text, raw_text

_MAX_DEPTH = 40
_MAX_CHARS = 4_000
_ATOM = re.compile(r"[\w.,'′∞]*|\\?\w+\([^()]*\)|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|\|[^|]*\|")
_SIGN = re.compile(r" ([^\w\s]) ")
_SPACED = frozenset("=<>≤≥≠≈≡∼≃≅∈∉⊂⊆⊃⊇∪∩→←↔⇒⇐⇔↦∧∨±∓×÷·∝∣+-−")
_HIDDEN_SIGNS = re.compile("[\u2061-\u2064]")  # function application, invisible times, separator and plus
_BRACKETS = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", "⟨": "⟩"}


def math_text(math: Element) -> str:
    """The formula as text; "" if it has none."""
    return " ".join(_read(math, 0).split())[:_MAX_CHARS]


def _read(element: Element, depth: int) -> str:
    if depth > _MAX_DEPTH:
        return _own_text(element)
    name = str(element.tag).rpartition(":")[2]
    if name in {"annotation", "annotation-xml", "mphantom", "none", "mprescripts", "malignmark", "maligngroup"}:
        return ""
    if (rule := _RULES.get(name)) is not None:
        parts = [_read(child, depth + 1) for child in element if isinstance(child.tag, str)]
        return rule(element, parts)
    if len(element) == 0:
        return _token(element, name)
    return _row([_read(child, depth + 1) for child in element if isinstance(child.tag, str)])


def _own_text(element: Element) -> str:
    return " ".join(_HIDDEN_SIGNS.sub("", clean_text(raw_text(element))).split())


def _token(element: Element, name: str) -> str:
    text = _own_text(element)
    if name == "mspace":
        return " "
    if name == "mtext":
        return f" {text} "
    if name == "mo":
        if text in {",", ";"}:
            return f"{text} "
        return f" {text} " if text in _SPACED and element.getprevious() is not None else text
    if name == "ms":
        return f'"{text}"'
    return text


def _row(parts: list[str]) -> str:
    line = ""
    for part in parts:
        # Two names beside each other are a product, two words are two words: `2 x`, `sin x`.
        if line[-1:].isalnum() and part[:1].isalnum() and (len(part) > 1 or len(line) > 1):
            line += "" if line[-1].isdigit() and part[0].isdigit() else " "
        line += part
    return line


def _group(text: str) -> str:
    text = text.strip()
    return text if _ATOM.fullmatch(text) else "(" + _SIGN.sub(r"\1", text) + ")"


def _fraction(element: Element, parts: list[str]) -> str:
    if len(parts) != 2:
        return _row(parts)
    if (element.get("linethickness") or "").strip() in {"0", "0pt", "0px", "0em"}:
        return f"binom({parts[0].strip()}, {parts[1].strip()})"
    return f"{_group(parts[0])}/{_group(parts[1])}"


def _root(element: Element, parts: list[str]) -> str:
    if element.tag == "mroot" and len(parts) == 2:
        return f"root({parts[0].strip()}, {parts[1].strip()})"
    return f"sqrt({_row(parts).strip()})"


def _scripts(element: Element, parts: list[str]) -> str:
    if len(parts) < 2:
        return _row(parts)
    marks = {"msup": "^", "mover": "^", "msub": "_", "munder": "_"}.get(str(element.tag), "_^")
    base, *scripts = parts
    text = base.strip() if element.tag in {"munder", "mover", "munderover"} else _group(base)
    for mark, script in zip(marks, scripts, strict=False):
        if script.strip():
            text += script.strip() if script.strip() in {"′", "″", "'", "*"} else mark + _group(script)
    return text


def _several_scripts(element: Element, parts: list[str]) -> str:
    """`mmultiscripts`: pairs of scripts after the base; those before it are written first."""
    children = [child for child in element if isinstance(child.tag, str)]
    before = next((place for place, child in enumerate(children) if child.tag == "mprescripts"), len(children))

    def written(start: int, end: int) -> str:
        return "".join(
            f"{mark}{_group(part)}" for mark, part in zip("_^" * len(parts), parts[start:end], strict=False) if part
        )

    return f"{written(before + 1, len(parts))}{_group(parts[0])}{written(1, before)}" if parts else ""


def _table(element: Element, parts: list[str]) -> str:
    return f"[{'; '.join(part.strip() for part in parts if part.strip())}]"


def _table_row(element: Element, parts: list[str]) -> str:
    return ", ".join(part.strip() for part in parts)


def _fenced(element: Element, parts: list[str]) -> str:
    opening, closing = element.get("open") or "(", element.get("close") or ")"
    separator = (element.get("separators") or ",").strip()[:1]
    return f"{opening}{f'{separator} '.join(part.strip() for part in parts)}{closing}"


def _brackets(element: Element, parts: list[str]) -> str:
    """A row; brackets around a single table are those of the table."""
    if len(parts) == 3 and _BRACKETS.get(parts[0].strip()) == parts[2].strip() and parts[1][:1] == "[":
        return parts[1]
    return _row(parts)


_RULES: dict[str, Callable[[Element, list[str]], str]] = {
    **dict.fromkeys(("msup", "msub", "msubsup", "munder", "mover", "munderover"), _scripts),
    "mfrac": _fraction,
    "msqrt": _root,
    "mroot": _root,
    "mmultiscripts": _several_scripts,
    "mtable": _table,
    "mtr": _table_row,
    "mlabeledtr": _table_row,
    "mfenced": _fenced,
    "mrow": _brackets,
}
