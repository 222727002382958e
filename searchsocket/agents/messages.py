"""Messages of a client over stdin: each line is a message or gets an error, so that no caller waits forever.

The SDK drops lines that it cannot parse. Its parser refuses a line because of one half of a surrogate pair.
"""

import contextvars
from types import TracebackType
from typing import Self

import mcp_types as wire
import pydantic_core
from anyio import EndOfStream
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from searchsocket.system.json_text import without_lone_surrogates

Incoming = ReadStream[SessionMessage | Exception]
Outgoing = WriteStream[SessionMessage]


class Messages:
    """Stream of the messages of a client; a line that is no message is answered here."""

    def __init__(self, incoming: Incoming, outgoing: Outgoing) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> contextvars.Context | None:
        """Context of the sender of the last message."""
        context: contextvars.Context | None = getattr(self._incoming, "last_context", None)
        return context

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises:
            EndOfStream: The client closed its side.
        """
        while True:
            item = await self._incoming.receive()
            message = message_of(item) if isinstance(item, ValidationError) else item
            if isinstance(message, wire.JSONRPCError):
                await self._outgoing.send(SessionMessage(message))
            elif message is not None:
                return message

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def message_of(error: ValidationError) -> SessionMessage | wire.JSONRPCError | None:
    """Return the message in a line that the SDK refused, with half surrogate pairs replaced, or the error to send.

    Returns:
        None for an empty line, which needs no answer.
    """
    errors = error.errors(include_url=False, include_context=False)
    if errors[0]["type"] != "json_invalid":
        return _not_a_message(next((each["input"] for each in errors if isinstance(each["input"], dict)), None))
    line = without_lone_surrogates(errors[0]["input"].encode())
    if not line.strip():
        return None
    try:
        value = pydantic_core.from_json(line)
        return SessionMessage(wire.jsonrpc_message_adapter.validate_python(value, by_name=False))
    except ValidationError:
        return _not_a_message(value)
    except ValueError as problem:
        return _refusal(wire.PARSE_ERROR, f"this line is not JSON: {problem}")


def _not_a_message(value: object) -> wire.JSONRPCError:
    id_ = value.get("id") if isinstance(value, dict) else None
    known_id = id_ if isinstance(id_, str) or type(id_) is int else None
    return _refusal(wire.INVALID_REQUEST, "this line is not a JSON-RPC 2.0 message", known_id)


def _refusal(code: int, message: str, id_: str | int | None = None) -> wire.JSONRPCError:
    return wire.JSONRPCError(jsonrpc="2.0", id=id_, error=wire.ErrorData(code=code, message=message))
