"""A local provider of embeddings that speaks OpenAI's protocol and counts its requests."""

import json
import math
import re
import threading
import zlib
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL, DIMENSIONS = "text-embedding-3-small", 256
_WORD = re.compile(r"\w+")


class Provider:
    """Vectors of the words of a text: near where words are shared, and the same on every machine."""

    def __init__(self, golden: str) -> None:
        """Args: golden: the file of golden queries, which are no texts of pages."""
        provider = self
        self._golden = golden
        self.texts = 0  # that somebody paid for
        self._lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
                body = json.dumps(provider.answer(texts)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, texts: list[str]) -> dict[str, Any]:
        if len(texts) > 1 or len(texts[0]) > _LONGEST_QUERY:
            with self._lock:
                self.texts += sum(f'"{text}"' not in self._golden for text in texts)
        tokens = sum(len(text) // 4 for text in texts)
        data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(texts)]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": data, "model": MODEL, "usage": usage}


_LONGEST_QUERY = 60  # characters: titles as sample queries, and those of the golden file


def vector(text: str) -> list[float]:
    """Of unit length, over hashes of words."""
    values = [0.0] * DIMENSIONS
    for word, count in Counter(_WORD.findall(text.lower())).items():
        number = zlib.crc32(word.encode())
        values[number % DIMENSIONS] += (1 if number & 1024 else -1) * math.log1p(count)
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return [value / length for value in values] if any(values) else [1.0, *values[1:]]
