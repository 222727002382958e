"""One service over a place with many projects: opened when asked, closed above a bound, each with its own rules."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from api_client import KEY

from search_api.endpoints.monitoring import ServiceNumbers
from searchsocket.extensions.fleet import project_list
from searchsocket.extensions.fleet.api.pool import PoolNumbers
from tests.extensions.fleet.pushed_projects import BLOG_KEY, Service, SlowObjects, World

PROJECT = '[project]\nid = "{name}"\n[scope]\nfixed = "main"\nmode = "fixed"\n[embeddings]\nprovider = "hash"\n'


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("pushed"))
    world.push("blog", ("main", "next"))
    world.push("docs", ("main", "next"))
    world.push("shop")
    world.push("secret", public=())
    return world


@pytest.fixture
def world(pushed: World, tmp_path: Path) -> World:
    shutil.copytree(pushed.place, tmp_path / "place")
    return World(tmp_path)


def run(world: World, steps: Callable[[Service], Awaitable[None]], address: str = "") -> None:
    async def served() -> None:
        async with world.served(address) as service:
            await steps(service)

    asyncio.run(served())


def test_a_project_is_opened_once_by_its_first_requests(world: World) -> None:
    async def steps(service: Service) -> None:
        assert set(service.states().values()) == {"closed"}
        assert await asyncio.gather(*map(service.titles, ["blog", "docs"] * 4)) == [["About blog"], ["About docs"]] * 4
        assert service.states() == {"blog": "open", "docs": "open", "shop": "closed", "secret": "closed"}
        assert len(service.pool._tasks) == 2
        assert (await service.get("/sites/blog/api/health")).json()["ready"]
        assert (await service.get("/sites/blog/")).status_code == 200
        values = {
            (sample.name, sample.labels.get("state")): sample.value
            for family in PoolNumbers(service.pool.members, service.pool.memory, service.pool.files).collect()
            for sample in family.samples
        }
        assert (values["searchsocket_projects", "open"], values["searchsocket_projects", "closed"]) == (2, 2)
        assert values["searchsocket_open_bytes", None] > 6_000_000
        assert values["searchsocket_pulled_bytes", None] == service.pool.files.used_bytes > 0

    run(world, steps)


def test_strangers_cannot_tell_a_private_project_from_none(world: World) -> None:
    async def steps(service: Service) -> None:
        for key in ("", "a wrong key of some length"):
            private, missing = [
                await service.get(f"/sites/{name}/api/search?q=x", key) for name in ("secret", "nothing")
            ]
            assert (private.status_code, private.content) == (missing.status_code, missing.content)
            assert private.status_code == 404
        assert service.states()["secret"] == "closed"
        assert sorted((await service.get("/api/health")).json()["sites"]) == ["blog", "docs", "shop"]
        assert await service.titles("secret", key=KEY) == ["About secret"]
        assert "secret" in (await service.get("/api/health", KEY)).json()["sites"]

    run(world, steps)


def test_strangers_do_not_know_project_folders_without_an_index(tmp_path: Path) -> None:
    world = World(tmp_path)
    folders = world.root / "projects"
    for name in ("blog", "empty", "damaged"):
        (folders / name).mkdir(parents=True)
        (folders / name / "searchsocket.toml").write_text(PROJECT.format(name=name))
    for name in ("blog", "damaged"):
        world.push(name)
        shutil.copytree(world.root / "indexer" / name, folders / name / ".searchsocket" / "index")
    (folders / "damaged" / ".searchsocket" / "index" / "main" / "CURRENT").write_text("?")

    async def steps(service: Service) -> None:
        assert list((await service.get("/api/health")).json()["sites"]) == ["blog"]
        assert await service.titles("blog") == ["About blog"]
        for name in ("empty", "damaged"):
            assert (await service.get(f"/sites/{name}/api/search?q=x")).status_code == 404
            assert (await service.get(f"/sites/{name}/api/search?q=x", KEY)).json()["error"]["code"] != "NOT_FOUND"
        assert sorted((await service.get("/api/health", KEY)).json()["sites"]) == ["blog", "damaged", "empty"]

    run(world, steps, str(folders))


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/nothing"])
def test_paths_without_an_endpoint_get_an_error_of_the_api(world: World, path: str) -> None:
    async def steps(service: Service) -> None:
        answer = await service.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")
        answer = await service.client.put("/api/search")
        assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")

    run(world, steps)


def test_a_hostile_name_is_no_project(world: World) -> None:
    names = ["%2e%2e", "%2e%2e%2fblog", ".searchsocket", "BLOG", "blog%00", "%ff", "a" * 5_000, "", "blog;x", "blog%20"]

    async def steps(service: Service) -> None:
        for name in names:
            assert (await service.get(f"/sites/{name}/api/search?q=x", KEY)).status_code == 404, name
        assert set(service.states().values()) == {"closed"}

    run(world, steps)


def test_folders_that_are_no_projects_are_not_listed(world: World) -> None:
    for name in ("-x", ".git", "a b", "x" * 101, "empty"):
        (world.place / name).mkdir()
        if name != "empty":
            shutil.copy(world.place / "blog" / "searchsocket.json", world.place / name)

    async def steps(service: Service) -> None:
        assert sorted(service.pool.members) == ["blog", "docs", "secret", "shop"]

    run(world, steps)


def test_a_project_has_its_own_key_and_limit(world: World) -> None:
    """A folder of its name on the serving machine has its settings."""
    own = world.machine / "blog"
    own.mkdir(parents=True)
    (own / "searchsocket.toml").write_text('[api]\nkey_env = "BLOG_KEY"\n[api.rate_limit]\nmax = 2\n')

    async def steps(service: Service) -> None:
        assert await service.titles("blog", "next", BLOG_KEY) == ["About blog"]
        assert (await service.get("/sites/blog/api/search?q=x", KEY)).status_code == 401
        assert (await service.get("/sites/docs/api/search?q=x", BLOG_KEY)).status_code == 401
        codes = [(await service.get("/sites/blog/api/search?q=lighthouse")).status_code for _ in range(3)]
        assert codes == [200, 429, 429]  # the wrong key counted too
        assert (await service.get("/sites/docs/api/search?q=lighthouse")).status_code == 200

    run(world, steps)


def test_strangers_open_projects_only_so_often(world: World) -> None:
    world.toml = "[api.rate_limit]\nmax = 2\n"

    async def steps(service: Service) -> None:
        assert await service.titles("blog") == ["About blog"]
        assert (await service.get("/sites/nothing/")).status_code == 404
        assert (await service.get("/sites/docs/api/search?q=x")).status_code == 429
        assert await service.titles("blog") == ["About blog"]

    run(world, steps)


def test_a_search_names_its_projects(world: World) -> None:
    async def steps(service: Service) -> None:
        answer = (await service.get("/api/search?q=lighthouse&project=blog&project=docs")).json()
        assert sorted(result["origin"]["project"] for result in answer["results"]) == ["blog", "docs"]
        body = {"q": "lighthouse", "project": "blog"}
        posted = (await service.client.post("/api/search", json=body)).json()
        assert [result["origin"]["project"] for result in posted["results"]] == ["blog"]
        many = "&".join(f"project={number}" for number in range(9))
        for query in ("", many, "project=blog&project=blog"):
            assert (await service.get(f"/api/search?q=x&{query}")).status_code == 400
        for name in ("secret", "nothing"):
            assert (await service.get(f"/api/search?q=x&project=blog&project={name}")).status_code == 404
        assert (await service.client.post("/api/search", json={"q": "x", "project": [1, {}]})).status_code == 404

    run(world, steps)


def test_the_least_recently_used_are_closed_above_the_bound_of_memory(world: World) -> None:
    world.max_memory_mb = 8  # two projects with a scope each

    async def steps(service: Service) -> None:
        for name in ("blog", "docs", "shop"):
            assert await service.titles(name) == [f"About {name}"]
            await service.settled()
        assert service.states() == {"blog": "closed", "docs": "open", "shop": "open", "secret": "closed"}
        assert service.pool.memory.used_bytes <= 8_000_000

    run(world, steps)


def test_visitors_of_more_projects_than_fit_are_all_answered(world: World) -> None:
    """Each project is closed while others ask for it."""
    world.max_memory_mb = 4  # one project with a scope

    async def steps(service: Service) -> None:
        async def visitor(names: Sequence[str]) -> None:
            for name in names:
                assert await service.titles(name) == [f"About {name}"]

        await asyncio.gather(*map(visitor, [*permutations(("blog", "docs", "shop"))] * 3))
        await service.settled()
        assert list(service.states().values()).count("open") == 1
        assert service.pool.memory.used_bytes <= 4_000_000

    run(world, steps)


def test_an_idle_project_is_closed_and_its_numbers_stay(world: World) -> None:
    async def steps(service: Service) -> None:
        def count(name: str) -> float:
            return sum(
                sample.value
                for family in ServiceNumbers(service.pool.numbers).collect()
                for sample in family.samples
                if sample.name == "searchsocket_requests_total" and sample.labels["project"] == name
            )

        await service.titles("blog")
        world.now += 4_000
        await service.pool.scan()
        await service.settled()
        assert set(service.states().values()) == {"closed"}
        assert (count("blog"), count("docs")) == (1, 0)
        assert await service.titles("blog") == ["About blog"]
        assert count("blog") == 2

    run(world, steps)


def test_pulled_files_stay_within_the_bound_of_the_disk(world: World) -> None:
    async def steps(service: Service) -> None:
        await service.titles("blog")
        size = service.pool.files.used_bytes
        service.pool.files._grace_s = 0
        service.pool.files.max_bytes = 5 * size // 2
        for name, scope in (("blog", "next"), ("docs", "main"), ("docs", "next"), ("blog", "main"), ("blog", "next")):
            assert await service.titles(name, scope, KEY) == [f"About {name}"]
            assert service.pool.files.used_bytes <= service.pool.files.max_bytes
        await service.pool.scan()
        folders = list(world.machine.rglob("CURRENT"))
        assert len(folders) == 2
        service.pool.files.max_bytes = size // 2
        answer = await service.get("/sites/shop/api/search?q=lighthouse")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "ARTIFACT_INVALID")

    run(world, steps)


def test_the_index_of_a_project_folder_is_never_removed(tmp_path: Path) -> None:
    world = World(tmp_path, max_disk_bytes=1)
    world.push("blog")
    folder = world.root / "projects" / "blog"
    shutil.copytree(world.root / "indexer" / "blog", folder / ".searchsocket" / "index")
    (folder / "searchsocket.toml").write_text(PROJECT.format(name="blog"))

    async def steps(service: Service) -> None:
        assert await service.titles("blog") == ["About blog"]
        await service.pool.scan()
        assert (folder / ".searchsocket" / "index" / "main" / "CURRENT").exists()
        shutil.rmtree(folder)
        (folder.parent / "docs").mkdir()
        (folder.parent / "docs" / "searchsocket.toml").touch()
        await service.pool.scan()
        assert sorted(service.pool.members) == ["docs"]

    run(world, steps, str(world.root / "projects"))


def test_new_projects_appear_and_vanished_ones_go(world: World) -> None:
    async def steps(service: Service) -> None:
        assert await service.titles("blog") == ["About blog"]
        pulled = service.pool.members["blog"].listed.pulled_index
        assert pulled
        assert pulled.exists()
        (world.place / "blog").rename(world.place / "news")
        await service.pool.scan()
        await service.settled()
        assert sorted(service.pool.members) == ["docs", "news", "secret", "shop"]
        assert (await service.get("/sites/blog/api/search?q=x")).status_code == 404
        assert not pulled.exists()
        assert await service.titles("news") == ["About blog"]

    run(world, steps)


@pytest.mark.parametrize("is_away", [True, False])
def test_a_place_that_cannot_be_listed_or_is_empty_loses_no_project(world: World, is_away: bool) -> None:
    """An empty folder may be a disk that is not mounted."""

    async def steps(service: Service) -> None:
        world.place.rename(world.root / "away")
        if not is_away:
            world.place.mkdir()
        await service.pool.scan()
        assert [getattr(error, "code", "") for error in world.errors] == ["ARTIFACTS_UNAVAILABLE"]
        assert sorted(service.pool.members) == ["blog", "docs", "secret", "shop"]

    run(world, steps)


def test_a_broken_project_gives_a_typed_error_and_disturbs_no_other(world: World) -> None:
    for blob in (world.place / "blog" / "blobs").rglob("*"):
        if blob.is_file():
            blob.write_bytes(bytes(blob.stat().st_size))
    (world.place / "docs" / "searchsocket.json").write_text("{")

    async def steps(service: Service) -> None:
        for _ in range(2):
            answer = await service.get("/sites/blog/api/search?q=x")
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "ARTIFACT_INVALID")
        assert (await service.get("/sites/docs/api/search?q=x")).status_code == 404
        broken = await service.get("/sites/docs/api/search?q=x", KEY)
        assert (broken.status_code, broken.json()["error"]["code"]) == (503, "ARTIFACT_INVALID")
        assert await service.titles("shop") == ["About shop"]
        answer = (await service.get("/api/search?q=lighthouse&project=blog&project=shop")).json()
        assert [note["code"] for note in answer["meta"]["notes"]] == ["SITE_UNAVAILABLE"]
        assert service.states()["blog"] == "ARTIFACT_INVALID"
        shutil.rmtree(world.place / "blog")
        world.push("blog")
        world.now += 10  # it is tried again after a pause
        assert await service.titles("blog") == ["About blog"]

    run(world, steps)


def test_a_slow_project_delays_no_other(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowObjects(world.place, "blog/scopes/main/")
    monkeypatch.setattr(project_list, "open_objects", lambda _: slow)
    world.deadline_s = 0.2

    async def steps(service: Service) -> None:
        answer = await service.get("/sites/blog/api/search?q=lighthouse")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "INDEX_LOADING")
        assert answer.headers["retry-after"] == "5"
        assert service.states()["blog"] == "loading"
        service.pool._options = replace(service.pool._options, deadline_s=20.0)
        assert await service.titles("docs") == ["About docs"]
        slow.go_on.set()
        assert await service.titles("blog") == ["About blog"]

    run(world, steps)
