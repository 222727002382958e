"""Numbers and ages in words."""

from datetime import UTC, datetime


def count(number: int, noun: str) -> str:
    """A number with a noun: `1 page`, `1,204 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ago(seconds: float) -> str:
    """An age in words: `just now`, `5 minutes ago`, `3 days ago`."""
    for size, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{count(int(seconds // size), noun)} ago"
    return "just now"


def age_s(published_at: str, now: datetime) -> float:
    """Seconds since a generation was published; never negative, 0 if the manifest has no readable time."""
    try:
        published = datetime.fromisoformat(published_at)
    except ValueError:
        return 0.0
    if published.tzinfo is None:
        published = published.replace(tzinfo=UTC)
    return round(max((now - published).total_seconds(), 0.0), 1)
