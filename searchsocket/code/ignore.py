"""Files that are never read: excluded names, and nested ignore files with git's rules.

The last matching pattern decides, and deeper files take precedence.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fnmatch import translate

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from searchsocket.errors import SourceUnavailable

FILES = (".gitignore", ".searchsocketignore")  # in one folder, the second takes precedence

ReadIgnore = Callable[[str], bytes | None]  # path -> contents of the file; None if it does not exist
_Match = tuple[Callable[[str], object], bool]  # (returns a truthy value if a path matches, True if it is then ignored)
SECRETS = (
    ".env*", "*.pem", "*.key", "credentials*", "*secrets*", "*service-account*.json", "*service_account*.json",
    "*.tfvars", "*.tfvars.json", "*.tfstate*", "kubeconfig*", ".npmrc", ".pypirc", ".netrc", ".htpasswd",
)  # fmt: skip
SECRET_FOLDERS = (".docker", ".aws", ".ssh", ".kube", ".gnupg")
DEPENDENCIES = (".git", "node_modules", "vendor", "venv", ".venv", "__pycache__", ".cargo")
OUTPUTS = ("target", "dist", "build", ".next", "out", ".output")
LOCK_FILES = (
    "package-lock.json", "yarn.lock", "bun.lockb", "bun.lock", "pnpm-lock.yaml", "Cargo.lock", "Gemfile.lock",
    "poetry.lock", "uv.lock", "composer.lock",
)  # fmt: skip
EDITORS = (".idea", ".vscode")
EDITOR_FILES = ("*.swp", "*.swo")
BINARIES = (
    "*.png", "*.jpg", "*.jpeg", "*.gif", "*.ico", "*.webp", "*.svg", "*.woff", "*.woff2", "*.ttf", "*.eot", "*.zip",
    "*.tar", "*.gz", "*.rar", "*.pdf", "*.doc", "*.docx", "*.mp3", "*.mp4", "*.wav", "*.avi", "*.exe", "*.dll", "*.so",
    "*.dylib", "*.db", "*.sqlite", "*.sqlite3",
)  # fmt: skip
DECLARATIONS = ("*.d.ts", "*.d.mts", "*.d.cts")  # repeat the source files next to them
OWN = (".searchsocket",)
# A folder with one of these names is build output if it is next to a file that a build tool reads.
MANIFESTS = frozenset(
    {
        "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "pom.xml", "build.gradle", "build.gradle.kts",
        "build.sbt", "composer.json", "CMakeLists.txt", "Makefile", "svelte.config.js", "next.config.js",
    }
)  # fmt: skip
_FOLDERS = frozenset((*DEPENDENCIES, *EDITORS, *OWN, *SECRET_FOLDERS))
_OUTPUTS = frozenset(OUTPUTS)


@dataclass(frozen=True, slots=True)
class _File:
    """The patterns of one folder, last one first."""

    folder: str  # with a trailing slash; "" at the top
    patterns: tuple[_Match, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignore rules of one folder: its own ignore file and those of its parents."""

    files: tuple[_File, ...] = ()  # deepest first

    def enter(self, folder: str, read: ReadIgnore, names: tuple[str, ...] = FILES) -> "Ignored":
        """Return the rules inside a subfolder.

        Args:
            folder: Path with a trailing slash; "" at the top.
            names: The ignore files in it.

        Raises:
            SourceUnavailable: An ignore file exists but cannot be read, so nothing may be indexed.
        """
        lines = [line for name in names for line in _lines(folder + name, read)]
        patterns = tuple(match for line in reversed(lines) if (match := _compile(*line)))
        return Ignored((_File(folder, patterns), *self.files)) if patterns else self

    def __call__(self, path: str) -> bool:
        """Return True if a path below is ignored; the path of a folder ends with a slash.

        An ignored folder is not entered: in git, too, its contents cannot be included again.
        """
        for file in self.files:
            below = path[len(file.folder) :]
            for fits, ignored in file.patterns:
                if fits(below):
                    return ignored
        return False


def _lines(path: str, read: ReadIgnore) -> list[tuple[str, str, int]]:
    data = read(path)
    text = "" if data is None else data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return [(line.removesuffix("\r"), path, number) for number, line in enumerate(text.split("\n"), 1)]


def _compile(line: str, path: str, number: int) -> _Match | None:
    try:
        pattern = GitIgnoreSpecPattern(line)
    except ValueError as error:
        raise SourceUnavailable(
            f"{path!a} line {number}: {line[:80]!a} is not a pattern; correct or remove it"
        ) from error
    if pattern.regex is None or pattern.include is None:
        return None
    return pattern.regex.match, pattern.include


def _any_of(*globs: str) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob.casefold()) for glob in globs))


_SECRET = _any_of(*SECRETS)
_FILE = _any_of(*LOCK_FILES, *EDITOR_FILES, *BINARIES, *DECLARATIONS)


def excluded_folder(name: str, siblings: Collection[str], *, at_top: bool) -> bool:
    """Return True if a folder is excluded with all its contents.

    Args:
        siblings: The names beside it. Build output is at the top or next to a manifest; elsewhere, a folder with
            such a name contains source code.
        at_top: True at the top of the project.
    """
    if name in _FOLDERS or _SECRET.match(name.casefold()):
        return True
    return name in _OUTPUTS and (at_top or not MANIFESTS.isdisjoint(siblings))


def excluded_file(name: str) -> bool:
    """Return True if a file is excluded by its name."""
    folded = name.casefold()
    return bool(_SECRET.match(folded) or _FILE.match(folded))
