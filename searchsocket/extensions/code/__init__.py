"""Source code: the second corpus of a project, with its stages, search, tools, commands and line protocol."""

from searchsocket.extensions.base import Command, Extension

EXTENSION = Extension(
    name="code",
    settings=f"{__name__}.settings:CodeSettings",
    files=("code",),
    services=f"{__name__}.serving.part:open_part",
    contents="source code",
    corpora=f"{__name__}.corpus:CORPORA",
    capabilities=f"{__name__}.capabilities:CODE",
    tools=f"{__name__}.tools:CODE_TOOLS",
    resources=f"{__name__}.resources:KINDS",
    status=f"{__name__}.cli.upkeep:code_part",
    checks=f"{__name__}.cli.upkeep:CHECK",
    commands={"code": Command(f"{__name__}.cli:code", "Search the source code and keep its index up to date.", "find")},
)
