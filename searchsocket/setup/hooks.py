"""`searchsocketHandle()` in a file of server hooks: written into a new one, joined with what is there, or refused."""

import re

from searchsocket.web.routes.script import Script

_HANDLE = re.compile(
    r"^export\s+(?:(?P<const>const|let)\s+handle\b(?P<type>\s*:\s*[\w.]+)?\s*=\s*(?P<sequence>sequence\s*\(\s*)?"
    r"|(?P<function>(?:async\s+)?function)\s+handle\b)",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^import\b", re.MULTILINE)
_OWN = "siteHandle"
_KIT_HOOKS = "@sveltejs/kit/hooks"


def with_handle(text: str | None, module: str, options: str) -> str | None:
    """The file with search in front of whatever it does; None where it is not understood.

    Args:
        text: The file; None = there is none yet.
        module: What `searchsocketHandle` is imported from.
        options: Its argument as it is written, "" for none.
    """
    line = f"import {{ searchsocketHandle }} from '{module}';\n"
    call = f"searchsocketHandle({options})"
    if text is None or not text.strip():
        return f"{line}\nexport const handle = {call};\n"
    script = Script(text)
    if script.count("searchsocketHandle"):
        return text
    found = [*_HANDLE.finditer(text)]
    mentions = script.count("handle")
    if not mentions:
        return _imported(text, line).rstrip("\n") + f"\n\nexport const handle = {call};\n"
    if len(found) != 1 or mentions != 1 or script.count(_OWN):
        return None  # exported from elsewhere, used again, or written in a way that nobody foresaw
    match = found[0]
    if match["sequence"]:
        return _imported(text[: match.end()] + f"{call}, " + text[match.end() :], line)
    own = match[0].replace("export", "", 1).lstrip().replace("handle", _OWN, 1)
    joined = f"\n\nexport const handle = sequence({call}, {_OWN});\n"
    changed = text[: match.start()] + own + text[match.end() :].rstrip("\n") + joined
    has_sequence = script.names(_KIT_HOOKS) and script.count("sequence")
    return _imported(changed, line if has_sequence else f"import {{ sequence }} from '{_KIT_HOOKS}';\n{line}")


def _imported(text: str, lines: str) -> str:
    """Imports before the first one, behind whatever comment the file begins with."""
    first = _IMPORT.search(text)
    at = first.start() if first else 0
    return text[:at] + lines + ("" if first else "\n") + text[at:]
