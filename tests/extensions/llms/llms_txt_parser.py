"""A strict parser of `llms.txt`, by the proposal of llmstxt.org (v2): whatever it does not know is an error."""

import re
from dataclasses import dataclass, field

_LINK = re.compile(r"- \[(?P<name>[^\]]+)\]\((?P<url>[^)\s]+)\)(?:: (?P<notes>\S.*))?")


@dataclass(frozen=True)
class LlmsTxt:
    title: str
    summary: str
    info: tuple[str, ...]  # lines before the first section
    sections: dict[str, dict[str, str]] = field(default_factory=dict)  # heading -> url -> name

    @property
    def urls(self) -> list[str]:
        return [url for links in self.sections.values() for url in links]


def parse_llms_txt(text: str) -> LlmsTxt:
    """The parts of a file, in the one order that the proposal has.

    Raises:
        AssertionError: It is not in that form.
    """
    text = text.removeprefix("\ufeff")
    head, *rest = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)
    title, *lines = head.strip().split("\n")
    assert re.fullmatch(r"# \S.*", title), f"an H1 comes first: {title!r}"
    body = [line for line in lines if line]
    quotes = [line for line in body if line.startswith(">")]
    assert quotes == body[: len(quotes)], "the blockquote comes before all else"
    assert len(quotes) <= 1
    info = tuple(body[len(quotes) :])
    assert not any(re.match(r"#{1,6} ", line) for line in info), "no heading before the sections but the first"
    sections: dict[str, dict[str, str]] = {}
    for heading, content in zip(rest[::2], rest[1::2], strict=True):
        assert heading not in sections, f"two sections {heading!r}"
        matches = [_LINK.fullmatch(line) for line in content.strip().split("\n")]
        assert all(matches), f"a section is a list of links: {content!r}"
        sections[heading] = {match["url"]: match["name"] for match in matches if match}
    return LlmsTxt(title[2:], quotes[0][2:] if quotes else "", info, sections)
