"""Effects of `code`: which source files there are, and whether they are indexed."""

import json

from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.extensions.code.corpus import CODE
from searchsocket.pipeline.run.index import index_scope
from tests.project.settings.lab import Effect, Lab


def write_source(lab: Lab) -> None:
    lab.write(
        "src/boats.ts", "export function sail(boat: string): string {\n\treturn `${boat} sails before the wind`;\n}\n"
    )
    lab.write("src/boats.test.ts", "test('sail says what sails', () => expect(sail('The ketch')).toContain('wind'));\n")
    lab.write("lib/ropes.py", "def bowline(rope):\n    return rope.loop().through().around().back(times=1)\n")


def corpora(lab: Lab) -> list[str]:
    """Return the corpora that `searchsocket index` would index."""
    result = CliRunner().invoke(cli, ["index", "--dry-run", "--json", "--project", str(lab.root)])
    plan = json.loads(result.stdout)
    return [name for name, is_included in (("site", "pages" in plan), ("code", "code" in plan)) if is_included]


def files(lab: Lab) -> list[str]:
    """The source files of the index, after a run."""
    run = lab.site.run().of(CODE)
    index_scope(run)
    reader = run.backends.store.reader(run.scope)
    ids = [record_id for record_id, _ in run.backends.store.fingerprints(run.scope)]
    return sorted({record.page.source_file for record in reader.catalogue.records(ids)} - {"searchsocket.toml"})


ALL = ["lib/ropes.py", "src/boats.test.ts", "src/boats.ts"]
EFFECTS = (
    Effect("code.enable", True, corpora, ["site"], ["site", "code"], prepare=write_source),
    Effect("code.include", ["lib/"], files, ALL, ["lib/ropes.py"], prepare=write_source, anew=True),
    Effect("code.exclude", ["*.test.ts"], files, ALL, ["lib/ropes.py", "src/boats.ts"], prepare=write_source),
    Effect("code.max_file_bytes", 80, files, ALL, ["lib/ropes.py"], prepare=write_source),
)  # fmt: skip
