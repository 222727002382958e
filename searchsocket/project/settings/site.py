"""Settings of the source, and of pages and chunks (spec 7)."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from searchsocket.project.settings.section import Count, SettingsSection, WebAddress
from searchsocket.project.settings.source_kinds import PLACEHOLDER, source_kind

UrlStyle = Literal["auto", "clean", "slash", "html", "index"]


class ProjectSettings(SettingsSection):
    id: str = ""  # "" = name in package.json, else the directory's
    base_url: WebAddress = (
        ""  # e.g. https://example.com/docs: absolute links below it are internal; its path is a base path
    )


class ScopeSettings(SettingsSection):
    mode: Literal["fixed", "git", "env"] = "fixed"
    fixed: str = "main"
    env_var: str = "SEARCHSOCKET_SCOPE"  # read when mode is "env"
    sanitize: bool = True  # False: a branch name that needs it is an error


class BranchSettings(SettingsSection):
    """Branches as scopes: which branches to index, and which to keep."""

    remote: str = ""  # repository whose branches count; "" = this clone and its remotes
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0  # per git command
    include: tuple[str, ...] = ("*",)  # globs of branches that get a scope automatically
    exclude: tuple[str, ...] = ()  # globs of branches that do not
    discover: bool = False  # Dagster's sensor for new branches runs from the start
    watch: bool = False  # Dagster's sensor for new builds runs from the start
    settle_s: Annotated[float, Field(ge=0, le=3600)] = 5.0  # a build is complete after so long without a write
    prune: Literal["show", "apply"] = "show"  # whether Dagster's sensor lists or deletes scopes of deleted branches
    protected: tuple[str, ...] = ("main", "master")  # globs over scope names; never pruned, like the default branch


class SourceSection(SettingsSection):
    """Settings of a kind of source, with what the core asks of every kind."""

    def advice(self) -> str:
        """Return what to check if the source has no text."""
        return "check the build folder with `searchsocket doctor`"

    def project_file(self, locator: str) -> str:
        """Return the file of a page, relative to the project; "" if it is not a file of the project."""
        return ""

    def watched(self) -> Sequence[str]:
        """Return globs of the files that the pages are made of, relative to the project."""
        return ()


class ContentFilesSettings(SourceSection):
    globs: tuple[str, ...] = (
        "src/routes/**/+page.md",
        "src/routes/**/+page.svx",
        "content/**/*.md",
        "content/**/*.mdx",
        "docs/**/*.md",
        "docs/**/*.mdx",
    )
    base_dir: str = ""  # relative to the project; "" = the project

    def advice(self) -> str:
        return f"check source.content_files.globs ({', '.join(self.globs)}) and base_dir"

    def project_file(self, locator: str) -> str:
        return str(PurePosixPath(self.base_dir) / locator)


class GitSettings(SettingsSection):
    """Content files of a commit, for mode `git-branch`; `content_files` selects the files."""

    branch: str = ""  # branch, tag or commit; "" = the scope's branch
    repo_dir: str = ""  # relative to the project; "" = the project


class CoreSourceSettings(SettingsSection):
    """All settings of sources but those that extensions bring."""

    mode: Literal["static-output", "content-files", "git-branch"] | None = (
        None  # None = static-output if a build exists, else content-files
    )
    static_output_dir: str = ""  # "" = the first common build folder that contains HTML
    base_path: str = ""  # URL path prefix of the site, e.g. "/docs"; "" = the path of the address, if one is set
    exclude: tuple[str, ...] = ()  # globs over URL paths, e.g. "/drafts/**"
    documents: bool = False  # PDF, Word and OpenDocument files of a build or a crawled site are pages too
    max_page_bytes: Count = 20_000_000  # a larger page fails and keeps its records
    content_files: ContentFilesSettings = ContentFilesSettings()
    git: GitSettings = GitSettings()

    def differs_by_scope(self, mode: str | None = None) -> bool:
        """Return True if each scope has its own source instead of sharing the working tree.

        Args:
            mode: Overrides `source.mode`.
        """
        match source_kind(mode or self.mode).mode:
            case "static-output":
                return "{scope}" in self.static_output_dir
            case "git-branch":
                return not self.git.branch
        return PLACEHOLDER.search(self.address(mode)) is not None

    def address(self, mode: str | None = None) -> str:
        """Return the address of the host that the pages come from; "" if they are files of this machine.

        Args:
            mode: Overrides `source.mode`.
        """
        key = source_kind(mode or self.mode).address_key
        return getattr(self.of_mode(mode), key) if key else ""

    def of_mode(self, mode: str | None) -> SourceSection:
        """Return the section of a mode, or of `mode` if that is None; defaults if it has none."""
        section: SourceSection = getattr(self, source_kind(mode or self.mode).section, SourceSection())
        return section


class UrlSettings(SettingsSection):
    style: UrlStyle = (
        "auto"  # form of page URLs: /page, /page/, /page.html, /folder/index.html; auto = as the site's links
    )


class VersionSettings(SettingsSection):
    """Folders that contain the documentation of different versions."""

    detect: bool = True  # find the versions of the site; False: only those that `pattern` names
    pattern: str = ""  # URL path of a version, e.g. "/docs/{version}"; "*" is any one segment; "" = detected
    default: str = ""  # version to search by default, its name or alias, or "all"; "" = the newest release
    exclude: tuple[str, ...] = ()  # globs over version names that are not indexed, e.g. "0.*"

    @field_validator("pattern")
    @classmethod
    def _names_one_segment(cls, value: str) -> str:
        segments = value.strip("/").split("/")
        if value and (segments[-1:] != ["{version}"] or value.count("{version}") != 1):
            raise ValueError('must be a URL path that ends in "/{version}", e.g. "/docs/{version}"')
        if any("*" in segment and segment != "*" for segment in segments):
            raise ValueError('"*" must be a whole segment, e.g. "/*/docs/{version}"')
        return value


class RouteSettings(SettingsSection):
    dir: str = ""  # "" = from the SvelteKit configuration, else src/routes; "." = the project
    static_dir: str = ""  # static files; "" = from the SvelteKit configuration, else static
    strict: bool = False  # True: every page of the site must have an exact route


class ExtractSettings(SettingsSection):
    main_selector: str = "main"
    drop_tags: tuple[str, ...] = ("header", "nav", "footer", "aside")
    drop_selectors: tuple[str, ...] = (
        ".sidebar", ".toc", ".table-of-contents", ".breadcrumb", ".breadcrumbs", "[aria-label=breadcrumb]",
        ".pagination", ".skip-link", ".edit-link", ".edit-page", ".copy-button", ".headerlink", ".header-anchor",
        ".sr-only", ".visually-hidden",
    )  # fmt: skip
    ignore_attr: str = "data-search-ignore"
    noindex_attr: str = "data-search-noindex"
    respect_robots_noindex: bool = True
    converter: Literal["fast", "markdownify"] = (
        "fast"  # the same rules on lxml's tree, or by markdownify on BeautifulSoup's
    )
    converters: tuple[str, ...] = ()  # module:Class with convert_<tag> methods for custom elements


class TransformSettings(SettingsSection):
    output: Literal["markdown"] = "markdown"
    preserve_code_blocks: bool = True  # False: code blocks become plain paragraphs
    preserve_tables: bool = True  # False: each table row becomes a line of text


class ChunkSettings(SettingsSection):
    strategy: Literal["hybrid"] = "hybrid"
    max_chars: Count = 2200  # soft: blocks are not cut
    overlap_chars: Annotated[int, Field(ge=0)] = 200
    min_chars: Annotated[int, Field(ge=0)] = 250  # smaller neighbours are merged up to this
    hard_max_chars: Count = 8000  # a single block beyond this is cut at a line end, and reported
    heading_path_depth: Annotated[int, Field(ge=1, le=6)] = 3
    dont_split_inside: tuple[Literal["code", "table", "blockquote"], ...] = ("code", "table", "blockquote")
    page_summary: bool = True  # one more chunk per page: title, description, headings

    @model_validator(mode="after")
    def _sizes_fit(self) -> "ChunkSettings":
        if self.overlap_chars >= self.max_chars:
            raise ValueError(f"overlap_chars ({self.overlap_chars}) must be below max_chars ({self.max_chars})")
        if self.min_chars > self.max_chars:
            raise ValueError(f"min_chars ({self.min_chars}) must not exceed max_chars ({self.max_chars})")
        if self.hard_max_chars < self.max_chars:
            raise ValueError(f"hard_max_chars ({self.hard_max_chars}) must not be below max_chars ({self.max_chars})")
        return self
