"""Read commits of a repository with `git`: no checkout, no write, no network; and the base of sources that read one."""

import os
import re
import selectors
import subprocess
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from searchsocket.content.pages import RawPage
from searchsocket.errors import ConfigMissing, InvalidScope, SourceUnavailable
from searchsocket.project.scopes import sanitise_scope
from searchsocket.project.settings.source_kinds import SourceKind
from searchsocket.sources.base import SourceOrigin, SourceReport
from searchsocket.system.git import git_command, git_environ, without_filters

TIMEOUT_S = 60.0  # for one response of git
_MAX_NAME_CHARS = 250
_CHUNK = 65_536
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT_ANSWERS = (
    "rev-parse",
    "for-each-ref",
    "config",
    "status",
    "cat-file",
    "ls-files",
)  # read completely, so that stderr can be read too
_COMMITTER_TIME = re.compile(rb"(?m)^committer .*> (\d+) [+-]\d{4}$")
_NOT_IN_REFS = re.compile(r"[\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]|\.\.|@\{|//|^[-/.]|[/.]$|/\.|\.lock(?:/|$)")

LINK, SUBMODULE = "120000", "160000"  # modes of entries that are no files


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a commit."""

    path: str  # relative to the top of the repository, or to the listed folder
    mode: str  # 100644, 100755, 120000 (link) or 160000 (submodule)
    blob: str  # object id
    size: int  # bytes; 0 for a submodule


class Repository:
    """A repository on this machine, with or without a working tree."""

    def __init__(self, folder: Path) -> None:
        """
        Args:
            folder: Any folder of the repository; paths are relative to it.
        """
        self._folder = folder

    def resolve(self, name: str) -> str:
        """Resolve a branch, remote branch of `origin`, tag, scope name or commit id to a commit.

        Raises:
            InvalidScope: The name is valid for none of these.
            SourceUnavailable: There is no such commit, or no repository.
        """
        if not name or len(name) > _MAX_NAME_CHARS or _NOT_IN_REFS.search(name):
            raise InvalidScope(f"{name[:80]!a} cannot be the name of a branch or commit")
        refs = [f"refs/heads/{name}", f"refs/remotes/origin/{name}", f"refs/tags/{name}"]
        for candidate in [*refs, *([name] if name == "HEAD" or _COMMIT.fullmatch(name) else [])]:
            if commit := self._commit(candidate):
                return commit
        by_scope = [ref for ref in self._refs() if _scope_of(ref) == name]
        commit = self._commit(by_scope[0]) if by_scope else ""
        if not commit:
            raise SourceUnavailable(f"no branch, tag or commit {name!a} in the repository at {self._folder}")
        return commit

    def checked_out(self) -> str:
        """The checked-out commit, with `-dirty` if tracked files have changes.

        Raises:
            SourceUnavailable: There is no repository, or no commit in it.
        """
        commit = self._run("rev-parse", "--verify", "HEAD^{commit}").decode("ascii", "replace").strip()
        filters = without_filters(self._run("config", "--null", "--name-only", "--get-regexp", "^filter", ends=(0, 1)))
        # A submodule has its own configuration, so git must not read submodules.
        changed = self._run(
            "status", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames", environ=filters
        )
        return f"{commit}-dirty" if changed else commit

    def commit_time(self, commit: str) -> int:
        """Return when a commit was made, in seconds since 1970.

        Raises:
            SourceUnavailable: This clone does not contain the commit.
        """
        header = self._run("cat-file", "commit", commit).partition(b"\n\n")[0]
        time = _COMMITTER_TIME.search(header)
        if time is None:
            raise SourceUnavailable(f"commit {commit[:12]} has no commit time")
        return int(time[1])

    def branch(self) -> str:
        """The checked-out branch; `HEAD` if there is none.

        Raises:
            SourceUnavailable: There is no repository, or no commit in it.
        """
        return self._run("rev-parse", "--abbrev-ref", "HEAD").decode("utf-8", "replace").strip()

    def prefix(self) -> str:
        """The path of the folder in the repository: "" at the top, otherwise e.g. `apps/site/`."""
        return self._run("rev-parse", "--show-prefix").decode("utf-8", "surrogateescape").removesuffix("\n")

    def git_paths(self, *names: str) -> list[str]:
        """The top of the working tree, then git's path of each of its own files, relative to the folder or absolute.

        Raises:
            SourceUnavailable: There is no repository, or git refuses to read it.
        """
        options = (option for name in names for option in ("--git-path", name))
        listed = self._run("rev-parse", "--show-toplevel", *options)
        return os.fsdecode(listed).split("\n")[: len(names) + 1]

    def configuration(self) -> Iterator[tuple[str, str, str]]:
        """Yield (file, key in lower case, value) of every setting in a file; later ones take precedence.

        Raises:
            SourceUnavailable: git cannot read its configuration.
        """
        listed = os.fsdecode(self._run("config", "--null", "--show-origin", "--list")).split("\0")
        for origin, setting in zip(listed[::2], listed[1::2], strict=False):
            kind, _, file = origin.partition(":")
            key, has_value, value = setting.partition("\n")
            if kind == "file":
                yield file, key, value if has_value else "true"

    def tracked(self, prefix: str) -> list[str]:
        """The tracked files below `prefix`, relative to the folder.

        Raises:
            SourceUnavailable: git cannot read its index.
        """
        listed = self._run("ls-files", "-z", "--cached", *(["--", prefix] if prefix else []))
        return os.fsdecode(listed).split("\0")[:-1]

    def files(self, commit: str, prefix: str) -> Iterator[TreeEntry]:
        """Yield every file of a commit below `prefix`, relative to it, in git's order.

        Raises:
            SourceUnavailable: git cannot list them all.
        """
        command = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit]
        for line in self._lines(command + (["--", prefix] if prefix else [])):
            facts, _, name = line.partition(b"\t")
            mode, _, blob, size = facts.decode("ascii").split()
            path = os.fsdecode(name)
            if path.startswith(prefix):
                yield TreeEntry(path[len(prefix) :], mode, blob, int(size) if size.isdigit() else 0)

    def open(self, *arguments: str, environ: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start git in the repository, with pipes and without the caller's git variables.

        Args:
            environ: Variables of git to set.
        """
        only_here = {"GIT_NO_LAZY_FETCH": "1", "GIT_LITERAL_PATHSPECS": "1"}  # fetch no missing objects
        try:
            return subprocess.Popen(  # noqa: S603  no shell; names are checked full refs
                [*git_command(self._folder), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if arguments[0] in _SHORT_ANSWERS else subprocess.DEVNULL,
                env={**git_environ(), **only_here, **(environ or {})},
            )
        except FileNotFoundError as error:
            raise ConfigMissing('git is not installed; source.mode = "git-branch" needs it') from error
        except OSError as error:
            raise SourceUnavailable(f"git cannot be started: {error.strerror or error}") from error

    def _commit(self, name: str) -> str:
        try:
            answer = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except SourceUnavailable:
            self._run("rev-parse", "--git-dir")  # raises with a reason if there is no usable repository
            return ""
        return answer.decode("ascii").strip()

    def _refs(self) -> list[str]:
        listed = self._run("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin")
        return listed.decode("utf-8", "replace").split("\n")[:-1]

    def _run(self, *arguments: str, ends: Collection[int] = (0,), environ: Mapping[str, str] | None = None) -> bytes:
        process = self.open(*arguments, environ=environ)
        try:
            output, errors = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise SourceUnavailable(f"git {arguments[0]} took longer than {TIMEOUT_S:.0f} s") from error
        finally:
            stop(process)
        if process.returncode not in ends:
            raise SourceUnavailable(self._failure(arguments[0], errors))
        return output

    def _lines(self, arguments: list[str]) -> Iterator[bytes]:
        """Yield the output of git, split at NUL, as it arrives."""
        process = self.open(*arguments)
        assert process.stdout is not None
        try:
            partial = b""
            while chunk := read_some(process.stdout, _CHUNK):
                *lines, partial = (partial + chunk).split(b"\x00")
                yield from lines
            if process.wait(TIMEOUT_S) or partial:
                raise SourceUnavailable(self._failure(arguments[0], b"the commit or a part of it is not in this clone"))
        finally:
            stop(process)

    def _failure(self, command: str, errors: bytes) -> str:
        words = " ".join(errors.decode("utf-8", "replace").split())[:300]
        return f"git {command} failed in {self._folder}: {words or 'no error message'}"


class BlobReader:
    """Reads blobs through one `git cat-file --batch` per process, started when first needed."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def read(self, blob: str, max_bytes: int) -> bytes:
        """The bytes of a blob.

        Raises:
            SourceUnavailable: There is no such blob here, it is larger than `max_bytes`, or git fails.
        """
        if not _OBJECT.fullmatch(blob):
            raise SourceUnavailable(f"{blob[:80]!a} is not a blob id")
        with self._lock:
            is_complete = False
            try:
                data = self._ask(blob, max_bytes)
                is_complete = True
                return data
            except OSError as error:
                raise SourceUnavailable(f"git cat-file failed: {error.strerror or error}") from error
            finally:
                if not is_complete:
                    self._close()  # its next response would be the rest of this one

    def close(self) -> None:
        """Stop the child process; a later read starts a new one."""
        with self._lock:
            self._close()

    def __getstate__(self) -> Repository:
        return self._repository

    def __setstate__(self, repository: Repository) -> None:
        self.__init__(repository)  # type: ignore[misc]  # a reader in another process is a new one

    def __del__(self) -> None:
        self._close()

    def _ask(self, blob: str, max_bytes: int) -> bytes:
        process = self._child()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(blob.encode() + b"\n")
        process.stdin.flush()
        header = b""
        while not header.endswith(b"\n"):
            header += _read_exactly(process.stdout, 1)
        words = header.decode("ascii", "replace").split()
        if len(words) != 3 or words[1] != "blob":
            raise SourceUnavailable(f"blob {blob} is not in this clone ({header[:100]!r})")
        size = int(words[2])
        if size > max_bytes:
            raise SourceUnavailable(f"blob {blob}: {size:,} bytes; source.max_page_bytes is {max_bytes:,}")
        return _read_exactly(process.stdout, size + 1)[:-1]

    def _child(self) -> subprocess.Popen[bytes]:
        # After a fork the pipes belong to the parent: two processes on one pipe would mix up their data.
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._close()
            self._process, self._owner = self._repository.open("cat-file", "--batch"), os.getpid()
        return self._process

    def _close(self) -> None:
        process, self._process = getattr(self, "_process", None), None
        if process is not None and self._owner == os.getpid():
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Kill a child process at once and leave neither a zombie nor an open pipe."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                continue  # bytes that the killed child did not read


def read_some(pipe: IO[bytes], most: int) -> bytes:
    """Read at least one byte; b"" at the end.

    Raises:
        SourceUnavailable: Nothing arrived within the timeout.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        if not selector.select(TIMEOUT_S):
            raise SourceUnavailable(f"git did not answer within {TIMEOUT_S:.0f} s")
    return os.read(pipe.fileno(), most)


def _read_exactly(pipe: IO[bytes], size: int) -> bytes:
    chunks = []
    while size:
        chunk = read_some(pipe, min(size, _CHUNK))
        if not chunk:
            raise SourceUnavailable("git cat-file ended in the middle of an answer")
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _scope_of(ref: str) -> str:
    """The scope name of a branch; unambiguous, since changed names contain a hash."""
    name = ref.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")
    try:
        return sanitise_scope(name)
    except InvalidScope:
        return ""


class CommitFiles:
    """Files of one commit, read without a checkout; the stamp of a file is its blob id."""

    kind: SourceKind  # of the class

    def __init__(self, repo: Path, revision: str, max_file_bytes: int) -> None:
        """
        Args:
            repo: A folder of the repository: the project.
            revision: Branch, tag, scope name or commit id.
            max_file_bytes: Larger files are not read.
        """
        self.origin = SourceOrigin(self.kind.mode, revision=revision)
        self.report = SourceReport()
        self._repository = Repository(repo)
        self._blobs = BlobReader(self._repository)
        self._revision = revision
        self._max_file_bytes = max_file_bytes
        self._commit = ""

    def commit(self) -> str:
        """The commit that the revision named at the first call; later calls return the same, so a run sees one state.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or no repository.
        """
        self._commit = self._commit or self._repository.resolve(self._revision)
        return self._commit

    def read(self, page: RawPage) -> bytes:
        """The bytes of a file when it was listed, even if the branch has moved.

        Raises:
            SourceUnavailable: The blob is not in this clone, or too large.
        """
        return self._blobs.read(page.stamp, self._max_file_bytes)

    def modified(self, locator: str) -> float | None:
        """Return None: all files have the time of the commit."""
        return None

    def close(self) -> None:
        """Stop the child process that reads blobs; a later read starts a new one."""
        self._blobs.close()
