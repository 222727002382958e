"""The section `[answers]`."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.settings.section import SettingsSection, WebAddress

_Language = Annotated[str, Field(pattern="^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$")]
_Price = Annotated[float, Field(ge=0)] | None


class AnswersSettings(SettingsSection):
    enable: bool = False  # `searchsocket serve` answers questions in sentences
    base_url: WebAddress = ""  # of a server with OpenAI's protocol, e.g. http://localhost:11434/v1
    model: str = ""  # as the server names it
    api_key_env: str = ""  # environment variable with the key; "" = the server needs none
    max_output_tokens: Annotated[int, Field(ge=50, le=8_192)] = 700
    max_passage_tokens: Annotated[int, Field(ge=200, le=20_000)] = 2_000  # of all passages that the model reads
    timeout_s: Annotated[float, Field(gt=0, le=300)] = 30.0  # of a whole answer
    instructions: Annotated[str, Field(max_length=4_000)] = ""  # tone, and facts about the product
    languages: Annotated[tuple[_Language, ...], Field(max_length=50)] = ()  # of the pages to answer from; empty = all
    history: Annotated[int, Field(ge=0, le=4)] = 2  # previous questions that a follow-up may refer to
    public: bool = True  # False: only callers with the key may ask
    anonymous_per_day_usd: Annotated[float, Field(ge=0)] = (
        0.05  # per address, for callers without the key; 0 = no limit
    )
    input_usd_per_million_tokens: _Price = None  # None = the built-in price table, and 0 for a server on this machine
    output_usd_per_million_tokens: _Price = None
