"""A Milvus server 2.3.5 on this machine, for `MILVUS_TEST_URI=http://127.0.0.1:19530 pytest tests/stores/milvus`.

`make milvus` runs it, in an environment of its own: the wheel that carries the server wants an old setuptools.
"""

import signal
import tempfile

from milvus import MilvusServer


def main() -> None:
    """Serve until interrupted; nothing is kept."""
    server = MilvusServer()
    with tempfile.TemporaryDirectory(prefix="milvus-") as folder:
        server.set_base_dir(folder)
        server.start()
        try:
            print(f"http://127.0.0.1:{server.listen_port}", flush=True)
            signal.sigwait({signal.SIGINT, signal.SIGTERM})
        finally:
            server.stop()


if __name__ == "__main__":
    main()
