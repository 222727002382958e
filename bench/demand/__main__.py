"""Replay searches of the example site and print the demand report, for review by eye: `python -m bench.demand`.

The searches are titles and headings as they are, with typos and cut short; questions about something else; nonsense;
and secrets, none of which may appear in the report. Each goes through the service with its own visitor. Visitors open
results.
"""

import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

from examples.site_archive import SITE, unpack
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.project.project import open_project

SEARCHES = 5_000
COMMAND = str(Path(sys.executable).with_name("searchsocket"))
FOREIGN = (
    "helm chart", "sso login", "graphql api", "migrate from elasticsearch", "pricing", "dark mode", "k8s deployment",
    "docker compose", "is there a free tier", "jira integration", "gdpr", "autocomplete", "voice search",
    "wordpress plugin", "rate limiter", "webhooks", "offline mode",
    "how to uninstall", "what is rag", "analytics", "serverless", "cron",
)  # fmt: skip
NONSENSE = ("asdf", "qwertz uiop", "snazzlewick trombulator", "lorem ipsum dolor", "xxx", "test123", "hjkl")
SECRETS = ("ana@example.org", "4111 1111 1111 1111", "sk-proj-abcdefghij1234567890ABCDEF", "203.0.113.77")


def typo(text: str, chance: random.Random) -> str:
    at = chance.randrange(1, max(len(text) - 1, 2))
    return text[: at - 1] + text[at : at + 1] + text[at - 1 : at] + text[at + 1 :]


def searches(titles: list[str], chance: random.Random) -> list[str]:
    """Queries as visitors would send them: few often, many seldom."""
    own = [title.split(" · ")[0].split(" — ")[0] for title in titles]
    chance.shuffle(own)
    queries = [*own, *FOREIGN, *(typo(title, chance) for title in own[:30]), *NONSENSE, *SECRETS]
    queries += [" ".join(title.lower().split()[:2]) for title in own[:40]]
    chance.shuffle(queries)
    weights = [1 / (rank + 3) for rank in range(len(queries))]
    return chance.choices(queries, weights, k=SEARCHES)


async def replay(root: Path, chance: random.Random) -> None:
    from search_api.app import create_app

    app = create_app(open_project(root, {}), environ={}, host="0.0.0.0")
    titles = [record.page.title for record in _summaries(root)]
    for number, query in enumerate(searches(titles, chance)):
        client = (f"10.{number % 250}.{number // 250}.1", 40_000)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app, client=client), base_url="http://localhost"
        ) as visitor:
            answer = (await visitor.get("/api/search", params={"q": query})).json()
            results = answer["results"]
            is_ignored, is_second = len(query) % 9 == 0, len(query) % 7 == 0  # results that nobody wants, or as second
            if results and answer["quality"] == "answered" and not is_ignored and chance.random() < 0.7:
                result = results[min(int(chance.expovariate(1.5)) + is_second, len(results) - 1)]
                await visitor.post("/api/beacon", json={"q": query, "url": result["url"]})
    app.state.demand.close()


def _summaries(root: Path):  # type: ignore[no-untyped-def]
    from searchsocket.backends import Backends

    project = open_project(root, {})
    reader = Backends(project, {}).store.reader(project.scope_named("main"))
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", 5_000)]
    return [record for record in reader.catalogue.records(ids) if record.chunk.kind == "summary"]


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="demand-")).resolve()
    if not (root / "searchsocket.toml").exists():
        shutil.copytree(unpack(), root / "build")
        shutil.copy(SITE / "golden-queries.tsv", root)
        (root / "searchsocket.toml").write_text(
            '[project]\nid = "demand"\n[demand]\nenable = true\n[api.rate_limit]\nmax = 0\n', encoding="utf-8"
        )
        subprocess.run([COMMAND, "index", "--project", str(root)], check=True)
    DemandLog(open_project(root, {}).state_dir).path.unlink(missing_ok=True)
    asyncio.run(replay(root, random.Random(7)))
    subprocess.run([COMMAND, "demand", "--project", str(root), *sys.argv[2:]], check=True)
    print(f"\nthe project is {root}")


if __name__ == "__main__":
    main()
