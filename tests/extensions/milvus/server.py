"""A Milvus server 2.3.5 on this machine: `make milvus` runs it, and so do the tests where its environment is there.

The wheel that carries the server wants an old setuptools, so it has an environment of its own.
"""

import argparse
import contextlib
import os
import select
import signal
import socket
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from milvus import MilvusServer

_PATIENCE_S = 60.0
# How often its parts look at each other: a read that waits for all that was written takes 20 ms instead of 200, and a
# new collection 0.3 s instead of 3.
_INTERVALS = {
    "proxy.timeTickInterval": 20,
    "queryCoord.checkInterval": 50,
    "queryCoord.distPullInterval": 50,
    "queryCoord.checkHandoffInterval": 100,
    "common.security.authorizationEnabled": "true",
}


def main() -> int:
    """Serve until interrupted, or until a process has ended; nothing is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--until-end-of", type=int, metavar="PID", default=0)
    watched = parser.parse_args().until_end_of
    # Raised, so that the server is stopped: it is a process that would go on.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="milvus-", ignore_cleanup_errors=True) as folder:
        server = prepared(Path(folder))
        try:
            server.start()
            if not is_ready(server):
                print((Path(folder) / "logs" / "milvus-stdout.log").read_text("utf-8", "replace")[-2000:])
                return 1
            print(f"http://127.0.0.1:{server.listen_port}", flush=True)
            print(f"it tells its counters at http://127.0.0.1:{server.webservice_port}/metrics", flush=True)
            if watched:
                select.select([os.pidfd_open(watched)], [], [])
            else:
                signal.pause()
        except (KeyboardInterrupt, ProcessLookupError):
            pass
        finally:
            server.stop()
    return 0


def prepared(folder: Path) -> MilvusServer:
    """A server of a folder, beside others on this machine; its programs are unpacked once."""
    programs = Path(sys.prefix) / "server" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    (folder / "bin").symlink_to(programs)
    # The etcd inside listens at two ports, which nothing of the server's own settings moves.
    ours, peers = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    (folder / "etcd.yaml").write_text(
        f"listen-client-urls: {ours}\nadvertise-client-urls: {ours}\nlisten-peer-urls: {peers}\n"
        f"initial-advertise-peer-urls: {peers}\ninitial-cluster: default={peers}\n"
    )
    os.environ["ETCD_CONFIG_PATH"] = str(folder / "etcd.yaml")
    server = MilvusServer(wait_for_started=False)  # it would wait for minutes for one that has ended
    server.set_base_dir(str(folder))
    for name, milliseconds in _INTERVALS.items():
        server.config.set(name, milliseconds)
    return server


def is_ready(server: MilvusServer) -> bool:
    """Wait until it answers; False: it ended, or takes too long."""
    for _ in range(round(_PATIENCE_S / 0.1)):
        if server.server_proc.poll() is not None:
            return False
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            if b"OK" in urllib.request.urlopen(f"http://127.0.0.1:{server.webservice_port}/healthz", timeout=5).read():
                return True
        time.sleep(0.1)
    return False


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


if __name__ == "__main__":
    raise SystemExit(main())
