"""Current state of the site, to decide if it is complete and already indexed."""

import hashlib
import os
from dataclasses import dataclass

from searchsocket.pipeline.branches.builds import Build, below, build_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.pipeline.watching.targets import Targets

_CRAWLED = Build("crawled", 0)  # only a run reads pages from another host


@dataclass(frozen=True, slots=True)
class SiteState:
    """State of the site at one moment."""

    digest: str  # of all inputs of the index; "" = there is no build, or it was just deleted
    settings_digest: str  # of the configuration only
    changed_ns: int  # when the youngest file or folder changed
    build: str = ""  # digest of the build alone


def scan_site(run: ScopeRun, targets: Targets, settings: str) -> SiteState:
    """Read the state of the site once; of large inputs, only names, sizes and times.

    Args:
        settings: Digest of the settings files, taken before the project was read from them. If they changed since, the
            next scan has another digest.
    """
    try:
        build = _CRAWLED if run.source_kind.is_remote else build_of(run) or Build("", 0)
        others, youngest = hashlib.sha256(), build.changed_ns
        for folder in targets.folders:
            if folder == targets.build or not os.path.isdir(folder):
                continue
            for path, info in below(folder):
                youngest = max(youngest, info.st_ctime_ns)
                stamp = f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_ctime_ns}\n"
                others.update(stamp.encode("utf-8", "replace"))
        files = bytes_of(targets.files)
    except OSError:  # files are changing right now
        return SiteState("", settings, 0)
    digest = f"{build.digest}:{others.hexdigest()}:{files}:{settings}" if build.digest else ""
    return SiteState(digest, settings, youngest, build.digest)
