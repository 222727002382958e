"""A push or a pull in a process of its own, which dies before one of its steps."""

import resource
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from search_site import PROJECT

from bench.crashes.dying import die, watch
from searchsocket.errors import StateUnavailable
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.types import Scope
from tests.extensions.fleet.machines import Indexer, Reader


def push(root: Path, place: Path) -> None:
    Indexer(root, open_objects(place.as_uri())).push()


def pull(root: Path, place: Path) -> None:
    Reader(root, open_objects(place.as_uri())).pull(Scope(PROJECT, "main"))


STEPS = {"push": push, "pull": pull}


def run(step: str, root: Path, place: Path, dies_before: int, channel: Connection) -> None:
    """Do it, or die before step `dies_before` of those that write to where it writes; sends the labels until then."""
    labels: list[str] = []

    def on_step(label: str) -> None:
        labels.append(label)
        if len(labels) > dies_before:
            channel.send(labels)
            die()

    watch(place if step == "push" else root, on_step)
    STEPS[step](root, place)
    channel.send(labels)


def pull_with_little_room(root: Path, place: Path, bytes_a_file: int, channel: Connection) -> None:
    """Files cannot grow beyond a size, as on a disk that is full by then; sends the message of the error."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, bytes_a_file))
    try:
        pull(root, place)
    except StateUnavailable as error:
        channel.send(str(error))
    else:
        channel.send("")
