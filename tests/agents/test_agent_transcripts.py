"""A whole conversation with the official client reads the same by every way to the server, and meets each error."""

from bench.agents.transcripts import ERAS, Subject, converse, lasting, over_http, over_stdio
from search_api.app import create_app
from searchsocket.project.project import Project
from tests.api_client import ENVIRON, KEY
from tests.running_service import listening

ROBOT = Subject(
    page="how is the battery charged",
    code="check a token",
    file="src/steps.py",
    term="battery",
    question="How long does the battery last?",
    absent="Which emperor invented marmalade?",
)
CODES = {"CHUNK_GONE", "CONTINUATION_GONE", "INVALID_REQUEST", "INVALID_SCOPE", "PAGE_NOT_FOUND", "SCOPE_NOT_INDEXED"}


def test_both_transports_and_both_eras_read_the_same(agent_project: Project) -> None:
    with listening(create_app(agent_project, environ=ENVIRON, host="127.0.0.1")) as port:
        transports = [over_http(f"http://127.0.0.1:{port}/mcp", KEY) for _ in ERAS]
        transcripts = [converse(transport, mode, ROBOT) for transport, mode in zip(transports, ERAS, strict=True)]
    transcripts += [converse(over_stdio(agent_project.root), mode, ROBOT) for mode in ERAS]
    first, *others = [lasting(transcript.lines) for transcript in transcripts]
    for other in others:
        assert other == first
    assert [item.codes for item in transcripts] == [CODES] * 4
    assert sum(line.startswith("### ") for line in first) > 40
