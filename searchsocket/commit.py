"""The commit that this copy was made from."""

# `git archive` writes the commit here (.gitattributes), and releases are built from such an archive.
_ARCHIVED = "$Format:%H$"
_DIGITS = 12

COMMIT = "" if _ARCHIVED.startswith("$") else _ARCHIVED[:_DIGITS]  # first digits; "" in a checkout
