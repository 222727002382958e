"""Search in the theme of a generator: files of ours, and lines in files of the site's owner."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from searchsocket.setup.draft import ReadText
from searchsocket.setup.site import SiteFacts

MARK = "searchsocket"  # a file with this word has our lines


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines in a file that somebody else wrote."""

    path: str  # project-relative
    change: Callable[[str], str | None]  # its text, "" for a new file -> the text with our lines; None if unclear
    paste: str  # what to add by hand then
    why: str = ""  # why init cannot add it; "" = the file could not be parsed
    mark: str = MARK  # a file with this text is left as it is


@dataclass(frozen=True, slots=True)
class Integration:
    """Files and edits for one site. All paths are project-relative."""

    component: str  # folder for the copies of the component and its labels
    files: Mapping[str, str] = field(default_factory=dict)  # other files of ours
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The attribute that tells the dialog where answers come from: `endpoint` of a service, `static` of an export."""

    name: str
    value: str

    @property
    def attribute(self) -> str:
        """The attribute in HTML."""
        return f'{self.name}="{self.value}"'

    @property
    def meaning(self) -> str:
        """The value explained, for a comment."""
        return (
            "folder of `searchsocket export`" if self.name == "static" else "URL of `searchsocket serve` for visitors"
        )


Integrate = Callable[[ReadText, SiteFacts, Place], Integration]


def inserted(text: str, opening: str, lines: str, taken: str = "") -> str | None:
    """Put lines behind the only match of a pattern, in the indentation that follows it.

    Args:
        taken: A pattern; None is returned for a text that contains it.
    """
    matches = [*re.finditer(opening, text, re.MULTILINE)]
    if len(matches) != 1 or (taken and re.search(taken, text)):
        return None
    at = matches[0].end()
    indent = re.match(r"\n([ \t]+)", text[at:])
    space = indent[1] if indent else "  "
    return text[:at] + "".join(f"\n{space}{line}" for line in lines.split("\n")) + text[at:]


def colours(**names: str) -> str:
    """Declarations of the component's variables, from those of a theme."""
    lines = (f"  --searchsocket-{name.replace('_', '-')}: {value};" for name, value in names.items())
    return "\n".join(lines)
