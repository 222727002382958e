"""The protocol over stdin and stdout, until the client closes them."""

import threading

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from searchsocket.agents.library import Libraries


def serve_stdio(server: Server[object], libraries: Libraries) -> None:
    """Answer one client. Other output is redirected to stderr, since stdout is reserved for the protocol."""

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            # In a thread, so that the handshake does not wait for the model.
            threading.Thread(target=libraries.warm_up, name="warm-up", daemon=True).start()
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
