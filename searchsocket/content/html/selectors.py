"""The selectors of the configuration, compiled once."""

import re
from dataclasses import dataclass
from functools import lru_cache

from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from searchsocket.content.html.tree import Element
from searchsocket.errors import ConfigError

_CLASS = re.compile(r"\.([A-Za-z_-][\w-]*)")


@dataclass(frozen=True, slots=True)
class DropRules:
    """`extract.drop_selectors` in two parts: class names, checked during the walk, and one XPath for all others."""

    class_names: frozenset[str]
    others: etree.XPath | None

    def matched_by_path(self, root: Element) -> set[Element]:
        """The elements under `root` that a selector other than a class name matches."""
        if self.others is None:
            return set()
        elements = self.others(root)
        return {item for item in elements if isinstance(item, etree._Element)} if isinstance(elements, list) else set()


@lru_cache(maxsize=32)
def drop_rules(selectors: tuple[str, ...]) -> DropRules:
    """Compile `extract.drop_selectors`.

    Raises:
        ConfigError: A selector is not CSS.
    """
    simple = {match[1] for text in selectors if (match := _CLASS.fullmatch(text.strip()))}
    paths = [_xpath(text, "extract.drop_selectors") for text in selectors if not _CLASS.fullmatch(text.strip())]
    return DropRules(frozenset(simple), etree.XPath(" | ".join(paths)) if paths else None)


@lru_cache(maxsize=32)
def main_rule(selector: str) -> etree.XPath:
    """Compile `extract.main_selector`.

    Raises:
        ConfigError: The selector is not CSS.
    """
    return etree.XPath(_xpath(selector, "extract.main_selector"))


def _xpath(selector: str, key: str) -> str:
    try:
        path = HTMLTranslator().css_to_xpath(selector.strip(), prefix="descendant-or-self::")
        etree.XPath(path)
    except (SelectorError, etree.XPathError) as error:
        raise ConfigError(f"{key}: {selector!r} is not a CSS selector that can be used here: {error}") from error
    return path
