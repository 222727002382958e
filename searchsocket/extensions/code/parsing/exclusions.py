"""Files that are never indexed whatever the settings: keys, dependencies, build output and files that are not text."""

import re
from collections.abc import Collection
from fnmatch import translate

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
