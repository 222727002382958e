"""Custom element converters of a site: `convert_<tag>` methods of its own classes, called as markdownify does."""

import hashlib
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from markdownify import MarkdownConverter

from searchsocket.content.html.converters.soup import tag_of
from searchsocket.content.html.rules import Rule
from searchsocket.content.html.text_markdown import INLINE, VERBATIM
from searchsocket.content.html.tree import Element
from searchsocket.errors import ConfigError

_ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_PREFIX = "convert_"


def load_rules(root: Path, entries: Sequence[str]) -> tuple[dict[str, Rule], list[str]]:
    """Load the rules of the configured classes, and a digest of each class's file.

    Args:
        root: Folder that is searched for modules first.
        entries: `module:Class`; if two convert the same element, the later one is used.

    Raises:
        ConfigError: A class cannot be loaded, or has no converter methods.
    """
    rules: dict[str, Rule] = {}
    digests = []
    for entry in entries:
        converter = _load(root, entry)
        rules_by_tag = dict(_rules(converter))
        if not rules_by_tag:
            raise ConfigError(
                f"extract.converters: {entry!r} has no method such as convert_my_note(self, el, text, parent_tags)"
            )
        rules |= rules_by_tag
        file = inspect.getsourcefile(type(converter))
        digests.append(hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16] if file else entry)
    return rules, digests


def _load(root: Path, entry: str) -> object:
    if not _ENTRY.fullmatch(entry):
        raise ConfigError(f"extract.converters: {entry!r} must be module:Class, e.g. search_converters:Notes")
    module, _, name = entry.partition(":")
    sys.path.insert(0, str(root))
    try:
        return getattr(importlib.import_module(module), name)()
    except Exception as error:  # the site's code may raise anything
        message = f"extract.converters: {entry!r} cannot be loaded: {type(error).__name__}: {error}"
        raise ConfigError(f"{message}; searchsocket looks for modules in {root}, then in Python's path") from error
    finally:
        sys.path.remove(str(root))


def _rules(converter: object) -> Iterator[tuple[str, Rule]]:
    for name in dir(converter):
        tag = name.removeprefix(_PREFIX).replace("_", "-")
        inherited = getattr(MarkdownConverter, name, None)
        if not name.startswith(_PREFIX) or (inherited and getattr(type(converter), name) is inherited):
            continue
        if "-" not in tag:
            raise ConfigError(
                f"extract.converters: {type(converter).__name__}.{name} is for <{tag}>; only custom elements, whose "
                "names have a hyphen, can be converted by the site"
            )
        yield tag, _rule(getattr(converter, name))


def _rule(convert: Callable[..., str]) -> Rule:
    def rule(element: Element, text: str, around: int) -> str:
        return str(convert(tag_of(element), text, parent_tags=_parent_tags(element, around)))

    return rule


def _parent_tags(element: Element, around: int) -> set[str]:
    """The names of the elements around an element, with markdownify's pseudo-tags for restricted places."""
    names: set[str] = set()
    above = element.getparent()
    while above is not None:
        names.add(str(above.tag))
        above = above.getparent()
    return names | ({"_inline"} if around & INLINE else set()) | ({"_noformat"} if around & VERBATIM else set())
