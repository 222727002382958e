"""`[redaction]`: parts of texts to remove before a provider receives them (spec 24)."""

from typing import Annotated

from pydantic import Field

from searchsocket.project.settings.section import Section

SecretName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{1,39}$")]
KeptValue = Annotated[str, Field(min_length=1, max_length=500)]


class RedactionSettings(Section):
    enabled: bool = True  # for providers elsewhere; those of this machine are given texts as they are
    names: Annotated[tuple[SecretName, ...], Field(max_length=50)] = (
        "api_key",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "pass",
        "passphrase",
        "private_key",
        "access_key",
        "credential",
    )  # fmt: skip  what is assigned to a name that holds one of these is a secret
    keep: Annotated[tuple[KeptValue, ...], Field(max_length=1000)] = ()  # values that are none, e.g. of examples
