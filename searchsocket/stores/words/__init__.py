"""The words of a generation, for every store: write and search the words of records and pages.

A generation has two tantivy folders: `segments.py` writes them from a `WordSource`, `keywords.py` searches them.
"""

WORDS = "words"  # an index whose documents are records
PAGES = "pages"  # an index whose documents are pages: BM25 compares pages with pages only
