"""A project with source code, and runs over it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from searchsocket.extensions.code.corpus import CODE
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import Project, open_project
from searchsocket.types import Lines, Record
from tests.extensions.code.trees import grow

FUNCTIONS = [f"def step_{n}(value):\n    return value * {n} + len(str(value)) - {n}" for n in range(60)]
FILES: dict[str, str | bytes] = {
    "src/steps.py": "\n\n\n".join(FUNCTIONS) + "\n",
    "src/auth/token.ts": (
        "export const LIMIT = 3;\n\n/** Checks a token's signature. */\n"
        "export async function verifyToken(token: string): Promise<boolean> {\n"
        "\treturn token.length > LIMIT && token.includes('.');\n}\n"
    ),
    "src/pages/Login.svelte": (
        "<script lang='ts'>\n\timport { verifyToken } from '../auth/token';\n\tlet token = $state('');\n"
        "\tasync function submit(): Promise<void> {\n\t\tif (await verifyToken(token)) location.href = '/home';\n\t}\n"
        "</script>\n\n<form onsubmit={submit}><input bind:value={token} /><button>Sign in</button></form>\n"
    ),
    "tests/token.test.ts": (
        "import { verifyToken } from '../src/auth/token';\n\n"
        "test('verifyToken wants a dot in the token that it is given', async () => {\n"
        "\texpect(await verifyToken('aaaa.bbbb')).toBe(true);\n});\n"
    ),
    "docs/guide.md": "# Signing in\n\nPeople sign in with a token that was sent to them by mail, once a day.\n",
    "node_modules/lib/index.js": "export function verifyToken() { return 'of a dependency that nobody reads' }\n",
    ".gitignore": "*.tmp.py\n",
    "a.tmp.py": "def ignored(): return 'what git ignores is not read either, whatever it says'\n",
}


class CodeProject:
    """A project in `root`; each run has its own id and a later clock."""

    def __init__(self, root: Path) -> None:
        self.root = grow(root, {**FILES, "searchsocket.toml": "[code]\nenable = true\n"})
        self.runs = 0

    @property
    def project(self) -> Project:
        return open_project(self.root, {})

    def run(self, scope: str = "main", options: RunOptions | None = None) -> ScopeRun:
        self.runs += 1
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=self.runs)
        project = self.project
        run = ScopeRun(
            project, project.scope_named(scope), f"run-{self.runs}", options or RunOptions(), clock=lambda: moment
        )
        return run.of(CODE)

    def index(self, scope: str = "main", **options: object) -> IndexSummary:
        return index_scope(self.run(scope, RunOptions(**options)))  # type: ignore[arg-type]

    def records(self, scope: str = "main") -> list[Record]:
        run = self.run(scope)
        ids = [record_id for record_id, _ in run.backends.store.fingerprints(run.scope)]
        return run.backends.store.reader(run.scope).catalogue.records(ids)

    def symbols(self) -> set[tuple[str, str]]:
        """(file, qualified name) of all that is defined."""
        return {
            (record.page.url[1:], name)
            for record in self.records()
            if isinstance(record.chunk.at, Lines)
            for name in record.chunk.at.heading_path
        }

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.root / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
