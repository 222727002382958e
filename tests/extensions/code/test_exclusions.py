"""Files that are never indexed whatever the settings, and why; code with a name like a key is no such file."""

import pytest

from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.extensions.code.parsing.selection import excluded_file, excluded_folder, looks_secret

FILES = {
    "secret-like name": [
        ".env", ".env.local", ".envrc", "server.pem", "id.key", "id_rsa", "credentials.json", "Credentials",
        "credentials.ini", "credentials.toml", "credentials.md", "secrets.yaml", "my-secrets.yaml", "secrets.txt",
        "service-account.json", "prod-service-account-2.json", "client_secret_1.json", "terraform.tfvars",
        "prod.tfvars.json", "terraform.tfstate", "terraform.tfstate.backup", "kubeconfig", "kubeconfig.yaml", ".npmrc",
        ".netrc", "store.jks",
    ],
    "lock file": [
        "package-lock.json", "yarn.lock", "bun.lockb", "pnpm-lock.yaml", "Cargo.lock", "Gemfile.lock", "poetry.lock",
        "composer.lock", "go.sum",
    ],
    "editor file": ["a.swp", "a.swo", "a.py~"],
    "binary": [
        "a.png", "a.jpg", "a.gif", "a.ico", "a.webp", "a.svg", "a.woff", "a.woff2", "a.ttf", "a.eot", "a.zip", "a.tar",
        "a.gz", "a.rar", "a.pdf", "a.doc", "a.docx", "a.mp3", "a.mp4", "a.wav", "a.avi", "a.exe", "a.dll", "a.so",
        "a.dylib", "a.db", "a.sqlite", "a.sqlite3", "A.PNG", "a.jar", "a.wasm",
    ],
}  # fmt: skip
FOLDERS = {
    "dependencies": ["node_modules", "vendor", "venv", ".venv", "__pycache__", ".cargo"],
    "editor settings": [".idea", ".vscode"],
    "secret-like name": [".docker", ".aws", ".ssh", ".kube", ".env.d"],
}
OUTPUTS = ["target", "dist", "build", ".next", "out", ".output"]


def rows(reasons: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, reason) for reason, names in reasons.items() for name in names]


@pytest.mark.parametrize(("name", "reason"), rows(FILES))
def test_a_file_is_left_out_with_its_reason(name: str, reason: str) -> None:
    assert excluded_file(name, language_of(name)) == reason


@pytest.mark.parametrize(("name", "reason"), rows(FOLDERS))
@pytest.mark.parametrize("at_top", [True, False])
def test_a_folder_is_left_out_anywhere(name: str, reason: str, *, at_top: bool) -> None:
    assert excluded_folder(name, {"a.py"}, at_top=at_top) == reason


@pytest.mark.parametrize("name", OUTPUTS)
def test_build_output_is_at_the_top_or_beside_what_a_build_reads(name: str) -> None:
    """`stores/build/` beside modules contains code, not what a build wrote."""
    assert excluded_folder(name, {"src"}, at_top=True) == "build output"
    assert excluded_folder(name, {"src", "package.json"}, at_top=False) == "build output"
    assert not excluded_folder(name, {"__init__.py"}, at_top=False)


@pytest.mark.parametrize("name", ["main.ts", "environment.py", "keys.go", "lock.rs", "d.ts", "secret.py", "id_rsa.go"])
def test_files_of_like_names_are_read(name: str) -> None:
    assert not excluded_file(name, language_of(name))


@pytest.mark.parametrize("name", ["credentials.py", "secrets_manager.go", "credentialsForm.tsx", "kubeconfig_test.rs"])
def test_code_with_a_name_like_a_key_is_read(name: str) -> None:
    assert looks_secret(name)
    assert not excluded_file(name, language_of(name))


@pytest.mark.parametrize(("name", "is_read"), [("provider.go", True), ("prod.yaml", False), ("token", False)])
def test_only_code_is_read_in_a_folder_with_a_name_like_a_key(name: str, *, is_read: bool) -> None:
    """`aws/credentials/provider.go` is a package; `credentials/prod.yaml` may be the keys themselves."""
    assert not excluded_folder("credentials", {"a.py"}, at_top=False)
    assert excluded_file(name, language_of(name), in_secrets=True) == ("" if is_read else "secret-like name")


@pytest.mark.parametrize("sibling", ["api.ts", "api.js", "api.tsx", "api.mjs"])
def test_declarations_are_left_out_beside_their_source(sibling: str) -> None:
    assert excluded_file("api.d.ts", "typescript", {"api.d.ts", sibling}) == "declarations of the file next to it"


@pytest.mark.parametrize("name", ["global.d.ts", "vite-env.d.ts", "shims.d.mts"])
def test_declarations_without_a_source_are_written_by_hand(name: str) -> None:
    assert not excluded_file(name, "typescript", {name, "main.ts"})
