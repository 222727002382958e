"""Read blocks that extensions of Markdown add: directives, footnotes, definitions and abbreviations.

It runs before `dialects.py`, line by line. Code in fences stays as it is. What a block shows becomes plain Markdown:
the directives of MyST, components of Nuxt, callouts of Docsify, and footnotes, definitions and abbreviations of
Markdown Extra.
"""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"(?P<indent>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,}|:{3,})\{(?P<name>[a-z][\w:.+-]*)\}[ \t]*(?P<args>.*)$")
_COMPONENT = re.compile(r"(?P<indent>[ \t]*)(?P<mark>:{2,})(?P<name>[a-z][\w-]*)(?P<props>\{[^{}]*\})?[ \t]*$")
_CLOSING = re.compile(r"[ \t]*(`{3,}|~{3,}|:{2,})[ \t]*$")
_OPTION = re.compile(r"[ \t]*:(?P<key>[\w-]+):(?:[ \t]+(?P<value>.*))?$")
_IS_MYST = re.compile(
    r"^[ \t]*(?:`{3,}|:{3,})\{[a-z]|\{(?:ref|doc|term|numref|math)\}`|^\([\w:.-]+\)=[ \t]*$", re.MULTILINE
)
_MYST_LINE = re.compile(r"\([\w:.-]+\)=[ \t]*$|%(?:[ \t].*)?$|\+\+\+(?:[ \t].*)?$")
_CODE = frozenset({
    "code-block", "code", "code-cell", "sourcecode", "literalinclude", "parsed-literal", "prompt", "doctest",
    "eval-rst", "testcode", "testoutput", "jupyter-execute", "program-output",
})  # fmt: skip
_WITHOUT_TEXT = frozenset({
    "toctree", "index", "contents", "raw", "bibliography", "tableofcontents", "include", "currentmodule", "highlight",
})  # fmt: skip
# Other names in braces are languages: R Markdown and Quarto run such code.
_OF_TEXT = frozenset({
    "note", "tip", "hint", "warning", "caution", "danger", "error", "attention", "important", "seealso", "todo",
    "admonition", "dropdown", "details", "card", "card-carousel", "tab-set", "tab-item", "tabs", "grid", "grid-item",
    "grid-item-card", "margin", "sidebar", "topic", "figure", "image", "table", "list-table", "csv-table", "glossary",
    "versionadded", "versionchanged", "deprecated", "epigraph", "pull-quote", "exercise", "solution", "toggle", "only",
    "container", "rubric", "centered", "div", "aside",
})  # fmt: skip
_ABOUT_A_FILE = frozenset({"figure", "image", "iframe", "video", "literalinclude"})
_OF_BODY = frozenset(
    {"note", "tip", "hint", "warning", "caution", "danger", "error", "attention", "important", "seealso"}
)
_NOTE = re.compile(r"\[\^(?P<name>[^\]\s]{1,60})\]:[ \t]*(?P<text>.*)$")
_DEFINITION = re.compile(r" {0,3}:[ \t]+(?P<text>\S.*)$")
_TERM = re.compile(r"[^\s#>|:*+\-<`~=\d][^|]{0,120}$|[*`][^|]{1,120}[*`]$")
_ABBREVIATION = re.compile(r"\*\[(?P<name>[^\]]{1,60})\]:[ \t]*(?P<text>.+)$")
_DOCSIFY_CALLOUT = re.compile(r"[?!]>[ \t]+(?P<text>.*)$")
_DOCSIFY_ID = re.compile(r"(?P<heading>#{1,6}[ \t].*?)[ \t]+:id=(?P<id>[\w-]+)[ \t]*$")
_INCLUDE = re.compile(r"(?:<<<[ \t]*[@./\w]\S*.*|--8<--(?:[ \t].*)?|-{1,2}8<-{2}.*|\{\{#\w+[ \t][^{}]*\}\})[ \t]*$")
_FENCE_TITLE = re.compile(r"""\b(?:title|filename|file|name)=(?:"([^"]+)"|'([^']+)')|\[([^\]\[]+)\][ \t]*$""")
_PROP = re.compile(
    r"""(?:^|[\s{])(?:title|label|description|name)(?:=|:[ \t]*)(?:"([^"]+)"|'([^']+)'|([^\s"'{}][^"'{}\n]*))"""
)
_SLOT = re.compile(r"[ \t]*#[a-z][\w-]*(?:\{[^{}]*\})?[ \t]*$")
_CONTENTS = re.compile(r"[ \t]*\{:toc(?:[ \t][^}]*)?\}[ \t]*$")
_RUST = re.compile(r"[ \t]*rust\b")
_HIDDEN_RUST = re.compile(r"[ \t]*#(?:[ \t]|$)")
_SHOWN_RUST = re.compile(r"^([ \t]*)##(?=[ \t]|$)")
_ICON = re.compile(r":[a-z][\w-]+:")
_BODY_INDENT = 4


def without_directives(text: str) -> str:
    """Replace blocks of extensions by the Markdown that they show."""
    return "\n".join(_Reader(text).lines())


class _Reader:
    """One pass over the lines of a file."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0
        self._is_myst = _IS_MYST.search(text) is not None
        self._open: list[tuple[str, int]] = []  # marks of open directives with their indentation, innermost last
        self._in_body = False  # of a footnote or definition
        names = [re.escape(match["name"]) for line in self._lines if (match := _NOTE.match(line))]
        # Only names with a note: `[^a-z]` may be text. Code spans are matched first.
        self._reference = (
            re.compile(rf"(?<!`)(`{{1,10}})(?!`).{{1,2000}}?(?<!`)\1(?!`)|\[\^(?:{'|'.join(names)})\]")
            if names
            else None
        )

    def lines(self) -> Iterator[str]:
        """Yield the lines of plain Markdown."""
        done: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            done.extend(self._read(line, done))
        yield from done

    def _read(self, line: str, before: list[str]) -> list[str]:
        if self._open and self._open[-1][1]:
            indent = self._open[-1][1]
            line = line[min(indent, len(line) - len(line.lstrip(" "))) :]
        if self._in_body:
            if line.startswith((" " * _BODY_INDENT, "\t")):
                line = line.removeprefix("\t") if line.startswith("\t") else line[_BODY_INDENT:]
            elif line.strip():
                self._in_body = False
        if not line.strip():
            return [line]
        closing = _CLOSING.match(line)
        if closing and self._open and self._open[-1][0] == closing[1]:
            self._open.pop()
            return [""]
        if match := _DIRECTIVE.match(line):
            return self._directive(match)
        if match := _FENCE.match(line):
            return self._fence(match, line)
        if match := _COMPONENT.match(line):
            if component := self._component(match, line):
                return component
        elif self._open and self._open[-1][0].startswith("::") and _SLOT.match(line):
            return [""]
        return self._extra(line, before)

    def _fence(self, match: re.Match[str], line: str) -> list[str]:
        """Return a block of code unchanged, below its title; of a note of mdbook-admonish, only its title."""
        title = _FENCE_TITLE.search(match["info"])
        is_note = match["info"].split()[:1] == ["admonish"]
        block = (
            [f"{_spaces(match['indent'])}**{_ICON.sub('', next(filter(None, title.groups()))).strip()}**", ""]
            if title and not match["indent"].strip(" \t>")
            else []
        )
        if is_note:
            self._open.append((match["mark"], 0))
            return ["", *block]
        code = self._rest(match["mark"])
        return [*block, line, *(_shown_rust(code) if _RUST.match(match["info"]) else code)]

    def _rest(self, mark: str) -> list[str]:
        """Return the lines of code to the end of a fence."""
        start = self._at
        while self._at < len(self._lines):
            line = self._lines[self._at].strip(" \t>")
            self._at += 1
            if line.startswith(mark) and not line.strip(mark[0]):
                break
        return self._lines[start : self._at]

    def _directive(self, match: re.Match[str]) -> list[str]:
        name, mark, args, indent = match["name"], match["mark"], match["args"].strip(), match["indent"]
        options = self._options()
        if name in _WITHOUT_TEXT:
            self._rest(mark)
            return [""]
        if name not in _OF_TEXT and ":" not in name:
            code = self._rest(mark)
            closed = [*code[:-1], f"{indent}```"] if mark[0] == ":" and code else code
            language = "" if name in _ABOUT_A_FILE else args if name in _CODE else name
            title = options.get("caption", "")
            return [*([f"{indent}**{title}**", ""] if title else []), f"{indent}{_fence_mark(mark)}{language}", *closed]
        self._open.append((mark, len(indent)))
        shown = "" if name in _ABOUT_A_FILE or (name in {"list-table", "grid"} and args.isdigit()) else args
        if shown and name not in _OF_BODY:
            shown = f"**{shown}**"
        return ["", *([shown, ""] if shown else [])]

    def _options(self) -> dict[str, str]:
        """Read the options below the head of a directive: `:key: value`, or YAML between `---`."""
        if self._at < len(self._lines) and self._lines[self._at].strip() == "---":
            return dict.fromkeys(self._yaml(), "")
        options: dict[str, str] = {}
        while self._at < len(self._lines) and (match := _OPTION.match(self._lines[self._at])):
            options[match["key"]] = match["value"] or ""
            self._at += 1
        return options

    def _yaml(self) -> list[str]:
        """Read the lines between this `---` and the next; none if there is no other."""
        for end in range(self._at + 1, min(self._at + 100, len(self._lines))):
            if self._lines[end].strip() == "---":
                lines = self._lines[self._at + 1 : end]
                self._at = end + 1
                return lines
        return []

    def _component(self, match: re.Match[str], line: str) -> list[str]:
        """Return the titles of a component of Nuxt; nothing if the line is none."""
        mark, indent = match["mark"], match["indent"]
        below = self._lines[self._at].strip() if self._at < len(self._lines) else ""
        props = [match["props"] or "", *(self._yaml() if below == "---" else [])]
        if len(mark) > 2 and not (match["props"] or len(props) > 1 or self._open):
            return []
        self._open.append((mark, len(indent)))
        titles = [next(filter(None, found.groups())) for prop in props for found in _PROP.finditer(prop)]
        return ["", *(part for title in titles for part in (f"**{title.strip()}**", ""))]

    def _extra(self, line: str, before: list[str]) -> list[str]:
        if (self._is_myst and _MYST_LINE.match(line)) or _INCLUDE.match(line):
            return [""]
        if _CONTENTS.match(line) and before and before[-1].lstrip()[:2] in {"* ", "- ", "1."}:
            before.pop()
            return [""]
        if self._reference:
            note = _NOTE.match(line)
            line = self._reference.sub(lambda match: match[0] if match[1] else "", note["text"] if note else line)
            if note:
                self._in_body = True
                return ["", line]
        if match := _ABBREVIATION.match(line):
            return ["", f"{match['name']}: {match['text']}", ""]
        if match := _DOCSIFY_CALLOUT.match(line):
            return ["", match["text"], ""]
        if match := _DOCSIFY_ID.match(line):
            return [f"{match['heading']} {{#{match['id']}}}"]
        if (match := _DEFINITION.match(line)) and self._defines(before):
            self._in_body = True
            return ["", match["text"]]
        return [line]

    def _defines(self, before: list[str]) -> bool:
        """Make the term above a definition strong; return False if there is none."""
        if self._in_body:
            return True
        at = next((i for i in range(len(before) - 1, max(len(before) - 3, -1), -1) if before[i].strip()), -1)
        if at >= 0 and before[at].startswith("<!--"):
            return True  # the term comes from the build
        if at < 0 or not _TERM.match(before[at]) or (at > 0 and before[at - 1].strip() and not self._in_body):
            return False
        term = before[at].strip()
        before[at] = term if "*" in term or "`" in term else f"**{term}**"
        return True


def _shown_rust(code: list[str]) -> list[str]:
    """Drop the lines of Rust that rustdoc and mdBook hide: those that begin with `# `."""
    lines = (line for line in code if not _HIDDEN_RUST.match(line))
    return [_SHOWN_RUST.sub(r"\1#", line) for line in lines]


def _spaces(indent: str) -> str:
    return re.sub(r"[^ \t>]", " ", indent)


def _fence_mark(mark: str) -> str:
    return "```" if mark[0] == ":" else mark
