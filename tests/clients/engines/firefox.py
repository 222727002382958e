"""Debian's Firefox over WebDriver BiDi, by hand: Playwright's asks it for a command that it does not have yet."""

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.clients.engines.tab import TIMEOUT_S, Tab
from tests.running_service import wait_until

ADDRESS = re.compile(r"BiDi listening on (ws://\S+)\n")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class FirefoxTab(Tab):
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count()
        self._send("session.new", capabilities={})
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, url: str) -> None:
        """Open a page, also while another one still loads: Firefox may then never say that this one has loaded."""
        self.run("window.isOfThePageBefore = true")
        self._send("browsingContext.navigate", context=self._context, url=url, wait="none")
        self.until("!window.isOfThePageBefore && document.readyState === 'complete'")

    def run(self, body: str) -> Any:
        function = f"() => JSON.stringify((() => {{ {body} }})() ?? null)"
        answer = self._send(
            "script.callFunction",
            functionDeclaration=function,
            target={"context": self._context},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def act(self, device: dict[str, Any]) -> None:
        self._send("input.performActions", context=self._context, actions=[device])

    def _send(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._connection.recv(TIMEOUT_S))).get("id") != number:
            pass  # an event
        assert answer["type"] == "success", answer
        return answer["result"]


@contextmanager
def firefox(folder: Path) -> Iterator[Tab]:
    """A browser with an empty profile in a folder; it ends with the block."""
    assert FIREFOX
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    log = folder / "browser.log"  # a pipe that nobody reads would stop the browser once it is full
    with log.open("w") as output, subprocess.Popen(command, stderr=output, stdout=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: ADDRESS.search(log.read_text()) is not None)
            address = ADDRESS.findall(log.read_text())[0]
            with connect(f"{address}/session", max_size=None, proxy=None) as connection:
                yield FirefoxTab(connection)
        finally:
            process.kill()
