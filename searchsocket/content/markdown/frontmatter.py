"""The front matter of a content file: YAML between `---`, TOML between `+++`, or none."""

import re
import tomllib
from collections.abc import Mapping

import yaml

_FENCED = re.compile(r"\s*?(---|\+\+\+)[ \t]*\n(.*?)(?:^|\n)\1[ \t]*(?:\n|$)", re.DOTALL)
_MAX_CHARS = 65_536
_MAX_DEPTH = 20
_MAX_ALIASES = 50


class _Refused(yaml.YAMLError):
    """A document that is valid YAML but not accepted as front matter."""


class _Loader(yaml.BaseLoader):
    """Loader that builds only strings, lists and mappings, and refuses deep nesting and alias bombs."""

    depth = 0
    aliases = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            self.aliases += 1
        self.depth += 1
        if self.depth > _MAX_DEPTH or self.aliases > _MAX_ALIASES:
            raise _Refused("nested too deeply" if self.depth > _MAX_DEPTH else "too many aliases")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def split_front_matter(text: str) -> tuple[Mapping[str, object], str, str]:
    """Split the front matter off a content file.

    Returns:
        Its values (scalars are strings as written), the text after it, and a warning ("" if there is nothing to
        report). Unreadable front matter is removed too, with a warning, since it is not text of the page.
    """
    match = _FENCED.match(text)
    if match is None:
        return {}, text, ""
    body = text[match.end() :]
    if len(match[2]) > _MAX_CHARS:
        return {}, body, f"front matter of {len(match[2])} characters: ignored"
    try:
        values = _toml(match[2]) if match[1] == "+++" else _yaml(match[2])
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        return {}, body, f"front matter cannot be read: {' '.join(str(error).split())[:150]}"
    if not isinstance(values, dict):
        # A thematic break at the top of a page, closed by another one.
        return {}, text if match[1] == "---" else body, ""
    return {str(key): value for key, value in values.items()}, body, ""


def _yaml(text: str) -> object:
    loader = _Loader(text)
    try:
        return loader.get_single_data() or {}
    finally:
        loader.dispose()


def _toml(text: str) -> object:
    return tomllib.loads(text)
