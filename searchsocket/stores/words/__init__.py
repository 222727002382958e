"""The words of a generation, for every store: what is written of each record and page, and how it is asked.

A generation has two folders of tantivy's: `segments.py` writes them from a `WordSource`, `keywords.py` answers.
"""

WORDS = "words"  # an index whose documents are records
PAGES = "pages"  # one whose documents are pages: BM25 weighs a page against pages
