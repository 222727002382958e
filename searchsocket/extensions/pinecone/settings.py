"""The settings `vector.pinecone`."""

from typing import Annotated, Literal

from pydantic import Field

from searchsocket.project.settings.section import SettingsSection


class PineconeSettings(SettingsSection):
    api_key_env: Annotated[str, Field(min_length=1)] = "PINECONE_API_KEY"  # environment variable with the key
    index: Annotated[str, Field(pattern=r"^([a-z0-9]([a-z0-9-]{0,37}[a-z0-9])?)?$")] = (
        ""  # prefix of index names; "" = the project id
    )
    namespace_mode: Literal["scope"] = "scope"  # each scope has a namespace
    cloud: Annotated[str, Field(min_length=1)] = "aws"  # cloud of a new index
    region: Annotated[str, Field(min_length=1)] = "us-east-1"  # region of a new index
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each request, to its last byte
