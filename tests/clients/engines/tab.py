"""A tab of a browser that Playwright does not drive: its protocol carries the same actions, whichever it is."""

import json
import time
from typing import Any

TIMEOUT_S = 60.0
CONTROL, ENTER, ESCAPE, UP, DOWN = "\ue009", "\ue007", "\ue00c", "\ue013", "\ue015"


class Tab:
    """Common interface of the browser engines; each opens pages, runs scripts and emulates devices."""

    def open(self, url: str) -> None:
        raise NotImplementedError

    def run(self, body: str) -> Any:
        """Return the result of a function body that runs in the page, as JSON."""
        raise NotImplementedError

    def act(self, device: dict[str, Any]) -> None:
        """Use one input source of WebDriver's `actions`."""
        raise NotImplementedError

    def value(self, expression: str) -> Any:
        return self.run(f"return ({expression})")

    def keys(self, keys: str, modifier: str = "") -> None:
        """Press keys one after the other, while another is held."""
        pressed = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        around = [[{"type": kind, "value": key} for key in modifier] for kind in ("keyDown", "keyUp")]
        self.act({"type": "key", "id": "keyboard", "actions": [*around[0], *pressed, *around[1]]})

    def click(self, element: str) -> None:
        """Move the pointer onto an element, given as an expression, and press."""
        box = self.value(f"{element}.getBoundingClientRect().toJSON()")
        x, y = (round(box[side] + box[size] / 2) for side, size in (("x", "width"), ("y", "height")))
        move = {"type": "pointerMove", "x": x, "y": y, "duration": 0}
        press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move, *press]})

    def until(self, expression: str) -> None:
        """Wait until an expression is true, also on the page that opens meanwhile."""
        deadline = time.monotonic() + TIMEOUT_S
        while not (value := self._value_of_either(expression)):
            assert time.monotonic() < deadline, f"{expression} is {json.dumps(value)}"

    def _value_of_either(self, expression: str) -> Any:
        """Of the page, or None where another one takes its place in this moment."""
        try:
            return self.value(expression)
        except AssertionError as error:
            if "unload event" not in str(error):
                raise
            return None
