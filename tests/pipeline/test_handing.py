"""What readers see of a chunk is found where it is cut and handed on: nothing of it differs, and nothing needs it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.markdown import seen
from searchsocket.markdown.blocks import Block
from searchsocket.markdown.seen import seen_blocks
from searchsocket.pipeline.run import handing
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.handing import Handed, Handing
from searchsocket.pipeline.run.index import plan_scope
from searchsocket.pipeline.stages import search_index
from searchsocket.types import Code, Record
from tests.pipeline.conftest import Site
from tests.record_maker import make_record

TEXTS = ["# A\n\nlamp", "- a\n- b", "```\ncode\n```", "|a|\n|-|\n|b|", "> sea"]


def handed_on(folder: Path, records: list[Record]) -> Path:
    path = folder / "tmp" / "seen"
    with closing(Handing(path)) as file:
        file.add(records)
    return path


@given(st.lists(st.one_of(st.text(), st.sampled_from(TEXTS)), min_size=1, max_size=5))
def test_what_comes_is_what_would_be_found(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    records = [make_record(f"k{number}", text) for number, text in enumerate(texts)]
    with open(handed_on(tmp_path_factory.mktemp("handing"), records), "rb") as file:
        assert Handed(file).of(records) == {text: seen_blocks(text) for text in texts}


def test_some_come_in_batches_whatever_lies_between(tmp_path: Path) -> None:
    records = [make_record(f"k{number}", f"lamp {number}") for number in range(5_000)]
    wanted = [*records[3:700], make_record("other", "sea"), *records[1_500:1_600], *records[2_000::2]]
    with open(handed_on(tmp_path, records), "rb") as file:
        handed = Handed(file)
        found = [text for at in range(0, len(wanted), 500) for text in handed.of(wanted[at : at + 500])]
    assert found == [record.chunk.body.text for record in wanted if record.id != "other"]


def test_code_is_not_handed_on(tmp_path: Path) -> None:
    assert not handed_on(tmp_path, [make_record("a", body=Code("x = 1", "python"))]).exists()


def test_damage_is_as_if_nothing_came(tmp_path: Path) -> None:
    records = [make_record(f"k{number}", f"lamp {number}") for number in range(3)]
    path = handed_on(tmp_path, records)
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :])
        with open(path, "rb") as file:
            found = Handed(file).of(records)
        assert (
            found.items() <= {record.chunk.body.text: seen_blocks(record.chunk.body.text) for record in records}.items()
        )
        assert len(found) >= 1
    path.write_bytes(data[: len(data) // 2])
    with open(path, "rb") as file:
        assert len(Handed(file).of(records)) == 1


def test_a_disk_that_refuses_it_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Handing(Path("/dev/full"))) as file:
        file.add(make_record(f"k{number}", f"lamp {number}" * 99) for number in range(50))
    (tmp_path / "file").touch()
    monkeypatch.setattr(handing, "_path", lambda run: tmp_path / "file" / "seen")
    assert Site(tmp_path).index().records["upserted"] > 0


def test_a_dry_run_hands_nothing_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []
    monkeypatch.setattr(handing, "_written", written.append)
    site = Site(tmp_path)
    assert plan_scope(site.run()).chunks["changed"]
    assert not written


def test_a_run_finds_it_once_and_gives_the_same_index_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed, parse, parsed = search_index.handed, seen.parse_blocks, list[str]()

    def counted(text: str) -> list[Block]:
        parsed.append(text)
        return parse(text)

    @contextmanager
    def forgetting(run: ScopeRun) -> Iterator[Handed]:
        """As in a stage that has a process of its own."""
        seen._found.cache_clear()
        parsed.clear()
        with handed(run) as file:
            yield file

    monkeypatch.setattr(seen, "parse_blocks", counted)
    monkeypatch.setattr(search_index, "handed", forgetting)
    site = Site(tmp_path / "with" / "site")
    site.index()
    assert parsed == []
    assert not (site.project.state_dir / "tmp" / "main").exists()
    monkeypatch.setattr(Handed, "of", lambda *_: {})
    other = Site(tmp_path / "without" / "site")
    other.index()
    assert len(parsed) == len({record.chunk.body.text for record in other.records()})
    assert published(site) == published(other)


def published(site: Site) -> dict[str, bytes]:
    """All files of the live generation but the one that names it."""
    folder = next((site.project.state_dir / "index" / "main").glob("2*"))
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
