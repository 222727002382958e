"""A server that speaks OpenAI's protocol for chats over a real socket, and says and does what a test scripts."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789abcdef"


def chunk(text: str = "", finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """An event of a stream with some text."""
    choice = {"index": 0, "delta": {**({"content": text} if text else {}), **delta}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def usage(prompt: Any, completion: Any) -> dict[str, Any]:
    """The event with the counts of tokens."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": 0}
    return {**chunk(), "choices": [], "usage": counts}


def event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def spoken(text: str, finish: str = "stop", *more: dict[str, Any]) -> list[bytes]:
    """A whole stream of a text, three characters at a time."""
    parts = [event(chunk(text[at : at + 3])) for at in range(0, len(text), 3)]
    return [*parts, event(chunk(finish=finish)), *map(event, more), b"data: [DONE]\n\n"]


@dataclass
class Script:
    """The reply to a request."""

    parts: list[bytes] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: threading.Event | None = None  # the parts after the first one wait for it
    cuts: bool = False  # the connection ends before the end of the body


def refusal(status: int, message: str = "no", **headers: str) -> Script:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Script([json.dumps({"error": {"message": message, "code": "bad"}}).encode()], status, named)


@dataclass
class ChatServer:
    """Requests so far, and the reply to each."""

    url: str = ""
    answer: Callable[[dict[str, Any]], Script] = lambda body: Script(spoken("NOT_COVERED"))
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def says(self, text: str, finish: str = "stop", *more: dict[str, Any]) -> None:
        self.answer = lambda body: Script(spoken(text, finish, *more))


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    server = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.requests.append(body)
            server.keys.append(self.headers.get("authorization", ""))
            script = server.answer(body)
            self.send_response(script.status)
            kind = "text/event-stream" if script.status == 200 else "application/json"
            for name, value in {"content-type": kind, "transfer-encoding": "chunked", **script.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for at, part in enumerate(script.parts):
                    if at and script.hang:
                        script.hang.wait(60)
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.flush()
                if script.hang and len(script.parts) < 2:
                    script.hang.wait(60)
                if not script.cuts:
                    self.wfile.write(b"0\r\n\r\n")
            except OSError:
                pass  # the client has left
            self.close_connection = script.cuts or self.close_connection

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            pass  # a client left

    http = Quiet(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
