"""Current state of the site: is it complete, and is it already indexed."""

import hashlib
import os
from dataclasses import dataclass

from searchsocket.pipeline.branches.builds import Build, below, build_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.pipeline.watching.targets import Targets

_CRAWLED = Build("crawled", 0)  # what is on another host is looked at by a run alone


@dataclass(frozen=True, slots=True)
class SiteState:
    """State of the site at one moment."""

    digest: str  # of all that decides about the index; "" = there is no build, or it went away just now
    settings_digest: str  # of the configuration alone
    changed_ns: int  # when the youngest file or folder changed
    build: str = ""  # digest of the build alone


def scan_site(run: ScopeRun, targets: Targets, settings: str) -> SiteState:
    """Look at everything once; of what is large, at names, sizes and times alone.

    Args:
        settings: Digest of the settings files, taken before the project was read from them. If they changed since, the
            next look has another digest.
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
    except OSError:  # in the middle of something
        return SiteState("", settings, 0)
    digest = f"{build.digest}:{others.hexdigest()}:{files}:{settings}" if build.digest else ""
    return SiteState(digest, settings, youngest, build.digest)
