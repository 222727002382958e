"""What a page's state is in SQL, one definition a meaning; see the table in `state.base`.

Each is over `pages` and takes the scope as its one value.
"""

KNOWN = "scope = ? AND removed = 0"
SEARCHABLE = f"{KNOWN} AND skip = '' AND extract_key != ''"
MIRRORED = f"{KNOWN} AND skip = '' AND mirror_digest != ''"
CUT = "substr(chunk_key, 1, length(mirror_digest)) = mirror_digest"  # of a mirrored page
WITH_CONTENTS = "JOIN contents ON page_id = pages.id JOIN bodies ON bodies.id = body_id"


def marks(values: int) -> str:
    """Placeholders of a list of values."""
    return ",".join("?" * values)
