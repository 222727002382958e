"""A server that speaks OpenAI's protocol over a real socket, counts what it is paid for, and fails when told to."""

import base64
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from searchsocket.models.embedders.hash import HashEmbedder

DIMENSIONS = 512
KEY = "sk-test-0123456789abcdef"
_MODEL = HashEmbedder()


@dataclass
class Reply:
    """Instead of the usual answer: a status with a body, or what becomes of the usual one."""

    status: int = 200
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    spoil: Callable[[dict[str, Any]], Any] = lambda answer: answer
    hang: threading.Event | None = None  # answered when it is set
    cut: bool = False  # the connection ends in the middle of the answer


def error(status: int, code: str, message: str = "no", **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"error": {"message": message, "type": code, "code": code}}, named)


@dataclass
class Server:
    """Requests and replies of the server so far."""

    url: str = ""
    replies: deque[Reply] = field(default_factory=deque)  # for the next requests, one each
    always: Reply = field(default_factory=Reply)
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    paid: list[str] = field(default_factory=list)  # texts of requests that were answered with vectors
    charged: int = 0  # tokens of those
    under_way: int = 0
    most_under_way: int = 0
    judge: Callable[[dict[str, Any]], Reply | None] = lambda body: None  # the answer to a request that it refuses
    before: Callable[["Server"], None] = lambda server: None  # called in the request's thread before it is answered
    lock: threading.Lock = field(default_factory=threading.Lock)


def tokens_of(text: str) -> int:
    """As the server counts them: by itself."""
    return len(text.split()) + 1


def vectors_json(texts: list[str], *, as_base64: bool) -> dict[str, Any]:
    rows = _MODEL.embed(texts, "passage")
    data = [
        {"object": "embedding", "index": n, "embedding": base64.b64encode(row.tobytes()).decode() if as_base64 else
         [float(value) for value in row]}
        for n, row in enumerate(rows)
    ]  # fmt: skip
    tokens = sum(map(tokens_of, texts))
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def with_vectors(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The answer with its vectors changed."""

    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        for item in answer["data"]:
            row = np.frombuffer(base64.b64decode(item["embedding"]), dtype=np.float32)
            item["embedding"] = base64.b64encode(change(row).astype(np.float32).tobytes()).decode()
        return answer

    return spoil


@contextmanager
def serve() -> Iterator[Server]:
    """Serve on a free port of the loopback interface."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request_bytes = self.rfile.read(int(self.headers["Content-Length"]))
            if len(request_bytes) < int(self.headers["Content-Length"]):  # the caller died
                self.close_connection = True
                return
            body = json.loads(request_bytes)
            with server.lock:
                server.requests.append(body)
                server.paths.append(self.path)
                server.keys.add(self.headers["Authorization"] or "")
                server.under_way += 1
                server.most_under_way = max(server.most_under_way, server.under_way)
                reply = server.replies.popleft() if server.replies else server.always
            try:
                server.before(server)
                self._answer(body, server.judge(body) or reply)
            except OSError:
                self.close_connection = True  # the caller hung up
            finally:
                with server.lock:
                    server.under_way -= 1

        def _answer(self, body: dict[str, Any], reply: Reply) -> None:
            if reply.hang:
                reply.hang.wait(30)
            answer: Any = reply.body
            if answer is None:
                texts = body["input"] if "input" in body else body["texts"]
                answer = reply.spoil(vectors_json(texts, as_base64=body.get("encoding_format") == "base64"))
                with server.lock:
                    server.paid += texts
                    server.charged += sum(map(tokens_of, texts))
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
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
