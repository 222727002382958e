"""A server that speaks Jina's rerank protocol over a real socket, strictly, and fails when told to.

Fields and their limits are those of the vendor's OpenAPI description; what it does not know is refused.
"""

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "jina_0123456789abcdefKEY"
MODELS = ("jina-reranker-v2-base-multilingual", "jina-reranker-v3", "own-model")
_FIELDS = {"model", "query", "documents", "top_n", "return_documents"}
_MAX_DOCUMENTS = 2_048


@dataclass
class Reply:
    """Instead of the usual answer: a status with a body, or what becomes of the usual one."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    spoil: Callable[[dict[str, Any]], Any] = lambda answer: answer
    hang: threading.Event | None = None  # answered when it is set
    drip: threading.Event | None = None  # a byte at a time, until it is set
    cut: bool = False  # the connection ends in the middle of the answer


@dataclass
class Server:
    """Requests and replies of the server so far."""

    url: str = ""
    replies: deque[Reply] = field(default_factory=deque)  # for the next requests, one each
    always: Reply = field(default_factory=Reply)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    tokens: int = 0  # charged for


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def score(query: str, document: str) -> float:
    """The share of the query's words that a document holds; of equals a shorter one is better."""
    query_words = words(query)
    return round(len(query_words & words(document)) / max(len(query_words), 1) - len(document) / 1e6, 6)


def judged(body: dict[str, Any]) -> dict[str, Any]:
    documents = body["documents"]
    best = sorted(range(len(documents)), key=lambda n: (-score(body["query"], documents[n]), n))[: body["top_n"]]
    return {
        "model": body["model"],
        "object": "list",
        "usage": {"total_tokens": sum(len((body["query"] + text).split()) for text in documents)},
        "results": [{"index": n, "relevance_score": score(body["query"], documents[n])} for n in best],
    }


def _problem(body: Any) -> str:
    """Return the reason to refuse a request; "" if it is valid."""
    if not isinstance(body, dict) or (unknown := body.keys() - _FIELDS):
        return f"unknown fields {unknown}" if isinstance(body, dict) else "no object"
    if body.get("model") not in MODELS:
        return f"Model {body.get('model')!r} not found"
    documents, top_n = body.get("documents"), body.get("top_n")
    if not isinstance(body.get("query"), str) or not body["query"]:
        return "query must be a text"
    if not isinstance(documents, list) or not 1 <= len(documents) <= _MAX_DOCUMENTS:
        return "documents must be a list"
    if not all(isinstance(text, str) and text for text in documents):
        return "documents must be texts"
    return "" if isinstance(top_n, int) and 1 <= top_n <= len(documents) else "top_n"


@contextmanager
def serve() -> Iterator[Server]:
    """Serve on a free port of the loopback interface."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8"))
            server.requests.append(body)
            server.keys.append(self.headers["Authorization"])
            reply = server.replies.popleft() if server.replies else server.always
            try:
                self._answer(body, reply)
            except OSError:
                self.close_connection = True  # the caller hung up

        def _answer(self, body: Any, reply: Reply) -> None:
            if reply.hang:
                reply.hang.wait(30)
            status, answer = reply.status, reply.body
            if self.path != "/v1/rerank":
                status, answer = 404, {"detail": "Not Found"}
            elif answer is None and (problem := _problem(body)):
                status, answer = 422, {"detail": problem}
            elif answer is None:
                output = judged(body)
                server.tokens += output["usage"]["total_tokens"]
                answer = reply.spoil(output)
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if reply.drip:
                for number in range(len(data)):
                    self.wfile.write(data[number : number + 1])
                    self.wfile.flush()
                    if reply.drip.wait(0.05):
                        break
                self.close_connection = True
                return
            self.wfile.write(data[: len(data) // 2] if reply.cut else data)
            self.close_connection = reply.cut

        def log_message(self, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
