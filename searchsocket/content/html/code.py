"""Reduce code blocks to their code, line by line, and their language."""

import re
from functools import lru_cache

from searchsocket.content.html.tree import BLOCKS, Element, classes, clean_text, drop, raw_text, replace_text

LANGUAGE = "data-ss-language"
_PREFIXES = ("language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:")
_NO_LANGUAGE = frozenset({"text", "txt", "plain", "plaintext", "none", "default", "nohighlight", "notranslate", "raw"})
# Class names that are languages by themselves: `<pre class="rust">`, `<pre class="sourceCode python">`.
_LANGUAGES = frozenset({
    "bash", "c", "cpp", "csharp", "css", "diff", "go", "graphql", "html", "ini", "java", "javascript", "js", "json",
    "jsx", "kotlin", "lua", "makefile", "markdown", "perl", "php", "powershell", "python", "py", "ruby", "rust",
    "scala", "scss", "sh", "shell", "sql", "svelte", "swift", "toml", "ts", "tsx", "typescript", "vue", "xml", "yaml",
    "zig", "console", "haskell", "elixir", "dart", "r", "julia", "docker", "dockerfile", "nginx",
})  # fmt: skip
_SAFE = re.compile(r"[\w+#.-]{1,30}")
_NOISE = frozenset({
    "linenos", "lineno", "linenumber", "line-number", "line-numbers", "line-numbers-rows", "line-numbers-wrapper",
    "hljs-ln-numbers", "gutter", "ln", "lnum", "react-syntax-highlighter-line-number", "code-line-number",
    "twoslash-popup-container", "twoslash-popup-code", "twoslash-popup-docs", "twoslash-popup-error",
    "twoslash-popup-arrow", "twoslash-error-line", "twoslash-meta-line", "twoslash-completion-list", "popup", "tooltip",
    "copy", "copy-button", "copybtn", "copy-btn", "clipboard", "sr-only", "visually-hidden", "notable-traits",
    "expand-button", "collapse-toggle",
})  # fmt: skip
_DECORATION = re.compile(r"(?:^|[-_])(lang|language|line-?numbers?|command-line|diff|copy|gutter)(?=$|[-_])")
_LABEL = re.compile(r"[\w+#.-]{0,20}|[\d\s+-]*")
_LINES = frozenset({"line", "code-line", "token-line", "view-line", "CodeMirror-line", "cm-line"})
_GUTTERS = frozenset({"linenos", "lineno", "gutter", "hljs-ln-numbers", "blob-num", "rouge-gutter", "gl"})
_CONTROLS = frozenset({"button", "input", "textarea", "select"})
_FRAME_PARTS = 40  # a parent with more children does not frame a single code block
_LABEL_CHARS = 15
_CLASS_CHARS = 200  # longest class attribute that is cached
_WRAPPERS = 4  # levels above a `pre` that may name its language


def prepare_code(pre: Element, *, keep: bool) -> None:
    """Reduce a `pre` to one text, with its language on it; with `keep` off, to a paragraph."""
    language = language_of(pre)
    text = _code_text(pre)
    frame_language = _clear_around(pre)
    if not text.strip():
        drop(pre)
    elif keep:
        replace_text(pre, "pre", text)
        pre.set(LANGUAGE, language or frame_language)
    else:
        replace_text(pre, "p", " ".join(text.split()))


def _clear_around(pre: Element) -> str:
    """Drop the labels, line numbers and signs beside a `pre` in its frame; return the language in a label."""
    frame = pre.getparent()
    language = ""
    if frame is None or frame.tag not in {"div", "figure"} or len(frame) > _FRAME_PARTS:
        return language
    for sibling in list(frame):
        kinds = {match[1] for name in classes(sibling) for match in _DECORATION.finditer(name)}
        if not kinds or sibling is pre or not _LABEL.fullmatch(raw_text(sibling).strip()):
            continue
        if kinds & {"lang", "language"}:
            language = _clean(raw_text(sibling))
        drop(sibling)
    return language


def language_of(pre: Element) -> str:
    """The language that a `pre`, the `code` in it or a wrapper around it names; "" if there is none."""
    candidates = [*pre.iter("code", "pre")]
    candidates.sort(key=lambda element: element is pre)
    parent = pre.getparent()
    for _ in range(_WRAPPERS):
        if parent is None or parent.tag in {"body", "main", "article", "section"}:
            break
        candidates.append(parent)
        parent = parent.getparent()
    inside = set(pre.iter("code", "pre"))
    for element in candidates:
        language = _own_language(element, bare=element in inside)
        if language is not None:
            return language
    return ""


def _own_language(element: Element, *, bare: bool) -> str | None:
    for attribute in ("data-lang", "data-language", "data-code-language"):
        if element.get(attribute):
            return _clean(element.get(attribute) or "")
    names = classes(element)
    for position, name in enumerate(names):
        for prefix in _PREFIXES:
            if name.lower().startswith(prefix):
                language = name[len(prefix) :] or (
                    names[position + 1] if prefix == "brush:" and names[position + 1 :] else ""
                )
                if language:
                    return _clean(language)
    if bare:
        for name in (*names, element.get("lang") or ""):
            if name.lower() in _LANGUAGES:
                return name.lower()
    return None


def _clean(name: str) -> str:
    name = name.strip().strip(";").lower()
    return name if _SAFE.fullmatch(name) and name not in _NO_LANGUAGE else ""


def is_line_number_table(table: Element) -> bool:
    """Unwrap a table that only puts line numbers beside code; return True if it was one."""
    gutters = [cell for cell in table.iter("td", "th") if not _GUTTERS.isdisjoint(classes(cell))]
    if not gutters or next(table.iter("pre"), None) is None:
        return False
    for cell in gutters:
        drop(cell)
    for part in list(table.iter("tbody", "tr", "td", "th")):
        part.tag = "div"
    table.tag = "div"
    return True


def _code_text(pre: Element) -> str:
    lines: list[Element] = []
    for element in list(pre.iterdescendants()):
        tag = element.tag
        names = element.get("class") or ""
        is_noise, is_line = _by_class(names) if len(names) > _CLASS_CHARS else _by_short_class(names)
        if is_noise or tag in _CONTROLS or (tag != "span" and _is_popup(element)):
            drop(element)
        elif tag == "br":
            element.tail = "\n" + (element.tail or "").removeprefix("\n")
        elif is_line or tag in BLOCKS:
            lines.append(element)
    for line in lines:
        _end_line(line)
    return _trim(clean_text(raw_text(_innermost(pre))))


def _by_class(names: str) -> tuple[bool, bool]:
    """Return (is noise, is a line) for an element with these classes."""
    tokens = names.split()
    return not _NOISE.isdisjoint(tokens), not _LINES.isdisjoint(tokens)


# Highlighters repeat few classes on thousands of elements.
_by_short_class = lru_cache(maxsize=1024)(_by_class)


def _is_popup(element: Element) -> bool:
    return element.get("role") == "tooltip" or element.get("hidden") is not None


def _innermost(pre: Element) -> Element:
    """The only `code` of a `pre`, without a label before it; otherwise the `pre`."""
    codes = list(pre.iter("code"))
    if len(codes) != 1:
        return pre
    around = len(raw_text(pre).strip()) - len(raw_text(codes[0]).strip())
    codes[0].tail = None
    return codes[0] if around <= _LABEL_CHARS else pre


def _end_line(element: Element) -> None:
    """Add the line end to a line element that only a style sheet breaks."""
    if element.getnext() is None or "\n" in (element.tail or ""):
        return
    last = element
    while len(last) and not last[-1].tail:
        last = last[-1]
    text = (last[-1].tail if len(last) else last.text) or ""
    if last.tag != "br" and not text.endswith("\n"):
        element.tail = "\n" + (element.tail or "")


def _trim(text: str) -> str:
    """Strip blank lines at both ends, and spaces at line ends."""
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n")
