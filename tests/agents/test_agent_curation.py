"""Rules of the owner for agents and for strangers: the same results, and no page that a caller may not read."""

from pathlib import Path

from search_site import Piece, Site

from search_api.app import create_app
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope
from tests.agents.agent_project import call, server_of, text_of
from tests.api_client import ENVIRON, KEY, Api, make_project

RULES = '[[pin]]\nquery = "*berth prices*"\npages = ["/only-secret", "/docs/driving"]\n'


def test_agents_and_strangers_get_pins_of_their_scope_alone(tmp_path: Path) -> None:
    project = make_project(tmp_path / "site")
    secret = Scope("site", "secret-branch")
    Site(LocalStore(project.state_dir / "index", "site")).publish([Piece("/only-secret", "Prices.")], secret)
    (project.root / "curation.toml").write_text(RULES)
    reply = text_of(call(server_of(project), "search", query="qwxz berth prices"))
    assert "/docs/driving" in reply
    assert "/only-secret" not in reply
    api, with_key = Api(create_app(project, environ=ENVIRON, host="0.0.0.0")), {"authorization": f"Bearer {KEY}"}
    answer = api.get("/api/search?q=qwxz+berth+prices&explain=true")
    assert [result["url"] for result in answer.json()["results"]] == ["/docs/driving"]
    assert "only-secret" not in answer.text
    refused = api.get("/api/search?q=qwxz+berth+prices&scope=secret-branch")
    assert (refused.status_code, "only-secret" in refused.text) == (403, False)
    trusted = api.get("/api/search?q=qwxz+berth+prices&scope=secret-branch", headers=with_key).json()
    assert [hit["url"] for hit in trusted["results"]] == ["/only-secret"]
