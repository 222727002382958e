"""The fields of a record in tables of words, by number."""

RECORD_FIELDS = ("title", "headings", "links", "path", "body", "code")  # searched, see `keywords.BOOSTS`
SCORED_FIELDS = (*RECORD_FIELDS, "own")  # all that have positions
TITLE, HEADINGS, LINKS, PATH, BODY, CODE, OWN = range(7)  # own: of a record, its own headings or its name
# Fields that are never scored. The exact words of a text (`text/exact.py`) and the words of its vocabulary are mostly
# the same, so common words are stored once.
EXACT_FIELDS = ("plain", "exact", "loose", "names", "page names")
PLAIN = 0  # the vocabulary of a record, see `spellings`
EXACT = 1  # exact words of its text that its vocabulary does not contain
LOOSE = 2  # words of its vocabulary that its text does not contain exactly
NAMES = 3  # of its own headings
PAGE_NAMES = 4  # names and URL of its page
