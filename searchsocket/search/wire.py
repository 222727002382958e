"""The shapes of `shape.py` as types, for answers whose readers have pydantic anyway."""

from typing import Annotated

from pydantic import Field

from searchsocket.search.shape import (
    ADDRESS,
    AGE,
    CHANGED_SINCE,
    CONFIDENCE,
    CONTINUATION_TOKEN,
    HREF,
    MARKS,
    SCORE,
    TRUNCATED,
    URL,
)
from searchsocket.search.shape import SOURCES as SOURCES
from searchsocket.search.shape import ChangedSince as _ChangedSince
from searchsocket.search.shape import FileLines as FileLines
from searchsocket.search.shape import ForTheTrusted as ForTheTrusted
from searchsocket.search.shape import PassageLines as PassageLines
from searchsocket.search.shape import Resolution as Resolution
from searchsocket.search.shape import RouteFile as RouteFile
from searchsocket.search.shape import Wire as Wire

ChangedSince = Annotated[_ChangedSince, Field(**CHANGED_SINCE)]
Score = Annotated[float, Field(**SCORE)]
Confidence = Annotated[float, Field(**CONFIDENCE)]
Age = Annotated[float, Field(**AGE)]
Marks = Annotated[tuple[tuple[int, int], ...], Field(**MARKS)]
Url = Annotated[str, Field(**URL)]
Address = Annotated[str, Field(**ADDRESS)]
Href = Annotated[str, Field(**HREF)]
Truncated = Annotated[bool, Field(**TRUNCATED)]
ContinuationToken = Annotated[str | None, Field(**CONTINUATION_TOKEN)]
