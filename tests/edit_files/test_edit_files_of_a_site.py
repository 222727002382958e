"""Results of a built site name the file to edit and its lines."""

from pathlib import Path

from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.content.mirror import parse_page
from searchsocket.project.project import open_project
from searchsocket.sources.edit_files import list_edit_files

TEXT = "A bowline makes a loop that does not slip. Tie the bowline with the free end, and tighten the rope slowly."
PAGE = "<title>T</title><main><h1>Ropes</h1><p>{text}</p><h2 id=care>Care</h2><p>Dry every rope in the wind.</p></main>"


def index(root: Path) -> None:
    result = CliRunner().invoke(cli, ["index", "--quiet", "--project", str(root)], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def search(root: Path) -> str:
    return CliRunner().invoke(cli, ["search", "dry rope wind", "--project", str(root)], catch_exceptions=False).stdout


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def test_a_result_names_file_and_line_until_the_file_is_gone(tmp_path: Path) -> None:
    put(tmp_path, {
        "searchsocket.toml": "[embeddings]\nprovider = 'hash'\n",
        "mkdocs.yml": "site_name: Harbour\n",
        "docs/ropes.md": f"---\ntags: [a]\n---\n# Ropes\n\n{TEXT}\n\n## Care\n\nDry every rope in the wind.\n",
        "site/ropes/index.html": PAGE.format(text=TEXT),
    })  # fmt: skip
    index(tmp_path)
    assert "(docs/ropes.md:4)" in search(tmp_path)
    [mirror] = open_project(tmp_path, {}).mirror_dir.rglob("ropes.md")
    page = parse_page(mirror.read_text(encoding="utf-8"))
    assert (page.facts.route_file, page.facts.route_resolution) == ("docs/ropes.md", "exact")
    (tmp_path / "docs/ropes.md").rename(tmp_path / "docs/moved.txt")
    put(tmp_path, {"site/ropes/index.html": PAGE.format(text=f"{TEXT} Again.")})
    index(tmp_path)
    assert "docs/ropes.md" not in search(tmp_path)


def test_only_sources_of_pages_are_listed(tmp_path: Path) -> None:
    names = ["docs/a.md", "docs/b.rst", "site/a.md", "node_modules/x/a.md", ".cache/a.md", "notes.txt", "layouts/a.md"]
    put(tmp_path, {"mkdocs.yml": "", **dict.fromkeys(names, "x")})
    files = list_edit_files(tmp_path, "site")
    assert files is not None
    assert list(files.names) == ["docs/a.md", "docs/b.rst"]
    (tmp_path / "mkdocs.yml").unlink()
    assert list_edit_files(tmp_path, "site") is None
