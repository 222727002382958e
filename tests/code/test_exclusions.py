"""What is never read, row by row of the document's list."""

import pytest

from searchsocket.code.ignore import excluded_file, excluded_folder

FILES = [
    ".env", ".env.local", ".envrc", "server.pem", "id.key", "credentials.json", "Credentials", "secrets.yaml",
    "my-secrets.yaml", "service-account.json", "prod-service-account-2.json", "terraform.tfvars", "prod.tfvars.json",
    "terraform.tfstate", "terraform.tfstate.backup", "kubeconfig", "kubeconfig.yaml", ".npmrc", ".netrc",
    "package-lock.json", "yarn.lock", "bun.lockb", "pnpm-lock.yaml", "Cargo.lock", "Gemfile.lock", "poetry.lock",
    "composer.lock", "a.swp", "a.swo", "a.png", "a.jpg", "a.gif", "a.ico", "a.webp", "a.svg", "a.woff", "a.woff2",
    "a.ttf", "a.eot", "a.zip", "a.tar", "a.gz", "a.rar", "a.pdf", "a.doc", "a.docx", "a.mp3", "a.mp4", "a.wav",
    "a.avi", "a.exe", "a.dll", "a.so", "a.dylib", "a.db", "a.sqlite", "a.sqlite3", "A.PNG", "types.d.ts",
]  # fmt: skip
FOLDERS = [
    ".git", "node_modules", "vendor", "venv", ".venv", "__pycache__", ".cargo", "target", "dist", "build", ".next",
    "out", ".output", ".idea", ".vscode", "secrets", "credentials.d", ".searchsocket", ".docker",
    ".aws", ".ssh", ".kube", "team-secrets",
]  # fmt: skip
DEEP = [name for name in FOLDERS if name not in ("target", "dist", "build", ".next", "out", ".output")]


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_never_read(name: str) -> None:
    assert excluded_file(name)


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_that_are_never_entered_at_the_top(name: str) -> None:
    assert excluded_folder(name, {"src"}, at_top=True)


@pytest.mark.parametrize("name", FOLDERS)
def test_folders_that_are_never_entered_beside_what_a_build_reads(name: str) -> None:
    assert excluded_folder(name, {"src", "package.json"}, at_top=False)


@pytest.mark.parametrize("name", DEEP)
def test_folders_that_are_never_entered_anywhere(name: str) -> None:
    assert excluded_folder(name, {"a.py"}, at_top=False)


@pytest.mark.parametrize("name", ["build", "out", "target", "dist"])
def test_a_source_folder_of_such_a_name_is_source(name: str) -> None:
    """`stores/build/` beside modules holds code, not what a build wrote."""
    assert not excluded_folder(name, {"__init__.py"}, at_top=False)


@pytest.mark.parametrize("name", ["main.ts", "environment.py", "keys.go", "lock.rs", "d.ts", "secret.py"])
def test_files_of_like_names_are_read(name: str) -> None:
    assert not excluded_file(name)
