"""Report the texts that an embedding provider refused: cut to what it takes, or left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.refused_texts import RefusedText
from searchsocket.models.paying.bill import EmbedOutcome
from searchsocket.pipeline.run.results import Table
from searchsocket.state import ScopeState
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject

_CUT, _LEFT_OUT = "Texts cut to what the provider takes", "Texts without a vector"
_NAMED = 5
_LOOKED_UP = 500


@dataclass(frozen=True, slots=True)
class RefusedTexts:
    """Rows with `place`, `reason` and `text`, the content hash."""

    cut: Table
    left_out: Table

    def tables(self) -> Mapping[str, Table]:
        """Return the tables of the report that are not empty."""
        return {title: rows for title, rows in ((_CUT, self.cut), (_LEFT_OUT, self.left_out)) if rows}

    def warnings(self, total: int) -> Iterator[str]:
        """Yield warnings that name the texts, of `total` texts in all."""
        if self.cut:
            problem = f"{len(self.cut):,} of {total:,} texts were cut to what the provider takes"
            yield f"{problem}: {_named(self.cut)}; embeddings.max_tokens states the maximum for all"
        if self.left_out:
            problem = f"{len(self.left_out):,} of {total:,} texts have no vector, as the provider refused them"
            advice = "words alone find them; `--force` sends them again"
            yield f"{problem}: {_named(self.left_out)}; {advice}"


def refused_texts(
    state: ScopeState, cache: EmbeddingCache, outcome: EmbedOutcome, model_id: str, last_report: JsonObject | None
) -> RefusedTexts:
    """The texts that this run cut, and those of the scope that this run or an earlier one left out."""
    left_out = {row["text"]: row for row in _rows(state, outcome.refused)}
    earlier = {row["text"]: row for row in (last_report or {}).get("tables", {}).get(_LEFT_OUT, ())}
    for hashes in batches([key for key in earlier if key not in left_out], _LOOKED_UP):
        current = state.chunks.with_texts(hashes)
        left_out.update((key, earlier[key]) for key in cache.look_up(current, model_id)[1])
    # The cache knows that a text was refused; only the report knows why.
    rows = [{**row, "reason": earlier.get(key, row)["reason"]} for key, row in left_out.items()]
    return RefusedTexts(list(_rows(state, outcome.cut)), rows)


def _rows(state: ScopeState, texts: Sequence[RefusedText]) -> Iterator[JsonObject]:
    places = state.chunks.places_at([text.position for text in texts])
    for text, place in zip(texts, places, strict=True):
        yield {"place": place, "reason": text.reason, "text": text.key}


def _named(rows: Table) -> str:
    places = ", ".join(str(row["place"]) for row in rows[:_NAMED])
    more = f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else ""
    return f"{places}{more} ({rows[0]['reason']})"
