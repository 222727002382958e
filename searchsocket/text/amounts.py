"""Numbers and ages in words."""


def count(number: int, noun: str) -> str:
    """`1 page`, `1,204 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ago(seconds: float) -> str:
    """`just now`, `5 minutes ago`, `3 days ago`."""
    for size, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{count(int(seconds // size), noun)} ago"
    return "just now"
