"""Rules of `robots.txt` for this crawler (RFC 9309)."""

import re

from protego import Protego

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl.fetch import Fetcher, FetchFailed

PRODUCT = "searchsocket"
MAX_BYTES = 512_000  # minimum that RFC 9309 requires a crawler to read
_TOKEN = re.compile(r"\*|[a-z_-]*")
_AGENT = re.compile(r"user[ -]?agent(?:[ \t]*:|[ \t])", re.IGNORECASE)
_WHOLE_SITE = ("sitemap", "site-map", "host")


def read_robots(fetcher: Fetcher) -> Protego | None:
    """Read the rules of a host; None if it has none.

    Raises:
        SourceUnavailable: They cannot be read, so nothing may be fetched.
    """
    try:
        body = fetcher.get(f"{fetcher.origin}/robots.txt").body
    except FetchFailed as error:
        if 400 <= error.status < 500 and error.status != 429:
            return None  # no rules (RFC 9309, 2.3.1.3)
        raise SourceUnavailable(f"robots.txt of {fetcher.origin} cannot be read: {error}") from error
    return parse_robots(body)


def parse_robots(body: bytes) -> Protego:
    """Parse the rules for this crawler as rules for every agent; never fails.

    Only the group of this crawler reaches the parser. The parser compares agents by word prefixes, so it would apply
    rules for `search` or `indexer` too. It also copies each rule for each agent of a group: gigabytes for a hostile
    file of this size.
    """
    own_rules: list[str] = []
    general_rules: list[str] = []
    site_lines: list[str] = []
    agents: set[str] = set()  # of the current group
    has_own_group = False
    in_rules = False
    for line in body[:MAX_BYTES].decode("utf-8-sig", "replace").replace("\r", "\n").split("\n"):
        text = line.partition("#")[0].strip()
        if agent := _AGENT.match(text):
            agents = {_token(text[agent.end() :])} | (set() if in_rules else agents)
            has_own_group |= PRODUCT in agents
            in_rules = False
        elif text.lower().startswith(_WHOLE_SITE):
            site_lines.append(text)
        elif text:
            in_rules |= ":" in text
            if PRODUCT in agents:
                own_rules.append(text)
            if "*" in agents:
                general_rules.append(text)
    return Protego.parse("\n".join(["User-agent: *", *(own_rules if has_own_group else general_rules), *site_lines]))


def _token(agent: str) -> str:
    """The product token of a user agent, without version and comments."""
    match = _TOKEN.match(agent.strip().lower())
    return match[0] if match else ""
