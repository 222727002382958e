"""A Milvus that takes too much at once, or is full: what its answers lead to, over a real socket."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from pymilvus.grpc_gen import common_pb2, milvus_pb2

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.milvus.connection import MilvusConnection

TOKEN = "someone:opensesame"
RATE_LIMIT, DENIED_TO_ALL = 8, 9  # codes of the server
UNAVAILABLE, EXHAUSTED = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED
Refusal = int | grpc.StatusCode
FOREVER = 10**6


class Busy(grpc.GenericRpcHandler):
    """Refuses the first of what is asked, and has no collections."""

    def __init__(self) -> None:
        self.refusal: Refusal = 0
        self.left = 0

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        answer = self._connected if details.method.endswith("/Connect") else self._asked
        return grpc.unary_unary_rpc_method_handler(answer)

    def _connected(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        status = common_pb2.Status()
        return bytes(milvus_pb2.ConnectResponse(status=status, identifier=1).SerializeToString())

    def _asked(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        status = common_pb2.Status()
        if self.left:
            self.left -= 1
            reason = f"no more of {TOKEN}"
            if isinstance(self.refusal, grpc.StatusCode):
                context.abort(self.refusal, reason)
            code = common_pb2.RateLimit if self.refusal == RATE_LIMIT else common_pb2.UnexpectedError
            status = common_pb2.Status(code=self.refusal, error_code=code, reason=reason)
        return bytes(milvus_pb2.ShowCollectionsResponse(status=status).SerializeToString())


@pytest.fixture
def busy() -> Busy:
    return Busy()


@pytest.fixture
def connected(busy: Busy) -> Iterator[Callable[[float], MilvusConnection]]:
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((busy,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield lambda timeout_s: MilvusConnection(f"http://127.0.0.1:{port}", TOKEN, timeout_s, token_env="MY_TOKEN")
    server.stop(None)


@pytest.mark.parametrize("refusal", [RATE_LIMIT, UNAVAILABLE], ids=str)
def test_a_storm_that_passes_is_waited_for(
    busy: Busy, connected: Callable[[float], MilvusConnection], refusal: Refusal
) -> None:
    busy.refusal, busy.left = refusal, 2
    assert connected(60.0).call("list_collections") == []
    assert busy.left == 0


@pytest.mark.parametrize("refusal", [RATE_LIMIT, UNAVAILABLE, EXHAUSTED], ids=str)
def test_a_storm_that_stays_ends_in_time_and_may_be_tried_again(
    busy: Busy, connected: Callable[[float], MilvusConnection], refusal: Refusal
) -> None:
    busy.refusal, busy.left = refusal, FOREVER
    with pytest.raises(VectorBackendUnavailable, match="Milvus at http://127") as away:
        connected(0.2).call("list_collections")
    assert away.value.retryable
    assert "opensesame" not in str(away.value)


def test_a_server_that_is_full_is_said_so(busy: Busy, connected: Callable[[float], MilvusConnection]) -> None:
    busy.refusal, busy.left = DENIED_TO_ALL, FOREVER
    with pytest.raises(VectorBackendRefused, match="its memory, its disk or a quota is used up") as full:
        connected(60.0).call("list_collections")
    assert busy.left == FOREVER - 1, "it is not asked again"
    assert "opensesame" not in str(full.value)
