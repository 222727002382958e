"""Integration of search in the theme of a generator: new files, and edits in files of the site's owner."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from searchsocket.setup.changes import ReadText
from searchsocket.setup.site import SiteFacts

MARK = "searchsocket"  # a file with this word already has our lines


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit of a file that belongs to the site's owner."""

    path: str  # project-relative
    change: Callable[[str], str | None]  # text ("" for a new file) -> text with our lines; None if it is unclear
    paste: str  # lines to add by hand if `change` returns None
    why: str = ""  # reason for adding them by hand; "": the file could not be parsed
    mark: str = MARK  # a file with this text is not changed


@dataclass(frozen=True, slots=True)
class Integration:
    """Files and edits for one site. All paths are project-relative."""

    component: str  # folder for the copies of the component and its labels
    files: Mapping[str, str] = field(default_factory=dict)  # other files of ours
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Attribute of the dialog with the source of answers: `endpoint` of a service, or `static` folder of an export."""

    name: str
    value: str

    @property
    def attribute(self) -> str:
        """Attribute in HTML."""
        return f'{self.name}="{self.value}"'

    @property
    def meaning(self) -> str:
        """Explanation of the value, for a comment."""
        return (
            "folder of `searchsocket export`" if self.name == "static" else "URL of `searchsocket serve` for visitors"
        )


Integrate = Callable[[ReadText, SiteFacts, AnswerSource], Integration]


def insert_lines(text: str, opening: str, lines: str, taken: str = "") -> str | None:
    """Insert lines after the only match of a pattern, with the indentation of the next line.

    Args:
        taken: A pattern; return None for a text that contains it.
    """
    matches = [*re.finditer(opening, text, re.MULTILINE)]
    if len(matches) != 1 or (taken and re.search(taken, text)):
        return None
    at = matches[0].end()
    indent = re.match(r"\n([ \t]+)", text[at:])
    space = indent[1] if indent else "  "
    return text[:at] + "".join(f"\n{space}{line}" for line in lines.split("\n")) + text[at:]


def colours(**names: str) -> str:
    """Return declarations of the component's CSS variables, from those of a theme."""
    lines = (f"  --searchsocket-{name.replace('_', '-')}: {value};" for name, value in names.items())
    return "\n".join(lines)
