"""Files that are never read, regardless of settings: secrets, dependencies, build output and binary files."""

import re
from collections.abc import Collection
from fnmatch import translate

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


def _any_of(*globs: str) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob.casefold()) for glob in globs))


_SECRET = _any_of(*SECRETS)
_FILE = _any_of(*LOCK_FILES, *EDITOR_FILES, *BINARIES, *DECLARATIONS)
_FOLDERS = frozenset((*DEPENDENCIES, *EDITORS, *OWN, *SECRET_FOLDERS))
_OUTPUTS = frozenset(OUTPUTS)


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
