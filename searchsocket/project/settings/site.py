"""Settings of the source, and of pages and chunks (spec 7)."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from searchsocket.project.settings.section import Count, SettingsSection, WebAddress, WebAddressOrPath
from searchsocket.project.settings.source_kinds import PLACEHOLDER, SourceMode, source_kind

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


class ContentFilesSettings(SettingsSection):
    globs: tuple[str, ...] = ("src/routes/**/+page.md", "src/routes/**/+page.svx", "content/**/*.md", "docs/**/*.md")
    base_dir: str = ""  # relative to the project; "" = the project


class CrawlSettings(SettingsSection):
    base_url: WebAddress = ""  # e.g. http://localhost:4173; {scope}, {branch}, {branch_slug} and {sha} are replaced
    routes: tuple[str, ...] = ()  # paths to start from
    sitemap_url: WebAddressOrPath = (
        ""  # absolute or below base_url; "" = the sitemap of robots.txt, unless routes are set
    )
    discover: bool = True  # follow links
    query_parameters: tuple[str, ...] = ()  # parameters that select a page, e.g. "page"; empty = as canonical links say
    max_depth: Annotated[int, Field(ge=0, le=100)] = 10
    max_pages: Count = 10_000
    concurrency: Annotated[int, Field(ge=1, le=64)] = 8
    timeout_s: Annotated[float, Field(gt=0)] = 30.0  # for a whole request, from the first packet to the last byte
    max_seconds: Annotated[float, Field(gt=0)] = 3600.0  # for the whole crawl
    max_failures_in_row: Count = 50  # after that, the crawl stops
    respect_robots_txt: bool = True
    render: Literal["auto"] | bool = False  # run the scripts of pages in a browser; auto = if they add text to the site
    render_hosts: tuple[str, ...] = ()  # other hosts that pages may load scripts and data from
    browser: str = ""  # path of Chromium, or CDP address of a browser that runs; "" = Chromium on the PATH
    prefer: Literal["html", "markdown"] = "html"  # markdown = llms.txt and the Markdown of pages, where offered


class GitSettings(SettingsSection):
    """Content files of a commit, for mode `git-branch`; `content_files` selects the files."""

    branch: str = ""  # branch, tag or commit; "" = the scope's branch
    repo_dir: str = ""  # relative to the project; "" = the project


class RecordSettings(SettingsSection):
    """Pages as records, for mode `records`: from files, or from a Python package."""

    files: tuple[str, ...] = ()  # globs of JSON Lines, relative to the project, e.g. "records/*.jsonl"
    reader: str = ""  # entry point `searchsocket.sources` of an installed package, instead of files


class SourceSettings(SettingsSection):
    mode: SourceMode | None = None  # None = static-output if a build exists, else content-files
    static_output_dir: str = ""  # "" = the first common build folder that contains HTML
    base_path: str = ""  # URL path prefix of the site, e.g. "/docs"; "" = the path of the address, if one is set
    exclude: tuple[str, ...] = ()  # globs over URL paths, e.g. "/drafts/**"
    documents: bool = False  # PDF, Word and OpenDocument files of a build or a crawled site are pages too
    max_page_bytes: Count = 20_000_000  # a larger page fails and keeps its records
    content_files: ContentFilesSettings = ContentFilesSettings()
    git: GitSettings = GitSettings()
    crawl: CrawlSettings = CrawlSettings()
    records: RecordSettings = RecordSettings()

    def differs_by_scope(self, mode: SourceMode | None = None) -> bool:
        """Return True if each scope has its own source instead of sharing the working tree.

        Args:
            mode: Overrides `source.mode`.
        """
        match source_kind(mode or self.mode).mode:
            case "static-output":
                return "{scope}" in self.static_output_dir
            case "git-branch":
                return not self.git.branch
            case "crawl":
                return PLACEHOLDER.search(self.crawl.base_url) is not None
        return False

    def advice(self, mode: str) -> str:
        """Return what to check if a source of this mode has no text."""
        match mode:
            case "content-files" | "git-branch":
                return f"check source.content_files.globs ({', '.join(self.content_files.globs)}) and base_dir"
            case "crawl":
                return "check source.crawl.base_url and its answers"
            case "records" if self.records.reader:
                return f"check what the entry point {self.records.reader!r} (source.records.reader) yields"
            case "records":
                return f"check source.records.files ({', '.join(self.records.files)})"
        return "check the build folder with `searchsocket doctor`"


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
