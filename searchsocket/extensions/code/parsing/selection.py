"""Select source files: by ignore files as git reads them, and by the globs of the settings.

Keys, dependencies, build output and files that are not text are never indexed, whatever the settings.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import translate

from searchsocket.errors import ConfigError, SourceUnavailable
from searchsocket.text.globs import Patterns

_NAMES_FILES = re.compile(r"[^*?.\[\]\\/]")  # in the last part of a glob: more than wildcards

GIT_FILE, OWN_FILE = ".gitignore", ".searchsocketignore"
FILES = (GIT_FILE, OWN_FILE)  # in one folder, the second takes precedence

ReadIgnore = Callable[[str], bytes | None]  # path -> contents of the file; None if it does not count


@dataclass(frozen=True, slots=True)
class GlobFilter:
    """Selected files, by paths relative to the project; see `glob_filter`."""

    include: Patterns | None
    exclude: Patterns | None
    include_globs: Mapping[str, Patterns] = field(default_factory=dict)  # those without `!`, each on its own

    def excludes(self, path: str) -> bool:
        """Return True if a file or folder is excluded; the path of a folder ends with a slash."""
        return self.exclude is not None and bool(self.exclude.verdict(os.fsencode(path)))

    def includes(self, path: str) -> bool:
        """Return True if a file is included: the last glob that matches it, or a folder above it, decides."""
        return self.include is None or self.include.selects(os.fsencode(path))

    def names(self, path: str) -> bool:
        """Return True if a glob such as `*.tmpl` names a file by more than its folder: its type may be unknown."""
        data = os.fsencode(path)
        return any(
            _NAMES_FILES.search(glob.rpartition("/")[2]) and patterns.verdict(data)
            for glob, patterns in self.include_globs.items()
        )


def glob_filter(include: Sequence[str], exclude: Sequence[str]) -> GlobFilter:
    """Compile `code.include` and `code.exclude`; an empty include selects every file of a known language.

    Raises:
        ConfigError: A glob is invalid.
    """
    globs = {glob: _patterns("include", [glob]) for glob in include if not glob.startswith("!")}
    return GlobFilter(
        _patterns("include", include) if include else None, _patterns("exclude", exclude) if exclude else None, globs
    )


def _patterns(setting: str, globs: Sequence[str]) -> Patterns:
    try:
        return Patterns(b"\n".join(os.fsencode(_from_project(glob)) for glob in globs))
    except ValueError as error:
        raise ConfigError(f"code.{setting}: {error}; it is a list of globs such as 'src/**'") from error


def _from_project(glob: str) -> str:
    """Return a glob as git would write it: `./src/**` becomes `/src/**`.

    Raises:
        ValueError: No path can match it.
    """
    mark, body = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    if body in (".", "./"):
        return f"{mark}*"
    if body.startswith("./"):
        body = f"/{body[2:].lstrip('/')}"
    if not body.strip() or body.startswith("#") or "\n" in body:
        raise ValueError(f"{glob[:80]!r} is empty, a comment or several lines")
    if {".", ".."} & set(body.split("/")):
        raise ValueError(f"{glob[:80]!r} has a part that is `.` or `..`; globs are relative to the project")
    return mark + body


class IgnoredBy(Enum):
    """Origin of the rule that ignores a file."""

    GIT = "git"
    OWN = OWN_FILE


@dataclass(frozen=True, slots=True)
class _File:
    """An ignore file."""

    folder: str  # with a trailing slash; "" at the top
    patterns: Patterns
    by: IgnoredBy


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignore rules of one folder: its own ignore files, those of its parents, and git's exclude files."""

    files: tuple[_File, ...] = ()  # the first one with a matching pattern decides
    ignores_case: bool = False  # as `core.ignoreCase` of git

    @classmethod
    def outside(cls, excludes: Iterable[tuple[str, bytes]], *, ignores_case: bool = False) -> "Ignored":
        """The rules of files outside the tree.

        Args:
            excludes: Name and contents of each file, highest precedence first.

        Raises:
            SourceUnavailable: A file has a line that is too long, or too many patterns.
        """
        files = (_File("", _patterns_of(name, data, ignores_case), IgnoredBy.GIT) for name, data in excludes)
        return cls(tuple(files), ignores_case)

    def enter(self, folder: str, read: ReadIgnore, names: Sequence[str] = FILES) -> "Ignored":
        """Return the rules inside a subfolder.

        Args:
            folder: Path with a trailing slash; "" at the top.
            names: The ignore files in it.

        Raises:
            SourceUnavailable: An ignore file exists but cannot be read, so nothing may be indexed.
        """
        files = [
            _File(
                folder,
                _patterns_of(folder + name, data, self.ignores_case),
                IgnoredBy.OWN if name == OWN_FILE else IgnoredBy.GIT,
            )
            for name in names
            if (data := read(folder + name)) is not None
        ]
        return Ignored((*reversed(files), *self.files), self.ignores_case) if files else self

    def __call__(self, path: str, *, is_tracked: bool = False) -> IgnoredBy | None:
        """Return who ignores a path below; None if it is not ignored. The path of a folder ends with a slash.

        An ignored folder is not entered: in git, too, its contents cannot be included again.

        Args:
            is_tracked: git does not ignore a file that it tracks.
        """
        data = os.fsencode(path)
        for file in self.files:
            verdict = file.patterns.verdict(data[len(os.fsencode(file.folder)) :])
            if verdict and not (is_tracked and file.by is IgnoredBy.GIT):
                return file.by
            if verdict is False:
                return None
        return None


def _patterns_of(name: str, data: bytes, ignores_case: bool) -> Patterns:
    try:
        return Patterns(data, ignores_case=ignores_case)
    except ValueError as error:
        raise SourceUnavailable(f"{name!a} cannot be used as an ignore file: {error}") from error


_KEYS = (
    ".env*", "*.pem", "*.key", "*.tfvars", "*.tfvars.json", "*.tfstate*", "*service-account*.json",
    "*service_account*.json", "client_secret*.json", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".npmrc", ".pypirc", ".netrc", ".htpasswd", ".pgpass",
    ".git-credentials",
)  # fmt: skip
_SECRETS = ("credentials*", "*secrets*", "kubeconfig*")  # keys, unless the file is code
_SECRET_FOLDERS = (".docker", ".aws", ".ssh", ".kube", ".gnupg")
_DEPENDENCIES = ("node_modules", "vendor", "venv", ".venv", "__pycache__", ".cargo")
_OUTPUTS = ("target", "dist", "build", ".next", "out", ".output")
_LOCK_FILES = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "bun.lockb", "bun.lock", "pnpm-lock.yaml",
    "Cargo.lock", "Gemfile.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "uv.lock", "composer.lock",
    "flake.lock", "go.sum",
)  # fmt: skip
_EDITORS = (".idea", ".vscode")
_EDITOR_FILES = ("*.swp", "*.swo", "*~")
_BINARIES = (
    "*.png", "*.jpg", "*.jpeg", "*.gif", "*.ico", "*.webp", "*.avif", "*.bmp", "*.tif", "*.tiff", "*.psd", "*.svg",
    "*.woff", "*.woff2", "*.ttf", "*.otf", "*.eot", "*.zip", "*.tar", "*.gz", "*.tgz", "*.bz2", "*.xz", "*.zst",
    "*.7z", "*.rar", "*.jar", "*.war", "*.whl", "*.pdf", "*.doc", "*.docx", "*.xls", "*.xlsx", "*.ppt", "*.pptx",
    "*.odt", "*.mp3", "*.mp4", "*.m4a", "*.mov", "*.webm", "*.ogg", "*.flac", "*.wav", "*.avi", "*.exe", "*.dll",
    "*.so", "*.dylib", "*.a", "*.o", "*.obj", "*.lib", "*.class", "*.pyc", "*.wasm", "*.db", "*.sqlite",
    "*.sqlite3", "*.parquet", "*.npy", "*.npz", "*.pkl", "*.onnx", "*.safetensors",
)  # fmt: skip
# A folder with one of these names is build output if it is next to a file that a build tool reads.
_MANIFESTS = frozenset(
    {
        "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "pom.xml", "build.gradle", "build.gradle.kts",
        "build.sbt", "composer.json", "CMakeLists.txt", "Makefile", "svelte.config.js", "next.config.js",
    }
)  # fmt: skip
OWN_FOLDERS = frozenset({".git", ".searchsocket"})  # left out without a word
_DATA = frozenset({"", "json", "yaml", "toml", "ini", "text", "xml", "markdown", "csv"})  # languages that are no code
_DECLARATIONS = re.compile(r"(.+)\.d\.([mc]?)ts", re.IGNORECASE)
_SECRET_NAME = "secret-like name"  # noqa: S105  a reason
_FOLDERS = {
    **dict.fromkeys(_DEPENDENCIES, "dependencies"),
    **dict.fromkeys(_EDITORS, "editor settings"),
    **dict.fromkeys(_SECRET_FOLDERS, _SECRET_NAME),
}


def _any_of(*globs: str) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob.casefold()) for glob in globs))


_KEY, _SECRET = _any_of(*_KEYS), _any_of(*_SECRETS)
_KINDS = (
    (_any_of(*_LOCK_FILES), "lock file"),
    (_any_of(*_EDITOR_FILES), "editor file"),
    (_any_of(*_BINARIES), "binary"),
)


def looks_secret(name: str) -> bool:
    """Return True if a file or folder may contain keys by its name; code in it is read without its secrets."""
    return _SECRET.match(name.casefold()) is not None


def excluded_folder(name: str, siblings: Collection[str], *, at_top: bool) -> str:
    """Return why a folder is excluded with all its contents; "" if it is not.

    Args:
        siblings: The names beside it. Build output is at the top or next to a manifest; elsewhere, a folder with
            such a name contains source code.
        at_top: True at the top of the project.
    """
    if _KEY.match(name.casefold()):
        return _SECRET_NAME
    if name in _OUTPUTS and (at_top or not _MANIFESTS.isdisjoint(siblings)):
        return "build output"
    return _FOLDERS.get(name, "")


def excluded_file(name: str, language: str, siblings: Collection[str] = (), *, in_secrets: bool = False) -> str:
    """Return why a file is excluded by its name; "" if it is not.

    Args:
        language: Language of the file; "" if unknown.
        siblings: The names beside it. A declaration file repeats the source file next to it.
        in_secrets: True if the name of a folder above it looks secret.
    """
    folded = name.casefold()
    if _KEY.match(folded) or ((in_secrets or looks_secret(name)) and language in _DATA):
        return _SECRET_NAME
    if declarations := _DECLARATIONS.fullmatch(name):
        stem, kind = declarations[1], declarations[2]
        sources = {
            stem,
            *(f"{stem}.{ending}" for ending in (f"{kind}ts", f"{kind}js", "tsx", "js", "jsx", "mjs", "cjs")),
        }
        return "" if sources.isdisjoint(siblings) else "declarations of the file next to it"
    return next((reason for pattern, reason in _KINDS if pattern.match(folded)), "")
