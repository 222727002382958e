"""Content files of a branch or commit, read without checkout or build; the working tree is not touched."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.project.settings.source_kinds import GIT_BRANCH
from searchsocket.sources.base import Excluder, SourceReport
from searchsocket.sources.content_files import ContentPaths, one_file_each
from searchsocket.sources.content_rules import ContentFolder, ContentRules, content_rules
from searchsocket.sources.files import too_large
from searchsocket.sources.git_objects import LINK, SUBMODULE, CommitFiles, TreeEntry
from searchsocket.system.locators import locator_of
from searchsocket.web.routes.kit import KitProject, read_kit
from searchsocket.web.urls.form import AT_THEIR_URLS, Addresses

_LFS_HEAD = b"version https://git-lfs.github.com/spec/"
_MAX_CONFIG_BYTES = 1_000_000
_LFS_MAX_BYTES = 1024  # maximum size of a pointer, by its specification


class GitBranchSource(CommitFiles):
    """Files of one commit that match the globs; they have the same URLs as in `ContentFilesSource`."""

    kind = GIT_BRANCH

    def __init__(
        self,
        repo: Path,
        revision: str,
        globs: Sequence[str],
        *,
        are_globs_chosen: bool = True,
        base_dir: str = "",
        routes_dir: str = "",
        static_dir: str = "",
        exclude: Sequence[str] = (),
        max_page_bytes: int = 20_000_000,
        addresses: Addresses = AT_THEIR_URLS,
    ) -> None:
        """
        Args:
            repo: A folder of the repository: the project.
            revision: Branch, tag, scope name or commit id.
            globs: Relative to `base_dir`.
            are_globs_chosen: As in `content_rules`.
            base_dir: Relative to `repo`.
            routes_dir: The routes folder, relative to `repo`; "" = from the configuration in the commit.
            static_dir: The folder of files that are copied unchanged; likewise.
            exclude: Globs over URL paths.
            max_page_bytes: A larger file is a failed page.
            addresses: Makes the addresses of pages.
        """
        super().__init__(repo, revision, max_page_bytes)
        self._base = _as_prefix(base_dir)
        self._kit_folders = (_as_prefix(routes_dir) or routes_dir, _as_prefix(static_dir) or static_dir)
        self._globs, self._are_globs_chosen = globs, are_globs_chosen
        self._paths = ContentPaths(ContentRules([*map(ContentFolder, globs)]), self._kit_folders[0])
        self._excluded = Excluder(exclude)
        self._addresses = addresses
        self._kit: KitProject | None = None

    def pages(self) -> Iterator[RawPage]:
        """Yield every page of the commit, each URL once, by rising URL; `stamp` is the blob id.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or git cannot list it.
        """
        self.report = report = SourceReport()
        commit = self.commit()
        entries = {
            entry.path: entry for entry in self._repository.files(commit, self._repository.prefix() + self._base)
        }

        def start_of(path: str) -> bytes:
            entry = entries[path]
            return self._blobs.read(entry.blob, entry.size) if entry.size <= _MAX_CONFIG_BYTES else b""

        def read(path: str) -> str | None:
            entry = entries.get(path)
            is_file = entry is not None and entry.mode not in (LINK, SUBMODULE)
            return start_of(path).decode("utf-8", "replace") if is_file else None

        rules = content_rules(read, self._globs, are_chosen=self._are_globs_chosen)
        self.origin = replace(self.origin, generator=rules.generator)
        self._paths = ContentPaths(rules, self.kit().routes_dir.removeprefix(self._base))
        files = one_file_each(
            self._paths,
            [path for path, entry in entries.items() if self._is_file(entry, report)],
            report,
            self._excluded,
            lambda path: self._is_usable(entries[path], report),
            start_of,
        )
        count = 0
        for url, served_url, path in files:
            count += 1
            address = self._addresses.of_served(url, served_url)
            yield RawPage(url, served_url, locator_of(path), entries[path].blob, "markdown", address)
        if not count:
            report.warnings.append(f"no file of commit {commit[:12]} matches {', '.join(self._paths.globs)}")
        report.complete = count > 0 and not report.failed

    def route_files(self) -> list[str]:
        """Paths of the commit's files that affect routes, relative to the project: input of `route_table`.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or git cannot list it.
        """
        project, kit = self._repository.prefix(), self.kit()
        return [
            folder + entry.path
            for folder in dict.fromkeys((_as_prefix(kit.routes_dir), _as_prefix(kit.static_dir)))
            for entry in self._repository.files(self.commit(), project + folder)
            if entry.mode != SUBMODULE
        ]

    def kit(self) -> KitProject:
        """The SvelteKit facts of the commit.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or git cannot list it.
        """
        self._kit = self._kit or read_kit(self._text, *self._kit_folders)
        return self._kit

    def _text(self, name: str) -> str | None:
        path = self._repository.prefix() + name
        for entry in self._repository.files(self.commit(), path):
            if not entry.path and entry.mode not in (LINK, SUBMODULE) and entry.size <= _MAX_CONFIG_BYTES:
                return self._blobs.read(entry.blob, _MAX_CONFIG_BYTES).decode("utf-8", "replace")
        return None

    def _is_file(self, entry: TreeEntry, report: SourceReport) -> bool:
        locator = locator_of(entry.path)
        if entry.mode == SUBMODULE:
            report.skipped[locator] = "a submodule"
        elif not self._paths.matches(entry.path):
            pass
        elif entry.mode == LINK:
            report.skipped[locator] = "a link"
        else:
            return True
        return False

    def _is_usable(self, entry: TreeEntry, report: SourceReport) -> bool:
        locator = locator_of(entry.path)
        if entry.size > self._max_file_bytes:
            report.failed[locator] = too_large(entry.size, self._max_file_bytes)
            return False
        return entry.size > _LFS_MAX_BYTES or self._is_text_of_its_own(entry, locator, report)

    def _is_text_of_its_own(self, entry: TreeEntry, locator: str, report: SourceReport) -> bool:
        try:
            if not self._blobs.read(entry.blob, _LFS_MAX_BYTES).startswith(_LFS_HEAD):
                return True
            report.skipped[locator] = "a Git LFS pointer; its text is not in the repository"
        except SourceUnavailable as error:
            report.failed[locator] = str(error)
        return False


def _as_prefix(folder: str) -> str:
    """`docs`, `./docs/` -> `docs/`; the project itself -> ""."""
    parts = [part for part in folder.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise SourceUnavailable(f"{folder!a} points out of the project")
    return "".join(f"{part}/" for part in parts)
