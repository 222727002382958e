"""Projects that were pushed below one folder, and a service over them in one event loop."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import httpx
from api_client import KEY
from search_site import Piece, Site

from searchsocket.extensions.fleet import project_list
from searchsocket.extensions.fleet.api.many import create_many_app
from searchsocket.extensions.fleet.api.pool import PoolOptions, ProjectPool
from searchsocket.extensions.fleet.documents import Writer
from searchsocket.extensions.fleet.lease import ScopeLease, holding
from searchsocket.extensions.fleet.live import push_generation
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.folder import FolderObjects
from searchsocket.project.project import open_project
from searchsocket.stores.local.layout import read_current
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope

BLOG_KEY = "another horse battery staple"
ENVIRON = {"SEARCHSOCKET_API_KEY": KEY, "BLOG_KEY": BLOG_KEY}


def trusted(key: str = KEY) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@dataclass
class World:
    """A folder with pushed projects, and the machine that serves them."""

    root: Path
    toml: str = "[api.rate_limit]\nmax = 0\n"
    errors: list[BaseException] = field(default_factory=list)
    max_memory_mb: int = 600
    max_disk_bytes: int = 10**9
    deadline_s: float = 20.0
    now: float = 1000.0

    @property
    def place(self) -> Path:
        return self.root / "place"

    @property
    def machine(self) -> Path:
        return self.root / "machine"

    def push(self, name: str, scopes: Sequence[str] = ("main",), *, public: Sequence[str] = ("main",)) -> None:
        """Push a page "About NAME" to each scope of a project."""
        objects = open_objects((self.place / name).as_uri())
        store = LocalStore(self.root / "indexer" / name, name)
        for scope_name in scopes:
            scope = Scope(name, scope_name)
            text = f"The lighthouse of {name} in {scope_name}."
            Site(store).publish([Piece(f"/{scope_name}", text, title=f"About {name}")], scope)
            current = read_current(store.root / scope_name)
            assert current
            writer = Writer(host="host", pid=1, run="", disk="disk")
            lease = ScopeLease(objects, scope, writer, clock=lambda: datetime.now(UTC), sleep=time.sleep)
            carried = {"embeddings": {"provider": "hash"}}
            with holding(lease, 60.0, lambda _: None):
                folder = store.root / scope_name / current.live
                push_generation(objects, lease, folder, carried, public, datetime.now(UTC))

    @asynccontextmanager
    async def served(self, address: str = "") -> AsyncIterator["Service"]:
        """The service over all projects."""
        self.machine.mkdir(exist_ok=True)
        (self.machine / "searchsocket.toml").write_text(self.toml)
        base = open_project(self.machine, {})
        listed = project_list.project_list(address or self.place.as_uri(), base, ENVIRON, lambda project: project)
        options = PoolOptions(
            environ=ENVIRON,
            host="0.0.0.0",
            dev=False,
            token_of=lambda _: "",
            on_error=self.errors.append,
            max_memory_bytes=self.max_memory_mb * 1_000_000,
            max_disk_bytes=self.max_disk_bytes,
            deadline_s=self.deadline_s,
        )
        pool = ProjectPool(listed, options, lambda: self.now)
        app = create_many_app(
            pool, base, environ=ENVIRON, host="0.0.0.0", dev=False, scan_s=3600, on_error=self.errors.append
        )
        transport = httpx.ASGITransport(app, client=("203.0.113.9", 40000), raise_app_exceptions=False)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://search.example") as client,
        ):
            yield Service(pool, client)


@dataclass
class Service:
    """A running service."""

    pool: ProjectPool
    client: httpx.AsyncClient

    async def get(self, path: str, key: str = "") -> httpx.Response:
        return await self.client.get(path, headers=trusted(key) if key else {})

    async def titles(self, name: str, scope: str = "main", key: str = "") -> list[str]:
        """Titles of the results of a project."""
        answer = await self.get(f"/sites/{name}/api/search?q=lighthouse&scope={scope}", key)
        assert answer.status_code == 200, answer.text
        return [result["title"] for result in answer.json()["results"]]

    def states(self) -> dict[str, str]:
        return {name: member.state for name, member in self.pool.members.items()}

    async def settled(self) -> None:
        """Let closing projects end."""
        while any(member.run and member.run.must_close.is_set() for member in self.pool.members.values()):
            await asyncio.sleep(0.01)


class SlowObjects(FolderObjects):
    """A folder of which one project answers when the test says so."""

    def __init__(self, root: Path, name: str) -> None:
        super().__init__(root)
        self._name = name
        self.go_on = Event()

    def stream(self, name: str) -> Iterator[bytes]:
        if name.startswith(self._name) and not self.go_on.wait(30):
            raise AssertionError("the test ended")
        return super().stream(name)
