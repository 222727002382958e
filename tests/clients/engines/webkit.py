"""Debian's WebKitGTK, the engine of Safari, over its own WebDriver, on a screen that nobody sees."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.clients.engines.tab import TIMEOUT_S, Tab

DRIVER = shutil.which("WebKitWebDriver")
SCREEN = shutil.which("Xvfb")
BROWSER = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)
OPTIONS = {"binary": str(BROWSER), "args": ["--automation"]}


class WebKitTab(Tab):
    def __init__(self, driver: httpx.Client) -> None:
        self._driver = driver
        session = self._post("/session", capabilities={"alwaysMatch": {"webkitgtk:browserOptions": OPTIONS}})
        self._session = f"/session/{session['sessionId']}"

    def open(self, url: str) -> None:
        self._post(f"{self._session}/url", url=url)

    def run(self, body: str) -> Any:
        return self._post(f"{self._session}/execute/sync", script=body, args=[])

    def act(self, device: dict[str, Any]) -> None:
        self._post(f"{self._session}/actions", actions=[device])

    def close(self) -> None:
        self._driver.delete(self._session)

    def _post(self, path: str, **body: Any) -> Any:
        response = self._driver.post(path, json=body)
        assert response.status_code == 200, response.text
        return response.json()["value"]


@contextmanager
def webkit(folder: Path) -> Iterator[Tab]:
    """A browser that keeps what it keeps in a folder; it ends with the block."""
    with socket.create_server(("127.0.0.1", 0)) as free:  # its driver does not say which port it took
        port = free.getsockname()[1]
    with ExitStack() as stack:
        environment = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "DISPLAY": _screen(stack)}
        # There is no bus to talk to, and a container has no namespaces for a sandbox.
        quiet = {"GTK_A11Y": "none", "GDK_BACKEND": "x11", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        _start(stack, [DRIVER or "", f"--port={port}"], env=os.environ | quiet | environment)
        transport = httpx.HTTPTransport(retries=8)  # until it listens
        address = f"http://127.0.0.1:{port}"
        driver = stack.enter_context(httpx.Client(base_url=address, timeout=TIMEOUT_S, transport=transport))
        tab = WebKitTab(driver)
        stack.callback(tab.close)
        yield tab


def _screen(stack: ExitStack) -> str:
    """The name of a display whose server ends with the stack."""
    readable, writable = os.pipe()
    command = [SCREEN or "", "-displayfd", str(writable), "-screen", "0", "1280x1000x24", "-nolisten", "tcp"]
    _start(stack, command, pass_fds=[writable])
    os.close(writable)
    with os.fdopen(readable) as pipe:
        return f":{pipe.readline().strip()}"


def _start(stack: ExitStack, command: list[str], **options: Any) -> None:
    process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL, **options))
    stack.callback(process.kill)
