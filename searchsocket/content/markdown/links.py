"""Chunks that say nothing themselves: lists of links to other pages of the site."""

import re

LEAST_SAID = 60  # letters and digits: what says less only leads to something else, or dates it
# Bounds keep a failed attempt short, so that a run of openers costs linear time.
_LINK = re.compile(r"\[(?:\\.|[^\[\]\\]){1,200}\]\([/#][^()\s]{0,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}\)")
_ANY_LINK = re.compile(r"\[(?:\\.|[^\[\]\\]){1,200}\]\([^()\s]{0,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}\)")
_MARKUP = re.compile(r"^ {0,3}#{1,6} .*$|<br */?>", re.MULTILINE)
_WORD = re.compile(r"[^\W_]")


def is_links_alone(markdown: str) -> bool:
    """Return True if there is no word outside headings and links to pages of the site: a table of contents, an index.

    What it says stands where it leads to. A list of links to other sites says what stands nowhere else here.
    """
    text, links = _LINK.subn("", _MARKUP.sub("", markdown))
    return links > 0 and _WORD.search(text) is None


def letters_said(markdown: str) -> int:
    """The number of letters and digits outside headings and links."""
    return len(_WORD.findall(_ANY_LINK.sub("", _MARKUP.sub("", markdown))))
