"""Queries of the example site, for which two services must give equal answers."""

import re

from bench.relevance.example_site import example_site


def queries() -> list[str]:
    """The golden ones, and words that stand beside each other on the pages."""
    site = example_site()
    query_sample = [query.text for query in site.queries] + ["undoing", "mdx files"]
    for number, document in enumerate(site.documents * 9):
        words = re.findall(r"[A-Za-z_]{4,}", document.text)
        start = (number * 37) % max(len(words) - 3, 1)
        query_sample.append(" ".join(words[start : start + 1 + number % 3]))
    return list(dict.fromkeys(query_sample))[:200:3]
